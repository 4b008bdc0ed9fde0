//! Checks that firmware builds are identical wherever the checkout is: code layout that depended on the folder's name would change the
//! price list's cycles.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Two functions whose order follows their symbols, and a panic that names its file.
const SOURCE: &str = "
pub fn first(values: &[u8], at: usize) -> u8 { values[at] }
pub fn second(values: &[u8], at: usize) -> u8 { values[at] ^ 1 }
";

/// The object file that cargo's compiler call produces for the source in `folder`.
fn object(wrapper: &Path, folder: &Path, metadata: &str) -> Vec<u8> {
    fs::create_dir_all(folder.join("xtask")).unwrap();
    let (own, source, made) = (
        folder.join("xtask/steady-rustc"),
        folder.join("part.rs"),
        folder.join("part.o"),
    );
    fs::copy(wrapper, &own).unwrap();
    fs::write(&source, SOURCE).unwrap();
    let status = Command::new(own)
        .args([
            "rustc",
            "--crate-name",
            "part",
            "--crate-type",
            "lib",
            "--emit",
            "obj",
        ])
        .args(["--edition", "2024", "-C", "opt-level=1", "-C", metadata, "-o"])
        .args([&made, &source])
        .env("CARGO_PKG_NAME", "part")
        .status();
    assert!(status.unwrap().success());
    fs::read(made).unwrap()
}

#[test]
fn the_folder_and_cargos_hash_of_it_leave_no_trace() {
    let wrapper = xtask::root().join("xtask/steady-rustc");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let here = object(&wrapper, &folder.join("here"), "metadata=1234567890abcdef");
    let there = object(
        &wrapper,
        &folder.join("some/where/else"),
        "metadata=fedcba0987654321",
    );
    assert!(here == there, "the objects differ");
}
