//! Compiles the .proto files with protox, so that no protoc is needed.

use std::path::PathBuf;

const FILES: [&str; 4] = [
    "observation.proto",
    "fleet.proto",
    "signer.proto",
    "operator.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    for file in FILES {
        println!("cargo::rerun-if-changed={file}");
    }
    let descriptors = protox::compile(FILES.map(|file| root.join(file)), [&root])?;
    tonic_prost_build::configure()
        // Bodies are shared between the decoded message and its holders.
        .bytes("touchstone.observation.v1.SignedObservation.bodies")
        .compile_fds(descriptors)?;
    Ok(())
}
