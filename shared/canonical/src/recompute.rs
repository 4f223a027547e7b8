//! The two programs that recompute the fingerprints without any code of this
//! crate and without any package, as they stand beside it: to be read, run and
//! handed on.

/// For Node.js.
pub const NODE: Script = Script {
    name: "recompute-fingerprints.mjs",
    text: include_str!("../recompute-fingerprints.mjs"),
};

/// For Python 3.
pub const PYTHON: Script = Script {
    name: "recompute_fingerprints.py",
    text: include_str!("../recompute_fingerprints.py"),
};

/// One file.
#[derive(Debug)]
pub struct Script {
    pub name: &'static str,
    pub text: &'static str,
}
