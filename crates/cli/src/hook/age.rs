//! How long ago this process was started. What it tells happened then, and on a busy machine much may happen before it
//! runs.

use std::time::Duration;

/// The kernel counts times of processes in these, on every kind of machine.
const TICK: Duration = Duration::from_millis(10);

/// At least so long ago; nothing where the system does not say.
#[cfg(target_os = "linux")]
pub(super) fn since_start() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let now = Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?);
    now.checked_sub(started(&stat)? + TICK)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn since_start() -> Option<Duration> {
    None
}

/// After the boot of the machine, up to a tick later. The name of the program, in parentheses, may hold anything.
fn started(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: u64 = fields.split_ascii_whitespace().nth(19)?.parse().ok()?;
    Some(Duration::from_millis(ticks.checked_mul(TICK.as_millis().try_into().ok()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_process() {
        let stat = "42 (a ) name) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 3 0 1234 1000 200";
        assert_eq!(started(stat), Some(Duration::from_millis(12_340)));
        assert_eq!(started("42 (x) S 1"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_not_old() {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        assert!(started(&stat).unwrap() > Duration::ZERO);
        assert!(since_start().is_none_or(|age| age < Duration::from_secs(600)));
    }
}
