//! The harness's input and output. All numbers are little-endian, as the structures of `harness/machine.hpp` have them.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::error::{Context as _, Result, bail, ensure};
use bus::Jitter;
use core_rv32::{Record, Retirement, Taken, Written};
use events::Exception;

use crate::around::Place;
use crate::{Around, Step};

const MAGIC: u32 = 0x4a54_524c;
/// Bytes of a record of the stream.
const RECORD: usize = 32;
/// Bytes of a record of the fetches, of the traps, and of what was written.
const FETCH: usize = 16;
const TRAP: usize = 24;
const WRITTEN: usize = 24;

/// An interrupt line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// One of the 32 external interrupts.
    External(u8),
    /// The machine's timer.
    Timer,
    /// The machine's software interrupt.
    Software,
}

/// A line changes its level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// In this cycle, the first after reset being 0.
    pub cycle: u64,
    /// The line.
    pub line: Line,
    /// Its level from then on.
    pub level: bool,
}

/// A run: memories, how slow they are, and interrupts. By default nothing waits, and nothing interrupts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Job {
    /// Address of the first instruction.
    pub reset_vector: u32,
    /// Address of the memory, a multiple of 4.
    pub base: u32,
    /// Its bytes; their number is a multiple of 4.
    pub memory: Vec<u8>,
    /// Cycles until a transfer is acknowledged; 0 is in the cycle that asks for it.
    pub latency: u32,
    /// Cycles until each further transfer of a burst is acknowledged.
    pub beat: u32,
    /// Further memories, and caches.
    pub around: Around,
    /// Random delays of some transfers.
    pub jitter: Option<Jitter>,
    /// Changes of interrupt lines, by cycle.
    pub changes: Vec<Change>,
    /// The run ends before this cycle at the latest.
    pub limit: u64,
}

/// An instruction that left the last stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retired {
    /// The cycle of its retirement.
    pub cycle: u64,
    /// The address that was fetched in the same cycle.
    pub fetch_pc: u32,
    /// The instruction's address.
    pub pc: u32,
    /// Its encoding, decompressed if it was compressed.
    pub insn: u32,
    /// The register that it wrote, with the value.
    pub written: Option<(u8, u32)>,
    /// The privilege level in that cycle: 3 machine, 1 supervisor, 0 user.
    pub privilege: u8,
    /// The trap that was taken since the instruction before, where the harness sees that.
    pub trap: Option<Exception>,
}

/// The events of a run to record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Records {
    Nothing,
    Retired,
    RetiredAndFetched,
}

impl Records {
    /// A bit for what retires, one for what is fetched.
    fn bits(self) -> u32 {
        match self {
            Records::Nothing => 0,
            Records::Retired => 1,
            Records::RetiredAndFetched => 3,
        }
    }
}

/// The result of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Cycles that it ran.
    pub cycles: u64,
    /// The exit code, if the program ended itself.
    pub exit: Option<u32>,
    /// The retired instructions, in order.
    pub stream: Vec<Retired>,
    /// The addresses that were fetched, if that was asked for.
    pub fetches: Vec<Step>,
    /// The traps that were taken.
    pub traps: Vec<Taken>,
    /// The bus writes.
    pub writes: Vec<Written>,
    /// The program's console output.
    pub console: Vec<u8>,
}

impl Job {
    /// The two halfwords at an address, an instruction if one is there, as they are in the beginning; `None` outside the
    /// memory.
    pub fn word(&self, address: u32) -> Option<u32> {
        let half = |address: u32| {
            let at = |place: &Place| address.wrapping_sub(place.base);
            let place = self.places().find(|place| at(place) < place.size)?;
            let bytes = place
                .bytes
                .get(at(&place) as usize..)
                .and_then(<[u8]>::first_chunk);
            Some(bytes.map_or(0, |bytes| u32::from(u16::from_le_bytes(*bytes))))
        };
        Some(half(address)? | half(address.wrapping_add(2)).unwrap_or_default() << 16)
    }

    /// The job as the harness reads it.
    fn encoded(&self, records: Records) -> Result<Vec<u8>> {
        for place in self.places() {
            ensure!(
                place.base.is_multiple_of(4) && place.size.is_multiple_of(4),
                "memory comes in words"
            );
            ensure!(
                place.bytes.len() <= place.size as usize,
                "more is in a memory than its size"
            );
        }
        let mut bytes = Vec::with_capacity(self.memory.len() + 256);
        let header = [
            MAGIC,
            self.reset_vector,
            1 + self.around.memories.len() as u32,
            self.around.caches.len() as u32,
            self.latency,
            self.beat,
            self.changes.len() as u32,
            records.bits(),
            self.jitter.map_or(0, |jitter| jitter.seed),
            self.jitter.map_or(0, |jitter| jitter.most.into()),
        ];
        bytes.extend(header.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(self.limit.to_le_bytes());
        for change in &self.changes {
            bytes.extend(change.cycle.to_le_bytes());
            bytes.extend(change.line.number().to_le_bytes());
            bytes.extend(u32::from(change.level).to_le_bytes());
        }
        self.encode_memories(&mut bytes);
        Ok(bytes)
    }

    /// Runs `program` in the folder `at`, where it finds what its Verilog reads.
    pub(crate) fn run(&self, program: &Path, at: &Path, records: Records) -> Result<Outcome> {
        let input = self.encoded(records)?;
        let mut child = Command::new(program)
            .current_dir(at)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (Some(mut stdin), Some(mut stdout)) = (stdin, stdout) else {
            bail!("the oracle has no pipes");
        };
        // A pipe holds little: somebody must read while the job is still being written.
        let writer = thread::spawn(move || stdin.write_all(&input));
        let mut output = Vec::new();
        stdout.read_to_end(&mut output)?;
        let written = writer.join();
        ensure!(
            child.wait()?.success() && written.is_ok_and(|result| result.is_ok()),
            "the oracle broke off"
        );
        Outcome::decoded(&output).context("the oracle's answer is cut off")
    }
}

impl Line {
    fn number(self) -> u32 {
        match self {
            Line::External(line) => u32::from(line) & 31,
            Line::Timer => 32,
            Line::Software => 33,
        }
    }
}

impl Outcome {
    /// The core's activity in the model's format.
    pub fn record(self) -> Record {
        Record {
            retired: self.stream.iter().map(Retirement::from).collect(),
            traps: self.traps,
            writes: self.writes,
        }
    }

    fn decoded(bytes: &[u8]) -> Option<Outcome> {
        let (head, rest) = bytes.split_at_checked(56)?;
        let (cycles, exit) = (u64_at(head, 0), u64_at(head, 8));
        let [records, fetched, trapped, wrote, printed] =
            [16, 24, 32, 40, 48].map(|at| u64_at(head, at) as usize);
        let (stream, rest) = rest.split_at_checked(records.checked_mul(RECORD)?)?;
        let (fetches, rest) = rest.split_at_checked(fetched.checked_mul(FETCH)?)?;
        let (traps, rest) = rest.split_at_checked(trapped.checked_mul(TRAP)?)?;
        let (writes, console) = rest.split_at_checked(wrote.checked_mul(WRITTEN)?)?;
        Some(Outcome {
            cycles,
            exit: (exit >> 32 != 0).then_some(exit as u32),
            stream: stream.chunks_exact(RECORD).map(Retired::decoded).collect(),
            fetches: fetches.chunks_exact(FETCH).map(fetch_decoded).collect(),
            traps: traps.chunks_exact(TRAP).map(taken_decoded).collect(),
            writes: writes.chunks_exact(WRITTEN).map(written_decoded).collect(),
            console: console.get(..printed)?.to_vec(),
        })
    }
}

impl From<&Retired> for Retirement {
    fn from(retired: &Retired) -> Retirement {
        let Retired {
            cycle,
            pc,
            written,
            privilege,
            ..
        } = *retired;
        Retirement {
            cycle,
            pc,
            written,
            privilege,
        }
    }
}

impl Retired {
    fn decoded(record: &[u8]) -> Retired {
        let word = |at| u32_at(record, at);
        let (rd, writes, privilege) = (record[24], record[25] != 0, record[26]);
        Retired {
            cycle: u64_at(record, 0),
            fetch_pc: word(8),
            pc: word(12),
            insn: word(16),
            written: (writes && rd != 0).then(|| (rd, word(20))),
            privilege,
            trap: word(28).checked_sub(1).map(trap_decoded),
        }
    }
}

/// The harness adds 16 to the cause of an interrupt.
fn trap_decoded(number: u32) -> Exception {
    let cause = number as u8;
    cause
        .checked_sub(16)
        .map_or(Exception::Trap(cause), Exception::Interrupt)
}

fn taken_decoded(record: &[u8]) -> Taken {
    Taken {
        cycle: u64_at(record, 0),
        cause: u32_at(record, 8),
        epc: u32_at(record, 12),
        value: u32_at(record, 16),
        privilege: record[20],
    }
}

fn written_decoded(record: &[u8]) -> Written {
    Written {
        cycle: u64_at(record, 0),
        address: u32_at(record, 8),
        lanes: record[12],
        value: u32_at(record, 16),
    }
}

fn fetch_decoded(record: &[u8]) -> Step {
    Step {
        cycle: u64_at(record, 0),
        pc: u64_at(record, 8) as u32,
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}
