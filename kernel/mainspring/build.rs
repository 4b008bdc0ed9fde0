//! Tells the cores apart, which no `cfg` of the compiler does: with BASEPRI or with a bit for each interrupt, with LDREX and
//! STREX or without, with floating-point registers or without. And how much is optimised.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!(
        "cargo::rustc-check-cfg=cfg(basepri, enable_bits, exclusives, float, at_once, cut_at_once, armv8m)"
    );
    let target = env::var("TARGET").unwrap_or_default();
    if target.starts_with("riscv32") {
        println!("cargo::rustc-cfg=enable_bits");
    }
    if target.starts_with("thumb") && !target.starts_with("thumbv6m") {
        println!("cargo::rustc-cfg=exclusives");
        // The pool's operations in one piece. From the pieces the compiler makes better code where it does all that it can, and
        // nowhere else.
        if !matches!(env::var("OPT_LEVEL").as_deref(), Ok("2" | "3")) {
            println!("cargo::rustc-cfg=at_once");
        }
        // For a block that nobody has used, nowhere but where nothing is inlined.
        if env::var("OPT_LEVEL").as_deref() == Ok("0") {
            println!("cargo::rustc-cfg=cut_at_once");
        }
    }
    if target.starts_with("thumbv8m") {
        println!("cargo::rustc-cfg=armv8m");
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
