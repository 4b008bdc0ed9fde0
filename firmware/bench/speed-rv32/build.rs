//! Links each program by `link.x`: to the memory at 0 that every board has, to an SRAM behind an L2, or to that of QEMU's machine `virt`.

const PROGRAMS: [(&str, u32); 7] = [
    ("speed-rv32", 0),
    ("speed-rv32-start", 0),
    ("speed-rv32-paged", 0),
    ("speed-rv32-sram", 0x4000_0000),
    ("speed-rv32-paged-sram", 0x4000_0000),
    ("speed-rv32-virt", 0x8000_0000),
    ("speed-rv32-virt-start", 0x8000_0000),
];

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!("cargo:rustc-link-arg-bins=-T{folder}/link.x");
    for (program, base) in PROGRAMS {
        println!("cargo:rustc-link-arg-bin={program}=--defsym=BASE={base:#x}");
    }
    println!("cargo:rerun-if-changed=link.x");
}
