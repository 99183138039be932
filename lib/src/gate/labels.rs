//! Scores of labelled turns, and what a threshold would make of them.

/// The rates of skipped turns for which figures are given.
pub const RATES: [f64; 4] = [0.50, 0.70, 0.78, 0.90];

/// Scores by label, each list sorted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    /// Of turns that run into no lesson.
    pub without: Vec<f64>,
    /// Of turns that run into one.
    pub with: Vec<f64>,
}

impl FromIterator<(f64, bool)> for Labels {
    fn from_iter<I: IntoIterator<Item = (f64, bool)>>(scores: I) -> Self {
        let mut labels = Self::default();
        for (score, with) in scores {
            if with { &mut labels.with } else { &mut labels.without }.push(score);
        }
        labels.with.sort_unstable_by(f64::total_cmp);
        labels.without.sort_unstable_by(f64::total_cmp);
        labels
    }
}

impl Labels {
    /// The chance that a turn with a lesson scores higher than one without, a tie counting half: the area under the
    /// curve of hits over false alarms. `None` while one of the lists is empty.
    #[must_use]
    pub fn auc(&self) -> Option<f64> {
        if self.with.is_empty() || self.without.is_empty() {
            return None;
        }
        let wins = |score: &f64| {
            let less = self.without.partition_point(|other| other < score);
            let alike = self.without.partition_point(|other| other <= score) - less;
            less as f64 + alike as f64 / 2.0
        };
        Some(self.with.iter().map(wins).sum::<f64>() / (self.with.len() as f64 * self.without.len() as f64))
    }

    /// The threshold at which this share of the turns without a lesson is skipped; `None` where there are none.
    #[must_use]
    pub fn threshold(&self, rate: f64) -> Option<f64> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let at = (rate.max(0.0) * self.without.len() as f64) as usize;
        self.without.get(at.min(self.without.len().checked_sub(1)?)).copied()
    }

    /// The share of the turns with a lesson that a threshold lets through; 0 where there are none.
    #[must_use]
    pub fn recall(&self, threshold: f64) -> f64 {
        let missed = self.with.partition_point(|score| *score < threshold);
        (self.with.len() - missed) as f64 / self.with.len().max(1) as f64
    }

    /// The share of the turns without one that it skips; 0 where there are none.
    #[must_use]
    pub fn skipped(&self, threshold: f64) -> f64 {
        self.without.partition_point(|score| *score < threshold) as f64 / self.without.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_definition() {
        let labels: Labels =
            [(1.0, false), (2.0, false), (3.0, false), (4.0, false), (2.0, true), (9.0, true)].into_iter().collect();
        assert_eq!(labels.auc(), Some((1.5 + 4.0) / 8.0));
        assert_eq!(labels.threshold(0.5), Some(3.0));
        assert_eq!(labels.threshold(1.0), Some(4.0));
        assert_eq!((labels.recall(3.0), labels.skipped(3.0)), (0.5, 0.5));
        let none = Labels::default();
        assert_eq!((none.auc(), none.threshold(0.5), none.recall(1.0), none.skipped(1.0)), (None, None, 0.0, 0.0));
    }
}
