//! Time: now in milliseconds, and a deadline for slow work.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch; 0 when the clock stands before it.
#[must_use]
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

/// A moment as people write it: `2026-11-30 14:02:11`, in UTC.
#[must_use]
pub fn utc(ms: u64) -> String {
    let (days, second) = (ms / 86_400_000, ms / 1000 % 86_400);
    // Counted from 1 March of the year 0, a leap day is the last of its year; the calendar repeats after 400 years.
    let day = days + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (era * 400 + year + u64::from(month > 9), if month > 9 { month - 9 } else { month + 3 });
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{date:02} {hour:02}:{minute:02}:{second:02}")
}

/// The last millisecond of a day written `YYYY-MM-DD`, in UTC; `None` for anything that is no day from 1970 to 9999.
#[must_use]
pub fn day_end_ms(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return None;
    };
    let number = |text: &str, length: usize| {
        let digits = text.len() == length && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<u64>().ok())?
    };
    let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if leap { 29 } else { 28 };
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let length = *months.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    if year < 1970 || !(1..=length).contains(&day) {
        return None;
    }
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let before = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    let days = before + months[..month as usize - 1].iter().sum::<u64>() + day;
    Some(days * 86_400_000 - 1)
}

/// The moment written `YYYY-MM-DDTHH:MM:SS` with an optional fraction and a closing `Z`, in milliseconds since the Unix
/// epoch; `None` for anything else.
#[must_use]
pub fn moment_ms(text: &str) -> Option<u64> {
    let (day, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = time.split(':').map(|part| part.parse::<u64>().ok().filter(|_| part.len() == 2));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
    let within = ((hour * 60 + minute) * 60 + second) * 1000 + thousandths.parse::<u64>().ok()?;
    Some(day_end_ms(day)? - 86_399_999 + within)
}

/// A length of time as people write it, `90s`, `30m`, `2h`, `7d` or `4w`, in milliseconds.
#[must_use]
pub fn lasting(text: &str) -> Option<u64> {
    let unit = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    let count: u64 = text[..text.len() - 1].parse().ok()?;
    count.checked_mul(unit * 1000)
}

/// The moment that lies a [`lasting`] before `now`, or the start of a day `YYYY-MM-DD` in UTC.
#[must_use]
pub fn since_ms(text: &str, now: u64) -> Option<u64> {
    match day_end_ms(text) {
        Some(end) => Some(end + 1 - 86_400_000),
        None => lasting(text).map(|length| now.saturating_sub(length)),
    }
}

/// The point after which slow work must have been given up.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline `after` from now.
    #[must_use]
    pub fn after(after: Duration) -> Self {
        Self(Instant::now() + after)
    }

    /// What is left; zero once it is past.
    #[must_use]
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it is past.
    #[must_use]
    pub fn passed(self) -> bool {
        self.left().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::{day_end_ms, lasting, since_ms, utc};

    #[test]
    fn moments_are_read_back() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(951_868_799_999), "2000-02-29 23:59:59");
        assert_eq!(utc(1_798_761_600_000), "2027-01-01 00:00:00");
        for day in (0..200_000).step_by(17) {
            let ms = day * 86_400_000 + 45_296_000;
            let text = utc(ms);
            let (date, time) = text.split_at(10);
            assert_eq!((day_end_ms(date), time), (Some((day + 1) * 86_400_000 - 1), " 12:34:56"));
        }
    }

    #[test]
    fn days_end() {
        assert_eq!(day_end_ms("1970-01-01"), Some(86_399_999));
        assert_eq!(day_end_ms("2000-02-29"), Some(951_868_799_999));
        assert_eq!(day_end_ms("2026-12-31"), Some(1_798_761_599_999));
        for bad in ["", "2026", "1969-12-31", "2026-02-29", "2026-13-01", "2026-00-01", "2026-1-1", "+026-01-01"] {
            assert_eq!(day_end_ms(bad), None, "{bad}");
        }
    }

    #[test]
    fn lengths_of_time() {
        assert_eq!((lasting("30m"), lasting("7d")), (Some(1_800_000), Some(604_800_000)));
        for bad in ["", "m", "1", "-1h", "1y", "99999999999999999999h", "18446744073709551615w", "é", "1.5h"] {
            assert_eq!(lasting(bad), None, "{bad}");
        }
        assert_eq!(since_ms("2h", 10_000_000), Some(2_800_000));
        assert_eq!((since_ms("999999999w", 9), since_ms("2026-13-01", 9)), (Some(0), None));
        assert_eq!(since_ms("1970-01-02", 0), Some(86_400_000));
    }

    #[test]
    fn moments() {
        assert_eq!(super::moment_ms("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(super::moment_ms("2000-02-29T23:59:59.5Z"), Some(951_868_799_500));
        assert_eq!(super::moment_ms("2026-12-31T00:00:01.002345Z"), Some(1_798_675_201_002));
        for bad in
            ["", "2026-12-31", "2026-12-31T00:00:00", "2026-12-31T24:00:00Z", "2026-12-31T1:00:00Z", "2026-12-31T00:00:00.xZ"]
        {
            assert_eq!(super::moment_ms(bad), None, "{bad}");
        }
    }
}
