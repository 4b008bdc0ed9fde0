//! The page of matching words.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::recording::Recording;
use crate::tally::Tally;

/// The kind of data in a memory section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Intervals of the cycle counter.
    Cycles,
    /// Intervals of an event counter of the trace unit.
    Counters,
    /// Registers, flags and memory.
    Values,
}

impl Kind {
    /// Every kind, in the order of the page.
    pub const ALL: [Kind; 3] = [Kind::Cycles, Kind::Counters, Kind::Values];

    /// The kind of a section with this name in the authors' programs.
    pub fn of(name: &str) -> Kind {
        match name {
            "times" | "cyccnt" | "csrs" | "cvrs" => Kind::Cycles,
            _ if name.ends_with("_times") => Kind::Cycles,
            _ if name.ends_with("cnts") || name.ends_with("cnt") => Kind::Counters,
            _ => Kind::Values,
        }
    }
}

/// An archive of recordings.
#[derive(Debug)]
pub struct Row {
    /// The board of its chip.
    pub board: &'static str,
    /// Its path in the authors' repository.
    pub path: String,
    hash: String,
    tallies: [Tally; 3],
    failed: u32,
}

impl Row {
    /// A row with empty tallies.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn new(board: &'static str, path: String, file: &Path) -> Result<Row> {
        let bytes = std::fs::read(file).with_context(|| format!("cannot read {path}"))?;
        let digest = Sha256::digest(&bytes);
        let hash = digest.iter().take(6).fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Ok(Row {
            board,
            path,
            hash,
            tallies: [Tally::default(); 3],
            failed: 0,
        })
    }

    /// The tally of a kind.
    pub fn tally(&mut self, kind: Kind) -> &mut Tally {
        &mut self.tallies[kind as usize]
    }

    /// Counts a recording that did not reach its end: none of its words match.
    pub fn fail(&mut self, recording: &Recording) {
        self.failed += 1;
        for dump in &recording.left {
            self.tally(Kind::of(&dump.name)).miss(dump);
        }
    }
}

/// Writes the page for these archives.
pub fn page(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    text += "\n| board | intervals of the cycle counter | of event counters | values |\n|---|---|---|---|\n";
    let mut boards: Vec<&str> = rows.iter().map(|row| row.board).collect();
    boards.dedup();
    for board in &boards {
        let of_board = rows.iter().filter(|row| row.board == *board);
        let total = of_board.fold([Tally::default(); 3], |mut total, row| {
            total
                .iter_mut()
                .zip(&row.tallies)
                .for_each(|(sum, one)| sum.add(*one));
            total
        });
        let _ = writeln!(
            text,
            "| `{board}` | {} | {} | {} |",
            share(total[0]),
            share(total[1]),
            share(total[2])
        );
    }
    for board in boards {
        let _ = write!(
            text,
            "\n## `{board}`\n\n| archive | SHA-256 | cycles | counters | values |\n|---|---|---|---|---|\n"
        );
        for row in rows.iter().filter(|row| row.board == board) {
            let path = row
                .path
                .trim_start_matches("cmemu-tests/tests/")
                .trim_end_matches(".tzst");
            let [cycles, counters, values] = row.tallies.map(counted);
            let failed = if row.failed == 0 {
                String::new()
            } else {
                format!(" ({} did not end)", row.failed)
            };
            let _ = writeln!(
                text,
                "| {path}{failed} | `{}` | {cycles} | {counters} | {values} |",
                row.hash
            );
        }
    }
    text
}

const HEAD: &str = "# Recordings of silicon

The [CMEmu](https://github.com/mimuw-distributed-systems-group/cmemu) emulator is published with programs and what each of them
left in the memory of a chip: intervals of its cycle counter and of its event counters, registers, memory. `./x others silicon PATH`, with
that repository at `PATH`, runs them on the model and writes this page: how many words are the same, of how many. A recording that
does not come to its end counts as wholly different. Nothing of theirs is part of this repository; the archives are named by the
start of their hash.

The CC2650 and the CC2652 were recorded with the write buffer of the core off (ACTLR.DISDEFWBUF, which an r1p1 as in the STM32F100RB
does not have). Their flash has two wait states, one line, and a cache; of peripherals only what switches these on and off is modelled.

The programs count on that the debugger switched on the trace unit and its counters, as is done here before they start.

What still differs, by kind, the largest first, with the intervals of the cycle counter on the CC2650 and the CC2652:

- An unaligned store to SRAM in several parts: a load from the code bus behind it in flash with its line (the model is 2 shorter: 24), an
  unaligned store behind it in flash without its line (1: 19), and an aligned load behind it in code in SRAM (1: 9) (`ldr_str_unaligned`:
  52 and 25).
- A dependent load in flash without its line, whose next word comes a cycle later (`ldr_ldm_ldmdb_ldrd_deps`: 24 and 32).
- In the flash of the CC2652 with its cache on: what its cache holds differs, in no order that was found (`tbb_tbh_after_ldr`: 172,
  `ldm_ldmdb`, `ldr_ldm_ldmdb_ldrd_same_args_and_rings`).
- Branches that are not taken, two or more in a row (`misspredicted_branch_sequences`: 15 and 12): every other one asks for its target, it
  seems.
- Of smaller kinds, not explained: loads that write back their base, one behind the other (`ldr_writeback_pipelining`: 18 and 7), IT blocks
  that are folded (`it_fold`: 16 and 16, and 16 values, which are addresses of code, on all three chips), loads behind an IT block (`cond_reg_dep`: 6 and 2).
- On the STM32F100RB: runs of 16-bit stores to the SRAM that they come from (`str_imm`, `strb_strh`: 122), where eight of them take 17
  cycles (4, 7, 10, 11, 12, 13, 18, 19, 21, 24, 27 for one to eleven).
- The event counters differ where the cycles do, and where a wide NOP stands behind a store that is held up (`umlal_mla_str_reg_agu_deps`).

Tried, and refuted by some of them:

- The vector of an interrupt waits for every fetch under way, as SVC's does: not for one whose address was given only in the cycle before
  the interrupt is recognised (`interrupt_handler_different_mem`, `systick_exc` with the line: 36).
- Every word of code on the system bus makes room a cycle later, not only the first one of a handler: not in 10 intervals (`it_curse_svc`).
- What an exception returns to is asked for 3 cycles after its address has the bus, not 2: not in 34 intervals (`systick_exc`,
  `interrupt_handler_different_mem`), nor in 1,440 counts of folded instructions (`it_curse_svc`).
- What stands behind a NOP is seen a cycle sooner, or later, than when it is decoded (rule `it-looks`): not in 311 intervals, and not in 159
  (`it_curse_svc`).
- A load behind a store on an r1p1 leaves decode ahead of that one's data phase whatever memory the two are in: not if they are in
  different ones (`ldr_str_timing`: 26).
- What overlaps with a load overlaps with a store that is not buffered: then a load behind one would not win the shared bus from a fetch
  (`ldr_str_timing`: 196).
- An r1p1 drops the target of a conditional branch on the system bus, and makes room for that of any other that an IT block skips: whether
  the bus is free decides, and BX and BLX of another register than LR ask for nothing (`it_and_b_fold`, `it_fold_after_skipped_branch`).
- A load from the code bus does not wait for the data phase of a store to SRAM that is not buffered: so it is in 39 intervals of the
  CC2652, and not in 136 of it and 398 of the CC2650 (`ldr_str_unaligned`, `ldr_str_timing`).
- A store to GPRAM from code in flash has a wait state: then 2,060 intervals would be longer than they are (`str_reg_pipelining`).
- On the system bus a load to PC lets a fetch go first whose address is given in its first cycle: not in 116 intervals (`ldm_ldr_pop_pc`,
  `add_pc`).
- The fetch whose place a target had that is not taken counts as given before that, so that the next branch asks for nothing: then more
  than before differ (`misspredicted_branch_sequences`: 33, `cond_reg_dep`: 7).
- A NOP that overlaps with a store with a register offset counts from that one's second cycle on, however long it is held up: 96 counts
  more are the same (`it_curse_svc`), and 80 fewer (`umlal_mla_str_reg_agu_deps`).
- What is asked for in vain over the system bus (`fetch-in-vain`) is so in the cycle in which it is over the code bus, not a cycle later:
  not in 123 intervals (`ldr_ldm_ldmdb_ldrd_deps`).
- Of a fetch and a data access whose addresses are given in the same cycle, while another fetch is under way, the fetch goes first: not in
  1,018 intervals of stores (`str_reg_pipelining`, `ldr_str_unaligned`, `strb_strh`).
- A jump takes over no fetch of its target's word: not in 128 intervals; nor one that has the bus in the same cycle: not in 32
  (`str_reg_pipelining`). Only out of a write's data phase it does not.
- What waits for another bus is held in decode where the load before it waited for its own bus: not in 87 intervals (`ldr_str_timing`,
  `ldr_two_memories`).
- What fits into a load counts from the cycle behind that in which the load starts, not behind its address: not in 420 counts
  (`umlal_mla_str_reg_agu_deps`, `cbz_after_ldr`, `cond_reg_dep`).
- A load to PC leaves decode ahead of a load from another area, as a load does: not on the CC2652 (`ldr_pc_seq_memory_types`: 14).

Not seen in any of them: that three 32-bit instructions across words take a cycle more soon after a taken branch, as was published of an
STM32 with a Cortex-M4. A rule for it (the fourth word behind a jump makes room a cycle late on the M4) contradicts about 250 intervals
of the CC2652.
";

fn counted(tally: Tally) -> String {
    match tally.words {
        0 => String::new(),
        words if words == tally.same => format!("all {words}"),
        words => format!("{} of {words}", tally.same),
    }
}

fn share(tally: Tally) -> String {
    if tally.words == 0 {
        return String::new();
    }
    // Rounded down, so that 100 % means all.
    let hundredths = tally.same * 10_000 / tally.words;
    format!(
        "{} of {}: {}.{:02} %",
        tally.same,
        tally.words,
        hundredths / 100,
        hundredths % 100
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_whole_only_if_every_word_is_the_same() {
        let of = |same, words| share(Tally { words, same });
        assert_eq!(of(99_999, 100_000), "99999 of 100000: 99.99 %");
        assert_eq!(of(7, 7), "7 of 7: 100.00 %");
        assert_eq!(of(0, 0), "");
    }

    #[test]
    fn a_name_tells_what_a_part_of_memory_holds() {
        let kinds = ["times", "push_times", "lsucnts", "cyccnt", "results"].map(Kind::of);
        assert_eq!(
            kinds,
            [
                Kind::Cycles,
                Kind::Cycles,
                Kind::Counters,
                Kind::Cycles,
                Kind::Values
            ]
        );
    }
}
