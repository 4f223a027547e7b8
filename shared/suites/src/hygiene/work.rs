//! Counts the steps of a scan in tests, so that "linear" is proven by counting
//! and not by a clock. Outside tests it is nothing.

#[cfg(not(test))]
pub(super) const fn spend(_steps: usize) {}

#[cfg(test)]
pub(super) use counted::{spend, spent_by};

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static SPENT: Cell<usize> = const { Cell::new(0) };
    }

    pub(in super::super) fn spend(steps: usize) {
        SPENT.set(SPENT.get() + steps);
    }

    /// How many steps `work` took.
    pub(in super::super) fn spent_by(work: impl FnOnce()) -> usize {
        SPENT.set(0);
        work();
        SPENT.get()
    }
}
