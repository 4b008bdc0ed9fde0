//! Assembles a check and interprets its result.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use core_rv32::Config;

use super::core::{instructions, symbols};

/// Address of the first instruction, a start address that every core supports.
pub(super) const ENTRY: u32 = 0x80;
/// Memory size in bytes.
const MEMORY: usize = 0x1_0000;
/// Added to the exit code if an unexpected trap occurred.
const TRAPPED: u32 = 0x1_0000;

/// The environment of the core.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Surroundings {
    /// Memory at 0, and the harness's ports.
    Harness,
    /// QEMU's machine `virt`.
    Virt,
}

/// A check assembled for a core.
pub(super) struct Assembled {
    pub(super) elf: PathBuf,
    pub(super) memory: Vec<u8>,
}

/// The folder of the checks.
pub(super) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../firmware/rv32/checks")
}

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{errors}");
    output.stdout
}

fn tool(name: &str) -> Command {
    Command::new(format!("riscv64-unknown-elf-{name}"))
}

/// Whether the assembler is installed; otherwise reports that the test is skipped.
pub(super) fn can_assemble() -> bool {
    let missing = tool("as").arg("--version").output();
    let missing = missing.is_err_and(|error| error.kind() == ErrorKind::NotFound);
    if missing {
        skipped::skip("no riscv64-unknown-elf-as");
    }
    !missing
}

impl Assembled {
    /// Assembles the source into an ELF file in a test folder for this core.
    pub(super) fn new(source: &Path, config: &Config, around: Surroundings) -> Assembled {
        let (folder, base, virt) = match around {
            Surroundings::Harness => (config.name, "0", 0),
            Surroundings::Virt => ("virt", "0x80000000", 1),
        };
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checks").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let file = |ending| folder.join(source.with_extension(ending).file_name().expect("a file"));
        let [object, elf, binary] = ["o", "elf", "bin"].map(file);
        let place = [format!("BASE={base}"), format!("VIRT={virt}")];
        let symbols = symbols(config).chain(place);
        run(tool("as")
            .arg("-g")
            .args(instructions(config))
            .args(symbols.flat_map(|symbol| ["--defsym".into(), symbol]))
            .arg("-I")
            .arg(sources())
            .arg("-o")
            .args([&object, source]));
        run(tool("ld")
            .args(["-melf32lriscv", "-Ttext", base, "-N", "-o"])
            .args([&elf, &object]));
        run(tool("objcopy")
            .args(["-O", "binary", "-j", ".text"])
            .args([&elf, &binary]));
        let mut memory = std::fs::read(binary).unwrap();
        assert!(memory.len() <= MEMORY, "{} is too large", source.display());
        memory.resize(MEMORY, 0);
        Assembled { elf, memory }
    }

    /// Source line of a case, as `nm` reports it for the case's symbol.
    fn line(&self, case: u32) -> String {
        let symbols = run(tool("nm").arg("-l").arg(&self.elf));
        let symbols = String::from_utf8_lossy(&symbols);
        let label = format!("case_{case}");
        let line = symbols.lines().find_map(|symbol| {
            let (symbol, line) = symbol.split_once('\t')?;
            symbol.ends_with(&format!(" {label}")).then_some(line)
        });
        let Some((file, line)) = line.and_then(|line| line.rsplit_once(':')) else {
            return "before the first case".into();
        };
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let number: usize = line.parse().unwrap_or_default();
        let text = text.lines().nth(number.saturating_sub(1)).unwrap_or_default();
        let name = Path::new(file).file_name().unwrap_or_default().display();
        format!("{name}:{line}: {}", text.trim())
    }

    /// Interprets an exit code; `Ok` if every case passed.
    pub(super) fn verdict(&self, exit: Option<u32>) -> Result<(), String> {
        match exit {
            Some(0) => Ok(()),
            None => Err("no end".into()),
            Some(code) if code & TRAPPED != 0 => {
                let case = code & !TRAPPED;
                Err(format!("case {case}: a trap, {}", self.line(case)))
            }
            Some(case) => Err(format!("case {case}: {}", self.line(case))),
        }
    }
}
