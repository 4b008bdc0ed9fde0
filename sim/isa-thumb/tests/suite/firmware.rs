//! Real code: compiled C libraries for ARMv7-M decode, and disassemble as objdump lists them.

use std::path::Path;
use std::process::Command;

use isa_thumb::{ItState, Op, decode};

use skipped::{installed, skip};

use crate::listing::{Line, OBJDUMP, normalise, objdump};

const GCC: &str = "arm-none-eabi-gcc";

/// Links everything in the libraries into one program. It could not run, but its branches have their final targets.
fn link_libraries(to: &Path) -> bool {
    let done = Command::new(GCC)
        .args(["-mthumb", "-march=armv7-m", "-mfloat-abi=soft", "-nostdlib"])
        .args([
            "-Wl,--whole-archive",
            "-lc",
            "-lm",
            "-lgcc",
            "-Wl,--no-whole-archive",
        ])
        .args([
            "-Wl,-e0,-z,muldefs,--unresolved-symbols=ignore-all,--no-warnings",
            "-o",
        ])
        .arg(to)
        .status();
    done.is_ok_and(|status| status.success())
}

/// The difference between our disassembly and this line, if any.
fn complaint(line: &Line, it: &mut ItState) -> Option<String> {
    let insn = match decode(line.raw) {
        Ok(insn) => insn,
        Err(error) => return Some(format!("{error}; objdump {:?}", line.text)),
    };
    let ours = normalise(&insn.disassemble_in(line.address, *it).to_string());
    *it = it.after(&insn);
    // The unwinder saves floating-point registers if there are any; objdump knows those instructions by name.
    (ours != line.text && insn.op != Op::Coproc).then(|| {
        format!(
            "{:x}: {:x}: ours {ours:?}, objdump {:?}",
            line.address, line.raw, line.text
        )
    })
}

#[test]
fn the_compilers_libraries() {
    if !installed(OBJDUMP) || !installed(GCC) {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary directory");
    let file = place.path().join("firmware.elf");
    if !link_libraries(&file) {
        return skip("no libraries for ARMv7-M");
    }
    let lines = objdump(&["-d"], &file);
    assert!(lines.len() > 50_000, "{} instructions", lines.len());
    let mut it = ItState::OUTSIDE;
    let all: Vec<String> = lines.iter().filter_map(|line| complaint(line, &mut it)).collect();
    assert!(
        all.is_empty(),
        "{} of {} disagree:\n{}",
        all.len(),
        lines.len(),
        all.join("\n")
    );
}
