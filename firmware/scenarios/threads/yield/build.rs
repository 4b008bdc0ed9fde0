//! Compiles the study's work, which is C, and links with the memory map that all programs of the group have.

#[path = "../build.rs"]
mod map;

fn main() {
    map::main();
    println!("cargo:rerun-if-changed=../freertos/c/work.c");
    println!("cargo:rerun-if-changed=../freertos/c/work.h");
    cc::Build::new()
        .compiler("arm-none-eabi-gcc")
        .file("../freertos/c/work.c")
        .opt_level(3) // The file says itself that it is not to be optimised.
        .compile("work");
}
