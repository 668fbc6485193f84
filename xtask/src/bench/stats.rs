//! What is kept of many samples.

use serde::Serialize;

/// The middle of some repetitions, and how far they were apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Spread {
    /// Of at least one sample.
    pub(super) fn of(samples: impl IntoIterator<Item = f64>) -> Self {
        let sorted = sorted(samples);
        Self { median: at(&sorted, 0.5), least: at(&sorted, 0.0), most: at(&sorted, 1.0) }
    }

    /// How far the repetitions were apart, as a share of the median.
    pub(super) fn noise(self) -> f64 {
        (self.most - self.least) / self.median
    }
}

/// How long something took, as most see it and as the unlucky do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Delays {
    pub(super) p50: f64,
    pub(super) p99: f64,
    pub(super) most: f64,
}

impl Delays {
    /// Of at least one sample.
    pub(super) fn of(samples: impl IntoIterator<Item = f64>) -> Self {
        let sorted = sorted(samples);
        Self { p50: at(&sorted, 0.5), p99: at(&sorted, 0.99), most: at(&sorted, 1.0) }
    }
}

/// The mean of the middle half: few samples that went wrong do not move it, and it is steadier than the median.
pub(super) fn middle(samples: impl IntoIterator<Item = f64>) -> f64 {
    let sorted = sorted(samples);
    let outside = sorted.len() / 4;
    let middle = &sorted[outside..sorted.len() - outside];
    middle.iter().sum::<f64>() / middle.len() as f64
}

fn sorted(samples: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = samples.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The sample below which `share` of them lie; not a number where there are none.
fn at(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len().saturating_sub(1)) as f64 * share;
    let of = |index: f64| sorted.get(index as usize).copied().unwrap_or(f64::NAN);
    let (below, above) = (of(place.floor()), of(place.ceil()));
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_and_ends() {
        let spread = Spread::of([3.0, 1.0, 2.0]);
        assert_eq!(spread, Spread { median: 2.0, least: 1.0, most: 3.0 });
        assert_eq!(spread.noise(), 1.0);
        assert_eq!(Spread::of([1.0, 2.0]).median, 1.5);
        assert!(Spread::of([]).median.is_nan());
        assert_eq!(middle([100.0, 1.0, 3.0, 2.0]), 2.5);
        let delays = Delays::of((0..=100).map(f64::from));
        assert_eq!(delays, Delays { p50: 50.0, p99: 99.0, most: 100.0 });
    }
}
