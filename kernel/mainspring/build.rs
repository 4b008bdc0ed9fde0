//! Tells the cores apart, which no `cfg` of the compiler does: with BASEPRI or with a bit for each interrupt, with LDREX and
//! STREX or without, with floating-point registers or without; and debug builds from others.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(basepri, enable_bits, exclusives, float, unoptimised)");
    let target = env::var("TARGET").unwrap_or_default();
    if target.starts_with("riscv32") {
        println!("cargo::rustc-cfg=enable_bits");
    }
    if target.starts_with("thumb") && !target.starts_with("thumbv6m") {
        println!("cargo::rustc-cfg=exclusives");
        // Where each call of a small function costs, the pool's operations are short cuts in assembly.
        if env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
            println!("cargo::rustc-cfg=unoptimised");
        }
    }
    if target.starts_with("thumb") && target.ends_with("eabihf") {
        println!("cargo::rustc-cfg=float");
    }
    if target.starts_with("thumbv6m") || target.starts_with("thumbv8m.base") {
        println!("cargo::rustc-cfg=enable_bits");
    } else if target.starts_with("thumb") {
        println!("cargo::rustc-cfg=basepri");
    }
}
