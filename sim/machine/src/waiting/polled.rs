//! A loop that reads a register, and would end if a bit of it were another one.
//!
//! It is found by trying. The program goes on for some thousand instructions: if it then meets no instruction any more that is new, and a
//! register of a device gave the same each time it was read, the program is put back, that register's bits are inverted in what reads
//! give, one after the other, and it goes on again. A bit with which it comes to other instructions is one that it waits for.

use std::collections::{BTreeMap, BTreeSet};

use events::{Event, Flow, Interest, Ranges, Sink};

use super::Waiting;
use crate::crash::Site;
use crate::image::SymbolKind;
use crate::machine::Machine;
use crate::processor;

/// Instructions for which a loop is watched: in the second half there must be none that is new.
const WATCHED: usize = 4096;
/// Instructions that a trial with another bit takes at most.
const TRIED: usize = 1024;
/// Cycles that either takes at most: a memory may be slow.
const CYCLES: u64 = 1 << 17;
/// Registers that are tried.
const MOST_REGISTERS: usize = 4;
/// Instructions of a loop that reads one thing and hardly anything else.
const SMALL: usize = 32;
/// Bits that are named; of more, the value says as much.
const MOST_BITS: usize = 4;

/// A register or variable that a loop polls.
pub(super) struct Polled {
    /// Its name and address: `RCC.CR (0x40021000)`, `flag (0x20000010)`.
    name: String,
    value: u32,
    /// Each with its name, if that is known.
    bits: Vec<(u32, Option<String>)>,
    /// Where it is read.
    site: Site,
    /// Something stands there in the place of hardware.
    is_stand_in: bool,
    /// The register as `--stub` names it, and its address.
    stub: (Option<String>, u32),
}

impl Machine {
    /// The register that the program reads in a loop, and waits for; `None` if it does something else.
    pub(super) fn polled(&mut self) -> Option<Polled> {
        let state = self.processor_mut().snapshot();
        let polled = self
            .observe_loop()
            .and_then(|observed| self.polled_in(&observed, &state));
        let processor = self.processor_mut();
        processor.bus_mut().invert(None);
        processor.rewind(&state);
        polled
    }

    /// The loop that the program is in; `None` if it does not loop.
    fn observe_loop(&mut self) -> Option<LoopTrace> {
        let mut observed = LoopTrace::default();
        let until = self.cycle() + CYCLES;
        self.processor_mut().run(until, &mut observed);
        let is_loop = observed.executed > WATCHED / 64 && observed.newest < observed.executed / 2;
        is_loop.then_some(observed)
    }

    fn polled_in(&mut self, observed: &LoopTrace, state: &processor::Snapshot) -> Option<Polled> {
        let steady: Vec<(u32, Read)> = observed.steady().collect();
        let bus = self.bus();
        // A loop that writes to devices does more than wait.
        if !observed.written.iter().all(|address| bus.is_memory(*address)) {
            return None;
        }
        let (memory, devices): (Vec<_>, Vec<_>) = steady
            .into_iter()
            .partition(|(address, _)| bus.is_memory(*address));
        for &(address, read) in devices.iter().take(MOST_REGISTERS) {
            let bits: Vec<u32> = (0..8 * u32::from(read.size))
                .filter(|bit| self.leaves_with(observed, state, (address, 1 << bit)))
                .collect();
            if !bits.is_empty() {
                return Some(self.polled_at(address, read, &bits));
            }
        }
        if observed.known.len() > SMALL {
            return None;
        }
        // The condition depends on several bits at once, or on no device.
        let variable = memory.into_iter().find(|(address, _)| self.is_variable(*address));
        let (address, read) = *devices.first().or(variable.as_ref())?;
        Some(self.polled_at(address, read, &[]))
    }

    /// Whether the program leaves the loop if these bits of a register are inverted in what reads give.
    fn leaves_with(&mut self, observed: &LoopTrace, state: &processor::Snapshot, bits: (u32, u32)) -> bool {
        let processor = self.processor_mut();
        processor.rewind(state);
        processor.bus_mut().invert(Some(bits));
        let mut trial = Trial {
            known: &observed.known,
            left: TRIED,
            leaves: false,
        };
        let until = processor.cycle() + CYCLES;
        processor.run(until, &mut trial);
        trial.leaves
    }

    /// Whether it is a variable of the program that has a name.
    fn is_variable(&self, address: u32) -> bool {
        let symbol = self.image().symbol_at(address);
        symbol.is_some_and(|(symbol, offset)| symbol.kind == SymbolKind::Object && offset < symbol.size)
    }

    fn polled_at(&self, address: u32, read: Read, bits: &[u32]) -> Polled {
        let (bus, svd) = (self.bus(), self.board().svd());
        let field = |bit| svd.and_then(|svd| svd.field_at(address, bit));
        Polled {
            name: format!("{} ({address:#010x})", self.name_of(address)),
            value: read.value,
            bits: bits
                .iter()
                .map(|&bit| (bit, field(bit).map(str::to_owned)))
                .collect(),
            site: Site::at(self.image(), bus, read.pc),
            is_stand_in: bus.is_stand_in(address),
            stub: (svd.and_then(|svd| svd.stub_at(address, false)), address & !3),
        }
    }

    /// `RCC.CR`; without a name of the register, its offset: `RCC+0x4`. Of a variable, its name.
    fn name_of(&self, address: u32) -> String {
        let bus = self.bus();
        if bus.is_memory(address) {
            return self.image().describe(address).unwrap_or_default();
        }
        if let Some(name) = self.board().svd().and_then(|svd| svd.name_of(address)) {
            return name;
        }
        let Some(region) = bus.region(address) else {
            let own = self
                .cortex_m()
                .and_then(|_| core_cortex_m::Core::system_register(address));
            return own.unwrap_or_else(|| "a register of the core".to_owned());
        };
        match bus.register_name(address) {
            Some(name) => format!("{}.{name}", region.name),
            None => format!("{}+{:#x}", region.name, address - region.base),
        }
    }
}

impl Polled {
    pub(super) fn describe(&self) -> Waiting {
        let Polled {
            name, value, site, ..
        } = self;
        let state = |bit: u32| value >> bit & 1;
        let named = |(bit, name): &(u32, Option<String>)| match name {
            Some(name) => format!("bit {bit} ({name}) stays {}", state(*bit)),
            None => format!("bit {bit} stays {}", state(*bit)),
        };
        let stays = match &self.bits[..] {
            bits @ [_, ..] if bits.len() <= MOST_BITS => {
                let bits: Vec<String> = bits.iter().map(named).collect();
                bits.join(", ")
            }
            _ => format!("it stays {value:#x}"),
        };
        let lines = vec![
            format!("it polls {name}, and {stays}"),
            format!("the read is at {site}"),
        ];
        Waiting {
            lines,
            help: self.is_stand_in.then(|| self.help()),
        }
    }

    fn help(&self) -> String {
        let all = "all bits set and all clear in turn, which ends such a loop";
        match &self.stub {
            (Some(stub), _) => {
                format!("the register is a stub; `--stub {stub}=toggles` makes it read as {all}")
            }
            (None, address) => {
                let end = u64::from(*address) + 4;
                let range = format!("{address:#010x}..{end:#010x}");
                format!(
                    "the range is allowed, not modelled; `--allow {range}=toggles` makes it read as {all}"
                )
            }
        }
    }
}

/// How a register was read last.
#[derive(Clone, Copy, Debug)]
struct Read {
    pc: u32,
    size: u8,
    value: u32,
    /// Each time it was the same.
    is_steady: bool,
    times: usize,
}

/// Instructions, reads and writes of a program in up to [`WATCHED`] instructions.
#[derive(Default)]
struct LoopTrace {
    known: BTreeSet<u32>,
    executed: usize,
    /// How many there were before the last one that was new.
    newest: usize,
    reads: BTreeMap<u32, Read>,
    written: BTreeSet<u32>,
}

impl LoopTrace {
    /// Addresses read more than once, with a constant value, and not written.
    fn steady(&self) -> impl Iterator<Item = (u32, Read)> {
        let reads = self.reads.iter().map(|(address, read)| (*address, *read));
        reads.filter(|(address, read)| read.is_steady && read.times > 1 && !self.written.contains(address))
    }
}

impl Sink for LoopTrace {
    fn interest(&self) -> Interest {
        Interest {
            writes: Ranges::all(),
            reads: Ranges::all(),
            ..Interest::windows()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match *event {
            Event::Retire(retire) => {
                if self.known.insert(retire.pc) {
                    self.newest = self.executed;
                }
                self.executed += 1;
            }
            Event::Read {
                pc,
                address,
                size,
                value,
                ..
            } => {
                let read = self.reads.entry(address).or_insert(Read {
                    pc,
                    size,
                    value,
                    is_steady: true,
                    times: 0,
                });
                read.is_steady &= read.value == value && read.size == size;
                read.times += 1;
            }
            Event::Write { address, .. } => {
                self.written.insert(address);
            }
            // It sleeps now and then.
            Event::Sleep { .. } | Event::Semihosting { .. } => return Flow::Pause,
            _ => {}
        }
        if self.executed < WATCHED {
            Flow::On
        } else {
            Flow::Pause
        }
    }
}

/// A trial with another bit.
struct Trial<'a> {
    known: &'a BTreeSet<u32>,
    left: usize,
    leaves: bool,
}

impl Sink for Trial<'_> {
    fn interest(&self) -> Interest {
        Interest::windows()
    }

    fn event(&mut self, event: &Event) -> Flow {
        match event {
            Event::Retire(retire) => {
                self.left -= 1;
                self.leaves = !self.known.contains(&retire.pc);
                if self.left > 0 && !self.leaves {
                    Flow::On
                } else {
                    Flow::Pause
                }
            }
            // An interrupt is no way out of the loop.
            Event::Enter(_) | Event::Semihosting { .. } => Flow::Pause,
            _ => Flow::On,
        }
    }
}
