//! Links the programs by `link.x`.

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo:rustc-link-arg-bins=-T{folder}/link.x");
    println!("cargo:rerun-if-changed=link.x");
}
