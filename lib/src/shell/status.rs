//! `test`, `[` and `[[`: the status where the operands say it.

use super::command::HOLE;
use super::machine::Machine;
use super::pattern;
use super::tree::WordTree;
use super::walk::Walker;
use super::world::World;

/// The status of `test` with these operands; `None`: not known.
pub(super) fn plain(words: &[&str]) -> Option<bool> {
    match words {
        [] => Some(false),
        [one] => Some(!one.is_empty()),
        ["!", rest @ ..] => plain(rest).map(|ok| !ok),
        ["-n", text] => Some(!text.is_empty()),
        ["-z", text] => Some(text.is_empty()),
        [left, "=" | "==", right] => Some(left == right),
        [left, "!=", right] => Some(left != right),
        [left, operator, right] => number(left, operator, right),
        _ => None,
    }
}

fn number(left: &str, operator: &str, right: &str) -> Option<bool> {
    let (left, right): (i64, i64) = (left.trim().parse().ok()?, right.trim().parse().ok()?);
    Some(match operator {
        "-eq" => left == right,
        "-ne" => left != right,
        "-lt" => left < right,
        "-le" => left <= right,
        "-gt" => left > right,
        "-ge" => left >= right,
        _ => return None,
    })
}

impl<M: Machine> Walker<'_, M> {
    /// The status of `[[ .. ]]`: one comparison, negated or not; all else may be either.
    pub fn double_bracket(&mut self, words: &[WordTree], world: &mut World<M::State>) -> Option<bool> {
        if let [first, rest @ ..] = words
            && first.bare() == Some("!")
        {
            return self.double_bracket(rest, world).map(|ok| !ok);
        }
        let known = |text: &str| !text.contains(HOLE);
        match words {
            [left, operator, right] => {
                let sign = operator.bare()?;
                let left = self.expander(world).single(&left.parts);
                if matches!(sign, "=" | "==" | "!=") {
                    let right = self.expander(world).pattern(&right.parts);
                    let fits = (known(&left) && known(&right) && !right.contains('(') && left.len() < 4096 && right.len() < 256)
                        .then(|| pattern::matches(&right, &left))?;
                    return Some(fits == (sign != "!="));
                }
                let right = self.expander(world).single(&right.parts);
                if !known(&left) || !known(&right) {
                    return None;
                }
                number(&left, sign, &right)
            }
            [operator, operand] => {
                let sign = operator.bare()?;
                let text = self.expander(world).single(&operand.parts);
                match sign {
                    "-n" if known(&text) => Some(!text.is_empty()),
                    "-z" if known(&text) => Some(text.is_empty()),
                    _ => None,
                }
            }
            [one] => {
                let text = self.expander(world).single(&one.parts);
                known(&text).then_some(!text.is_empty())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_decide() {
        assert_eq!(plain(&["a", "=", "a"]), Some(true));
        assert_eq!(plain(&["!", "-z", ""]), Some(false));
        assert_eq!(plain(&["3", "-lt", "10"]), Some(true));
        assert_eq!(plain(&["-f", "x"]), None);
    }
}
