//! Puts the linker script fragments of this crate where the linker of every dependent looks for them.

use std::env;

fn main() {
    let dir = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo:rustc-link-search={dir}/link");
    println!("cargo:rerun-if-changed=link");
}
