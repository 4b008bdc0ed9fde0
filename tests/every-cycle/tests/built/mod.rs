//! Builds the swept programs, with the kernel unchanged or with a planted bug.

#![allow(dead_code)] // Each of the two tests uses its part.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use every_cycle::Line;
use machine::{Board, Image};
use xtask::cross::Cross;
use xtask::{firmware, root, target_dir};

/// The price list's reference board.
pub(crate) fn board() -> Board {
    Board::find("stm32f100rb").expect("a board of the repository")
}

/// A set of programs to sweep: their sources, target and board.
#[derive(Clone, Copy)]
pub(crate) struct Set {
    scenario: &'static str,
    target: &'static str,
    /// Common prefix of the programs' names.
    prefix: &'static str,
    board: &'static str,
}

/// Tasks on the price list's reference board.
pub(crate) const V7: Set = Set {
    scenario: "firmware/scenarios/tasks/mainspring",
    target: "thumbv7m-none-eabi",
    prefix: "tasks-mainspring-sweep-",
    board: "stm32f100rb",
};

/// Tasks on ARMv6-M, without BASEPRI, LDREX and STREX.
pub(crate) const V6: Set = Set {
    target: "thumbv6m-none-eabi",
    board: "samd20",
    ..V7
};

/// Tasks with a floating-point unit.
pub(crate) const V7_FLOAT: Set = Set {
    target: "thumbv7em-none-eabihf",
    board: "stm32f411",
    ..V7
};

/// Tasks on a core whose interrupt levels are bits of its own mask register.
pub(crate) const VEXRISCV: Set = Set {
    scenario: "firmware/scenarios/tasks-rv32/mainspring",
    target: "riscv32im-unknown-none-elf",
    prefix: "tasks-rv32-mainspring-sweep-",
    board: "vexriscv-full",
};

/// Tasks on a core whose interrupt levels are the bits of `mie`.
pub(crate) const IBEX: Set = Set {
    target: "riscv32imc-unknown-none-elf",
    board: "ibex",
    ..VEXRISCV
};

/// Tasks behind a PLIC, with the mask in a word of memory.
pub(crate) const PLIC: Set = Set {
    scenario: "firmware/scenarios/tasks-rv32/plic",
    target: "riscv32imac-unknown-none-elf",
    board: "virt",
    ..VEXRISCV
};

/// CMSIS-RTOS2 programs in C, with a floating-point unit.
pub(crate) const CMSIS: Set = Set {
    scenario: "firmware/scenarios/threads/cmsis",
    prefix: "cmsis-",
    ..V7_FLOAT
};

/// CMSIS-RTOS2 programs on ARMv6-M, without BASEPRI.
pub(crate) const CMSIS_V6: Set = Set {
    scenario: CMSIS.scenario,
    prefix: CMSIS.prefix,
    ..V6
};

/// Threads with a timer, on a core with a CLINT.
pub(crate) const VEXRISCV_CLINT: Set = Set {
    scenario: "firmware/scenarios/threads/mainspring-rv32",
    target: "riscv32im-unknown-none-elf",
    prefix: "threads-rv32-mainspring-sweep-",
    board: "firmware/scenarios/threads/ticks/board.toml",
};

/// Threads with a timer, on Ibex with a CLINT.
pub(crate) const IBEX_CLINT: Set = Set {
    target: "riscv32imc-unknown-none-elf",
    board: "firmware/scenarios/threads/mainspring-rv32/ibex.toml",
    ..VEXRISCV_CLINT
};

/// Processes, on a core with memory protection.
pub(crate) const MESSAGES: Set = Set {
    scenario: "firmware/scenarios/messages/rv32",
    target: "riscv32im-unknown-none-elf",
    prefix: "messages-mainspring-",
    board: "vexriscv-secure",
};

/// Processes with page tables.
pub(crate) const MESSAGES_PAGES: Set = Set {
    prefix: "messages-mainspring-pages-",
    board: "vexriscv-linux",
    ..MESSAGES
};

/// Processes on a core that follows the manual, as `VexRiscv` does not: with PMP, and with page tables.
pub(crate) const MESSAGES_MANUAL: Set = Set {
    prefix: "messages-mainspring-manual-",
    board: "virt",
    ..MESSAGES
};
pub(crate) const MESSAGES_MANUAL_PAGES: Set = Set {
    prefix: "messages-mainspring-manual-pages-",
    ..MESSAGES_MANUAL
};

/// Processes on a core whose table entries only SFENCE.VMA flushes.
pub(crate) const MESSAGES_FENCED: Set = Set {
    board: "precursor",
    ..MESSAGES
};

/// Processes with an MPU.
pub(crate) const MESSAGES_V7: Set = Set {
    scenario: "firmware/scenarios/messages/cortex-m",
    target: "thumbv7m-none-eabi",
    board: "lm3s6965evb",
    ..MESSAGES
};

/// Processes with an MPU and a floating-point unit.
pub(crate) const MESSAGES_V7_FLOAT: Set = Set {
    target: "thumbv7em-none-eabihf",
    board: "firmware/scenarios/messages/float.toml",
    ..MESSAGES_V7
};

impl Set {
    /// The set's board.
    pub(crate) fn board(self) -> Board {
        let file = root().join(self.board);
        let board = if file.is_file() {
            file.to_str().expect("text")
        } else {
            self.board
        };
        Board::find(board).expect("a board of the repository")
    }

    /// The set with its board and its programs.
    pub(crate) fn whole(self) -> (Self, Board, Programs) {
        (self, self.board(), self.programs())
    }

    /// Whether its interrupts are levels.
    pub(crate) fn has_lines(self) -> bool {
        self.target.starts_with("riscv32")
    }

    /// The programs with the unchanged kernel.
    pub(crate) fn programs(self) -> Programs {
        // The folder that `./x firmware` builds into, so that nothing is built twice.
        build(
            self,
            &root().join(self.scenario),
            &firmware::folder().join("build"),
            &[],
        )
        .1
    }

    /// A program compiled at another optimisation level.
    pub(crate) fn at_level(self, level: &str, program: &str) -> Arc<Image> {
        let wanted = format!("{}{program}", self.prefix);
        let profile = format!("profile.release.opt-level={level}");
        let more = ["--config", &profile, "--bin", &wanted];
        let folder = target_dir().join("every-cycle/build-at").join(level);
        let (_alone, programs) = build(self, &root().join(self.scenario), &folder, &more);
        programs.image(program)
    }

    /// A program with every `old` in one file of the kernel replaced by `new`.
    pub(crate) fn with_bug(self, bug: &str, program: &str, file: &str, old: &str, new: &str) -> Arc<Image> {
        let copy = target_dir().join("every-cycle").join(bug);
        copy_sources(&copy);
        let path = copy.join(file);
        let text = fs::read_to_string(&path).expect("the kernel has this file");
        assert!(
            text.contains(old),
            "{file} no longer contains {old:?}: plant the bug anew"
        );
        fs::write(&path, text.replace(old, new)).expect("the copy can be written");
        let wanted = format!("{}{program}", self.prefix);
        // Copies share all builds but the kernel's. The next copy builds its program in the same place.
        let folder = target_dir().join("every-cycle/build");
        let (_alone, programs) = build(self, &copy.join(self.scenario), &folder, &["--bin", &wanted]);
        programs.image(program)
    }

    /// The lines of the RV32 programs' competing tasks, as the board names them.
    pub(crate) fn lines(self) -> Vec<Line> {
        let named: &[(&str, u32)] = match self.board {
            _ if self.prefix == VEXRISCV_CLINT.prefix => &[("IRQ8", 11)],
            "ibex" => &[("IRQ8", 11), ("MachineSoft", 3), ("MachineTimer", 7)],
            _ => &[("IRQ8", 8), ("IRQ9", 9), ("IRQ10", 10)],
        };
        let line = |&(name, number): &(&str, u32)| Line {
            input: self.board().exception(name).expect("an input of the board"),
            number,
        };
        named.iter().map(line).collect()
    }
}

/// Built programs.
pub(crate) struct Programs(Vec<PathBuf>, &'static str);

impl Programs {
    /// The program whose name is the set's prefix and `name`.
    pub(crate) fn image(&self, name: &str) -> Arc<Image> {
        let wanted = format!("{}{name}", self.1);
        let path = self
            .0
            .iter()
            .find(|path| path.file_name().is_some_and(|name| *name == *wanted));
        Arc::new(Image::load(path.expect("the program is one of the scenarios")).expect("an ELF file"))
    }
}

/// The programs with the unchanged kernel, on the price list's reference board.
pub(crate) fn programs() -> Programs {
    V7.programs()
}

/// Builds into a folder. The returned guard keeps other threads from building.
fn build(set: Set, scenario: &Path, folder: &Path, more: &[&str]) -> (MutexGuard<'static, ()>, Programs) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let cross = Cross::choose().expect("a compiler for the target");
    // Sweeps do not need the programs that are for ARMv7-M alone.
    let mut more = more.to_vec();
    if set.target == V6.target {
        more.push("--no-default-features");
    }
    let built = firmware::build_workspace_for(cross, scenario, set.target, &more, folder);
    (alone, Programs(built.expect("the programs compile"), set.prefix))
}

/// Copies the kernel and the scenarios, with the same relative paths.
fn copy_sources(to: &Path) {
    for folder in [
        "kernel/core",
        "kernel/mainspring",
        V7.scenario,
        VEXRISCV.scenario,
        PLIC.scenario,
    ] {
        copy_folder(&root().join(folder), &to.join(folder));
    }
    for file in [
        "firmware/scenarios/tasks/common.rs",
        "firmware/scenarios/tasks/event.rs",
        "firmware/scenarios/tasks/scenario.x",
        "firmware/scenarios/tasks-rv32/build.rs",
        "firmware/scenarios/tasks-rv32/common.rs",
        "firmware/scenarios/tasks-rv32/memory.x",
        "firmware/examples/virt/src/plic.rs",
        "firmware/.cargo/config.toml",
    ] {
        copy_file(&root().join(file), &to.join(file));
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has a manifest");
    let (head, tail) = manifest.split_once("members = [").expect("with members");
    let (_, tail) = tail.split_once(']').expect("in brackets");
    let members = "members = [\"kernel/core\", \"kernel/mainspring\"]";
    fs::write(to.join("Cargo.toml"), format!("{head}{members}{tail}")).expect("the copy can be written");
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in from.read_dir().expect("a folder of the repository").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy_folder(&from, &to);
        } else {
            copy_file(&from, &to);
        }
    }
}

/// Skips identical files, so that cargo need not rebuild them.
fn copy_file(from: &Path, to: &Path) {
    let bytes = fs::read(from).expect("a file of the repository");
    if fs::read(to).is_ok_and(|present| present == bytes) {
        return;
    }
    fs::create_dir_all(to.parent().expect("inside a folder")).expect("the copy can be written");
    fs::write(to, bytes).expect("the copy can be written");
}
