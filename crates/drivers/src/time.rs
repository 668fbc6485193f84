//! Times in what agents write, as milliseconds since 1970.

/// Reads `2026-11-15T06:56:18.123Z`, with or without a fraction, in UTC or with an offset.
#[must_use]
pub fn rfc3339_ms(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let at = |place: usize, byte: u8| bytes.get(place) == Some(&byte);
    let shaped = at(4, b'-') && at(7, b'-') && (at(10, b'T') || at(10, b' ')) && at(13, b':') && at(16, b':');
    if !shaped {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let digits = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let millis = match digits {
        0 => 0,
        _ => format!("{:0<3}", &rest[1..=digits]).get(..3)?.parse::<i64>().ok()?,
    };
    let zone = &rest[if digits == 0 { 0 } else { digits + 1 }..];
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset(zone)?;
    u64::try_from(seconds * 1000 + millis).ok()
}

/// `Z` or `+02:00`, in seconds.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" || zone == "z" {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = (zone.get(1..3)?.parse::<i64>().ok()?, zone.get(4..6)?.parse::<i64>().ok()?);
    Some(sign * (hours * 3600 + minutes * 60))
}

/// The calendar of the Gregorian rule, by Howard Hinnant's `days_from_civil`.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows() {
        let rows = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-01-01T00:00:00.000Z", Some(946_684_800_000)),
            ("2026-11-15T06:56:18.123Z", Some(1_794_725_778_123)),
            ("2026-11-15T06:56:18.1Z", Some(1_794_725_778_100)),
            ("2026-11-15T08:56:18.123456+02:00", Some(1_794_725_778_123)),
            ("2026-11-15", None),
            ("1960-01-01T00:00:00Z", None),
            ("2026-13-15T06:56:18Z", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(rfc3339_ms(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,40}", like in "[0-9T:.Z+ -]{0,32}") {
            let _ = rfc3339_ms(&text);
            let _ = rfc3339_ms(&like);
        }
    }
}
