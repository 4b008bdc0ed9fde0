//! Tells the cores with BASEPRI from those without, which no `cfg` of the compiler does.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(basepri, enable_bits)");
    let target = env::var("TARGET").unwrap_or_default();
    if target.starts_with("thumbv6m") || target.starts_with("thumbv8m.base") {
        println!("cargo::rustc-cfg=enable_bits");
    } else if target.starts_with("thumb") {
        println!("cargo::rustc-cfg=basepri");
    }
}
