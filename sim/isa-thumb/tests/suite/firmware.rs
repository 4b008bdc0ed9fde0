//! Real code: what a C compiler made of its libraries for ARMv7-M decodes, and reads as objdump lists it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use isa_thumb::{ItState, Op, decode};

use crate::listing::{Line, normalise, objdump, objdump_is_missing};

const GCC: &str = "arm-none-eabi-gcc";

/// Links everything in the libraries into one program: it could not run, but its branches have their final targets.
fn link_libraries() -> Option<PathBuf> {
    let file = env::temp_dir().join(format!("isa-thumb-{}-firmware.elf", process::id()));
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
        .arg(&file)
        .status();
    done.is_ok_and(|status| status.success()).then_some(file)
}

fn list(file: &Path) -> Vec<Line> {
    let lines = objdump(&["-d"], file);
    fs::remove_file(file).expect("the file is ours");
    lines
}

/// What is wrong with our idea of this line, if anything.
fn complaint(line: &Line, it: &mut ItState) -> Option<String> {
    let insn = match decode(line.raw) {
        Ok(insn) => insn,
        Err(error) => return Some(format!("{error}; objdump {:?}", line.text)),
    };
    let ours = normalise(&insn.disassemble_in(line.address, *it).to_string());
    *it = it.after(&insn);
    // The unwinder saves floating-point registers, where there are any; objdump knows their instructions by name.
    (ours != line.text && insn.op != Op::Coproc).then(|| {
        format!(
            "{:x}: {:x}: ours {ours:?}, objdump {:?}",
            line.address, line.raw, line.text
        )
    })
}

#[test]
fn the_compilers_libraries() {
    if objdump_is_missing() {
        return;
    }
    let Some(file) = link_libraries() else {
        eprintln!("skipped: no {GCC} with libraries for ARMv7-M");
        return;
    };
    let lines = list(&file);
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
