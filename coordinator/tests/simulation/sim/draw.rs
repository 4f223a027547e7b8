//! Chance that is the same in every run of a seed.

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
#[derive(Clone, Debug)]
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// A time from `first` to `last`, in milliseconds.
    pub(crate) fn time(&mut self, first: i64, last: i64) -> i64 {
        let span = (last - first + 1).unsigned_abs();
        first + i64::try_from(self.next() % span).unwrap()
    }

    /// A time below `last` that is as often short as long: milliseconds,
    /// seconds, minutes or hours.
    pub(crate) fn any_time(&mut self, last: i64) -> i64 {
        let magnitude = [1_000, 30_000, 600_000, i64::MAX][self.below(4)];
        self.time(0, magnitude.min(last))
    }

    /// True so many times in a thousand.
    pub(crate) fn chance(&mut self, per_mille: u64) -> bool {
        per_mille > 0 && self.next() % 1_000 < per_mille
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
