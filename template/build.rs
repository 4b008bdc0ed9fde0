//! Links all programs with the memory map of this folder.

fn main() {
    println!("cargo:rustc-link-search={}", std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    for kind in ["bins", "benches"] {
        println!("cargo:rustc-link-arg-{kind}=-Tlink.x");
        println!("cargo:rustc-link-arg-{kind}=--nmagic");
    }
    println!("cargo:rerun-if-changed=memory.x");
}
