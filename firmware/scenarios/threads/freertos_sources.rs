//! Where FreeRTOS' sources are: what the build scripts have in common that do not get it from the crate freertos-next itself.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where cargo keeps freertos-next.
pub fn of_the_crate() -> PathBuf {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(find).clone()
}

/// Cargo may have to fetch what other programs of the workspace need: it tells of all packages or of none.
fn find() -> PathBuf {
    let mut metadata = Command::new(env::var_os("CARGO").expect("cargo sets it"));
    metadata.args(["metadata", "--format-version=1", "--locked"]);
    let output = metadata.output().expect("cargo runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {told}");
    let text = String::from_utf8_lossy(&output.stdout);
    let manifest = text
        .split("\"manifest_path\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .find(|path| path.contains("/freertos-next-"))
        .expect("freertos-next is a dependency");
    Path::new(manifest)
        .parent()
        .expect("a manifest is in a folder")
        .to_owned()
}
