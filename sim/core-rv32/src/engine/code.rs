//! Instructions that were decoded, so that each is decoded once.

use bus::Bus;
use isa_rv32::{Extension, Insn, Op, length};
use rustc_hash::FxHashSet;

use crate::config::{Config, Protection, Translation};
use crate::timing::{Kind, Passage};

/// Places, one for each halfword address modulo their number.
const PLACES: usize = 1 << 12;

/// Pieces of 64 bytes, to find out quickly whether a store changes instructions.
const PIECE_BITS: u32 = 6;
const PIECES: usize = 1 << 14;

/// Bytes behind a run whose instructions may have entered the decode stage when its last one turns out to jump.
const BEHIND: u32 = 16;

/// `slli x0, x0, 0x1f` and `srai x0, x0, 7` around an EBREAK make it a semihosting request ("RISC-V Semihosting").
const BEFORE_REQUEST: u32 = 0x01f0_1013;
const BEHIND_REQUEST: u32 = 0x4070_5013;

/// What is at an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decoded {
    pc: u32,
    /// The instruction; `None` if it is illegal.
    pub(super) insn: Option<Insn>,
    /// What the pipeline is told of it.
    pub(super) passage: Passage,
    /// An EBREAK that the host answers.
    pub(super) host: Option<Host>,
}

/// What an EBREAK asks of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Host {
    /// A semihosting request.
    Service,
    /// A breakpoint of a debugger.
    Breakpoint,
}

/// The instructions at some addresses.
#[derive(Clone)]
pub(super) struct Code {
    places: Box<[Option<Decoded>]>,
    /// For each piece of the address space modulo their number whether a run is remembered that has instructions there.
    pieces: Box<[bool]>,
    /// The same without the modulo.
    runs: FxHashSet<u32>,
    /// Instructions of runs changed.
    changed: bool,
    pub(super) debugged: bool,
}

impl Code {
    pub(super) fn new() -> Code {
        Code {
            places: vec![None; PLACES].into_boxed_slice(),
            pieces: vec![false; PIECES].into_boxed_slice(),
            runs: FxHashSet::default(),
            changed: false,
            debugged: false,
        }
    }

    #[inline]
    pub(super) fn at(&mut self, pc: u32, bus: &Bus, config: &Config) -> Decoded {
        let place = place(pc);
        if let Some(known) = self.places[place]
            && known.pc == pc
        {
            return known;
        }
        let decoded = self.read(pc, bus, config);
        self.places[place] = Some(decoded);
        decoded
    }

    /// A store to `address` may have changed instructions: those that begin in its word, or reach into it.
    #[inline]
    pub(super) fn written(&mut self, address: u32) {
        let first = address.wrapping_sub(2) & !1;
        self.changed |= self.is_run(address);
        for pc in [0, 2, 4, 6].map(|offset| first.wrapping_add(offset)) {
            self.places[place(pc)] = None;
        }
    }

    /// Says that a run is remembered that has instructions from `start` to `end`.
    pub(super) fn mark_run(&mut self, start: u32, end: u32) {
        let first = start >> PIECE_BITS;
        let last = end.wrapping_add(BEHIND) >> PIECE_BITS;
        for piece in 0..=last.wrapping_sub(first) {
            let piece = first.wrapping_add(piece);
            self.pieces[piece as usize % PIECES] = true;
            self.runs.insert(piece);
        }
    }

    /// Whether a store to `address` may change a run.
    #[inline]
    pub(super) fn is_run(&self, address: u32) -> bool {
        let piece = address >> PIECE_BITS;
        self.pieces[piece as usize % PIECES] && self.runs.contains(&piece)
    }

    /// Whether runs changed since the last time; then none is remembered any more.
    #[inline]
    pub(super) fn take_changed(&mut self) -> bool {
        let changed = std::mem::take(&mut self.changed);
        if changed {
            self.pieces.fill(false);
            self.runs.clear();
        }
        changed
    }

    pub(super) fn forget(&mut self) {
        self.places.fill(None);
        self.changed = true;
    }

    #[cold]
    fn read(&self, pc: u32, bus: &Bus, config: &Config) -> Decoded {
        let word = |address: u32| {
            let first = half(bus, address)?;
            let second = if length(first) == 4 {
                half(bus, address.wrapping_add(2))?
            } else {
                0
            };
            Some(u32::from(first) | u32::from(second) << 16)
        };
        let insn = word(pc).and_then(|raw| config.decode(raw).ok());
        let is = |address: u32, expected: u32| word(address) == Some(expected);
        let host = insn.filter(|insn| insn.op == Op::Ebreak).and_then(|insn| {
            let requests = insn.size == 4
                && is(pc.wrapping_sub(4), BEFORE_REQUEST)
                && is(pc.wrapping_add(4), BEHIND_REQUEST);
            if requests {
                Some(Host::Service)
            } else {
                self.debugged.then_some(Host::Breakpoint)
            }
        });
        described(pc, insn, half(bus, pc).map_or(4, length), host, config)
    }

    /// The instruction whose halves are at these places: it reaches into a page that is elsewhere.
    #[cold]
    pub(super) fn across(places: [u32; 2], bus: &Bus, config: &Config) -> Decoded {
        let halves = places.map(|place| half(bus, place).unwrap_or_default());
        let raw = match length(halves[0]) {
            4 => u32::from(halves[0]) | u32::from(halves[1]) << 16,
            _ => halves[0].into(),
        };
        let insn = config.decode(raw).ok();
        described(places[0], insn, length(halves[0]), None, config)
    }
}

/// What the pipeline is told of the instruction at `pc`, which takes `size` bytes.
fn described(pc: u32, insn: Option<Insn>, size: u8, host: Option<Host>, config: &Config) -> Decoded {
    let mut passage = insn.map_or_else(
        || Passage {
            size,
            ..Passage::illegal(pc)
        },
        |insn| Passage::new(pc, &insn, config.isa.has(Extension::C)),
    );
    passage.reschedules &= config.translation != Translation::None;
    if config.protection != Protection::VexRiscv {
        passage.protects = 0;
    }
    if host.is_some() {
        passage.kind = Kind::Csr;
    }
    Decoded {
        pc,
        insn,
        passage,
        host,
    }
}

fn half(bus: &Bus, address: u32) -> Option<u16> {
    let mut bytes = [0; 2];
    bus.peek(address, &mut bytes).then(|| u16::from_le_bytes(bytes))
}

fn place(pc: u32) -> usize {
    (pc >> 1) as usize % PLACES
}
