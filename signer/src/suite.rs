//! Which check suite judges in this program.

use touchstone_evidence::payload::Suite;
use touchstone_evidence::text::{Commit, Digest, SuiteText};
use touchstone_suites::registry::{SUITE, SUITE_VERSION};

/// The suite of this build: name and version, and the commit and the digest of
/// its folder as git had them when this program was built. Those are null for
/// a program that was built without its history.
pub fn suite_identity() -> Suite {
    // Constants of this build, of whose form the tests make sure.
    const FORM: &str = "constants of the build have the form of evidence";
    let commit = option_env!("TOUCHSTONE_SUITE_COMMIT");
    let digest = option_env!("TOUCHSTONE_SUITE_DIGEST");
    Suite {
        name: SuiteText::new(SUITE).expect(FORM),
        version: SuiteText::new(SUITE_VERSION).expect(FORM),
        suite_commit: commit.map(|commit| Commit::new(commit).expect(FORM)),
        suite_digest: digest.map(|digest| Digest::new(digest).expect(FORM)),
        dirty: option_env!("TOUCHSTONE_SUITE_DIRTY").map(|dirty| dirty == "true"),
    }
}

/// The one command that recomputes this suite's digest; `None` when this
/// program does not know its commit.
pub fn recompute_command() -> Option<String> {
    suite_identity().recompute_command()
}
