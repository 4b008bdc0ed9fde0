//! Compiles a program in C as its user does who wants it fast: with all optimisation, for the core that it runs on, and as a whole
//! (`-flto`).
//!
//! Rust's linker cannot read what GCC keeps for that. So GCC links each program's C by itself, into one object, in which functions are
//! inlined across files; what Rust has and calls stays open.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The end of a program's name, and how it is compiled.
pub type Build = (&'static str, &'static [&'static str]);

/// The builds of each program, by the ends of their names. Which is fastest differs from row to row: the price list takes the best.
const BUILDS: [Build; 3] = [
    ("", &["-O3", "-flto"]),
    ("-o2", &["-O2", "-flto"]),
    // File by file: where a cache is small, less is inlined into it.
    ("-apart", &["-O3"]),
];
/// The flags of all of them, beside those of the core.
const FLAGS: [&str; 2] = ["-fomit-frame-pointer", "-ffunction-sections"];
/// The command that makes one object of files compiled with `-flto`.
const LINK: [&str; 4] = [
    "-r",
    "-nostdlib",
    "-flinker-output=nolto-rel",
    "-flto-partition=one",
];

/// Compiles what `sources` has in each way, those of `more` too, and links the programs of that name with it. `machine` says what the
/// core has.
pub fn link(sources: &cc::Build, compiler: &str, machine: &[&str], program: &str, more: &[Build]) {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for (end, optimisation) in BUILDS.iter().chain(more) {
        let name = format!("{program}{end}");
        let object = out.join(format!("{name}.o"));
        let flags = || machine.iter().chain(*optimisation).chain(&FLAGS);
        let mut build = sources.clone();
        build
            .compiler(compiler)
            .no_default_flags(true)
            .warnings(false)
            .flag("-g");
        build.flags(flags());
        let mut whole = Command::new(compiler);
        whole.args(flags()).args(LINK).args(build.compile_intermediates());
        let status = whole.arg("-o").arg(&object).status().expect("the compiler runs");
        assert!(status.success(), "{whole:?}: {status}");
        println!("cargo:rustc-link-arg-bin={name}={}", object.display());
    }
}
