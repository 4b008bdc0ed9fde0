//! Cycle counts belong into named rules in `timing/` and `bus`. This test looks for them where instructions, exceptions and registers are
//! implemented.
//!
//! A line is suspect if it adds a number to a time, subtracts one, or states a number of cycles. The few legitimate ones are listed below
//! with their reasons.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that must not contain cycle counts.
const FOLDERS: &[&str] = &[
    "sim/core-cortex-m/src/access",
    "sim/core-cortex-m/src/engine",
    "sim/core-cortex-m/src/exception",
    "sim/core-cortex-m/src/exec",
    "sim/core-cortex-m/src/block",
    "sim/core-cortex-m/src/sys",
    "sim/core-rv32/src/engine",
    "sim/core-rv32/src/exec",
    "sim/core-rv32/src/quirks",
];

/// Legitimate lines: folder, text, and reason.
const REVIEWED: &[(&str, &str, &str)] = &[
    (
        "sim/core-cortex-m/src/block",
        "REQUEST: Cycle = -1",
        "an origin: the cycles of a block are counted from just after the request of its first word",
    ),
    (
        "sim/core-cortex-m/src/block",
        "self.end.wrapping_add(2)",
        "an address",
    ),
    (
        "sim/core-cortex-m/src/engine/interrupted.rs",
        "LONGEST: Cycle = 1 << 14",
        "a bound that decides only whether it is worth asking whether an exception comes in between",
    ),
    (
        "sim/core-cortex-m/src/block/trace.rs",
        "TRANSFER: Cycle = 1 << 8",
        "a bound that decides only whether it is worth asking whether something is due in the middle of a trace",
    ),
    (
        "sim/core-cortex-m/src/engine/memoised.rs",
        "TRANSFER: Cycle = 1 << 8",
        "a bound that decides only whether it is worth asking whether something is due in the middle of an instruction",
    ),
    (
        "sim/core-cortex-m/src/engine/memoised.rs",
        "ABANDONED: Cycle = 1 << 4",
        "a bound that decides only whether the slow path determines when an instruction ends that an exception may abandon",
    ),
    (
        "sim/core-cortex-m/src/access/slow.rs",
        "from = due + 1",
        "no cost: what is due in a cycle was done, and the next one is looked at",
    ),
    (
        "sim/core-cortex-m/src/engine/counters.rs",
        "timing.free - timing.start - 1 + adds",
        "what is counted, not when: the counters leave out the cycle that each instruction takes at least (ARMv7-M ARM C1.8.4)",
    ),
    (
        "sim/core-cortex-m/src/engine/counters.rs",
        "*from = start + 1",
        "what is counted, not when: from the cycle behind one in which an instruction starts",
    ),
    (
        "sim/core-rv32/src/engine",
        "self.issued.wrapping_sub(1)",
        "a number of instructions",
    ),
    (
        "sim/core-rv32/src/engine",
        "self.program.finish(self.cycle - 1, &mut listener)",
        "the last cycle of a run is the one before its end",
    ),
    (
        "sim/core-rv32/src/quirks",
        "csrs.cycle(now).wrapping_add(1)",
        "what is counted, not when: what the counter would have been counted up to",
    ),
    (
        "sim/core-rv32/src",
        "now + 1",
        "the next clock edge of a core that is clocked, and the end of a window whose last cycle this one is",
    ),
    (
        "sim/core-rv32/src/engine",
        "u64::from(last.at) + 1",
        "the end of a window is the cycle behind its last",
    ),
    (
        "sim/core-rv32/src/engine",
        "csrs.cycle_offset.wrapping_sub(1)",
        "what is counted, not when: the counter stands still in a cycle",
    ),
    (
        "sim/core-rv32/src/engine",
        "self.issued += 1",
        "a number of instructions",
    ),
];

/// Words that occur in names of times.
const TIMES: &[&str] = &[
    "access", "at", "clock", "cycle", "deadline", "due", "end", "free", "from", "horizon", "issued",
    "latency", "now", "request", "start", "until", "wait", "waits",
];

/// Text between a time and a number that is added or subtracted.
const ADDED: &[&str] = &[
    " + ",
    " - ",
    " += ",
    " -= ",
    ".saturating_add(",
    ".saturating_sub(",
    ".wrapping_add(",
    ".wrapping_sub(",
    ".checked_add(",
    ".checked_sub(",
];

/// Text before a number of cycles.
const SAID: &[&str] = &["Cycle = ", "Cycle = -", "Cycle::from(", "cycles: "];

fn is_suspect(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let around = |text| code.match_indices(text).map(move |(at, _)| code.split_at(at));
    let added = ADDED
        .iter()
        .flat_map(|&text| around(text).map(move |(before, behind)| (before, &behind[text.len()..])))
        .any(|(before, behind)| is_time(before) && is_number(behind));
    let said = SAID.iter().any(|&text| {
        around(text)
            .map(|(_, behind)| &behind[text.len()..])
            .any(is_number)
    });
    // A rule that is charged a number of cycles: `Rule::Name, 1`.
    let charged = around("Rule::").any(|(_, behind)| {
        let split = behind.split_once(", ");
        split.is_some_and(|(name, number)| !name.contains(['(', ')']) && is_number(number))
    });
    added || said || charged
}

/// Whether the name at the end of this expression is that of a time.
fn is_time(expression: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let expression = expression
        .rsplit_once(" as ")
        .map_or(expression, |(value, behind)| {
            if behind.chars().all(is_name) {
                value
            } else {
                expression
            }
        });
    let expression = expression.trim_end_matches(|c| !is_name(c));
    let name = expression.rsplit(|c| !is_name(c)).next().unwrap_or_default();
    name.split('_').any(|word| TIMES.contains(&word))
}

/// Whether the text starts with a plain number other than 0.
fn is_number(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_');
    let (digits, behind) = text.split_at(end.unwrap_or(text.len()));
    let number: Result<u64, _> = digits.replace('_', "").parse();
    number.is_ok_and(|number| number != 0) && !behind.starts_with(" *")
}

/// The sources in a folder and in the file of the same name, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    found.extend(Some(folder.with_extension("rs")).filter(|file| file.exists()));
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap_or_default();
        if name == "tests" {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn numbers_of_cycles_are_named_rules() {
    let root = xtask::root();
    let mut found = Vec::new();
    for folder in FOLDERS {
        let before = found.len();
        sources(&root.join(folder), &mut found);
        assert!(found.len() > before, "no sources in {folder}");
    }
    found.sort();
    found.dedup();
    let mut unused: Vec<_> = REVIEWED.iter().collect();
    let mut others = String::new();
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let place = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
        // Tests at the end of a file may state expected cycles.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate() {
            let mut left = line.trim().to_owned();
            for (_, text, _) in REVIEWED.iter().filter(|(folder, ..)| place.starts_with(folder)) {
                unused.retain(|(_, reviewed, _)| reviewed != text || !left.contains(text));
                left = left.replace(text, "");
            }
            if is_suspect(&left) {
                writeln!(others, "{place}:{}: {}", number + 1, line.trim()).unwrap();
            }
        }
    }
    assert!(
        others.is_empty(),
        "give the number a name in timing/, or say in this test why it is no rule:\n{others}"
    );
    assert!(unused.is_empty(), "reviewed, but no longer there: {unused:#?}");
}

#[test]
fn what_it_looks_for_is_found() {
    for line in [
        "self.leave_for(number, timing.start + 1, op.pc, op.it, sink)",
        "let request = vector_at + 1 + supply.fetch(vector >> 2, vector_at);",
        "self.carry_trap(timing, before, Rule::Exceptional, 1);",
        "const DELAY: Cycle = 3;",
        "end += 2;",
        "let due = now.saturating_add(12);",
        "self.to = u64::from(last.at) + 2;",
        "let end = self.next_due() - 1;",
        "self.cycle = timing.free as u64 + 1;",
        "costs.add(Rule::Halt, 1_000);",
    ] {
        assert!(is_suspect(line), "{line}");
    }
    for line in [
        "index + 1",
        "let pc = op.pc.wrapping_add(4);",
        "let end = timing.start + Latencies::EXCEPTIONAL; // + 1",
        "let basic = self.latencies().entry(0, 0, 0);",
        "costs.add(Rule::WaitStates, waits as u32);",
        "now - 0",
        "let last = op.pc.wrapping_add(u32::from(op.size) - 1);",
        "self.sys.vector_table().wrapping_add(4 * u32::from(number))",
    ] {
        assert!(!is_suspect(line), "{line}");
    }
}
