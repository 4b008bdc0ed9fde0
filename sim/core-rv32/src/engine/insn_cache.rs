//! Instructions that were decoded, so that each is decoded once.

use bus::Bus;
use exec::CodeMap;
use isa_rv32::{Extension, Insn, Op, length};

use crate::config::{Config, Protection, Timing, Translation};
use crate::quirks::undecoded;
use crate::timing::{InFlight, Kind};

/// Places, one for each halfword address modulo their number.
const PLACES: usize = 1 << 12;

/// `slli x0, x0, 0x1f` and `srai x0, x0, 7` around an EBREAK make it a semihosting request ("RISC-V Semihosting").
const BEFORE_REQUEST: u32 = 0x01f0_1013;
const BEHIND_REQUEST: u32 = 0x4070_5013;

/// A decoded instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct DecodedInsn {
    pc: u32,
    /// When it was decoded.
    epoch: u32,
    /// The instruction; `None` if it is illegal.
    pub(super) insn: Option<Insn>,
    /// The pipeline's view of it.
    pub(super) in_flight: InFlight,
    /// An EBREAK that the host answers.
    pub(super) host: Option<HostRequest>,
}

/// The request of an EBREAK to the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HostRequest {
    /// A semihosting request.
    Service,
    /// A breakpoint of a debugger.
    Breakpoint,
}

/// The instructions at some addresses.
#[derive(Clone)]
pub(super) struct InsnCache {
    places: Box<[Option<DecodedInsn>]>,
    /// The words that were decoded, including those only fetched after a jump.
    words: CodeMap,
    /// Number of the current decoding; entries of earlier epochs are invalid.
    epoch: u32,
    /// Instructions changed.
    changed: bool,
    pub(super) debugged: bool,
}

impl InsnCache {
    pub(super) fn new() -> InsnCache {
        InsnCache {
            places: vec![None; PLACES].into_boxed_slice(),
            words: CodeMap::default(),
            epoch: 0,
            changed: false,
            debugged: false,
        }
    }

    #[inline]
    pub(super) fn at(&mut self, pc: u32, bus: &Bus, config: &Config) -> DecodedInsn {
        let place = place(pc);
        if let Some(known) = self.places[place]
            && known.pc == pc
            && known.epoch == self.epoch
        {
            return known;
        }
        let decoded = self.read(pc, bus, config);
        self.mark(&decoded, bus);
        self.places[place] = Some(decoded);
        decoded
    }

    /// A store to `address` may have changed instructions.
    #[inline]
    pub(super) fn written(&mut self, address: u32) {
        // A misaligned address may reach into the next word.
        let reaches = address & 3 != 0 && self.is_code(address.wrapping_add(3));
        if reaches || self.is_code(address) {
            self.forget();
        }
    }

    /// Marks the words of an instruction, and of what else was looked at for it.
    fn mark(&mut self, decoded: &DecodedInsn, bus: &Bus) {
        let (pc, size) = (decoded.pc, u32::from(decoded.in_flight.size));
        if decoded.insn.is_some_and(|insn| insn.op == Op::Ebreak) {
            self.mark_word(pc.wrapping_sub(4), bus);
            self.mark_word(pc.wrapping_add(7), bus);
        }
        self.mark_word(pc, bus);
        self.mark_word(pc.wrapping_add(size - 1), bus);
    }

    fn mark_word(&mut self, address: u32, bus: &Bus) {
        self.words.mark(address, word_at(bus, address & !3));
    }

    /// Whether a store to `address` may change an instruction that was decoded.
    #[inline]
    pub(super) fn is_code(&self, address: u32) -> bool {
        self.words.contains(address)
    }

    /// Whether instructions changed since the last time; then no run is remembered any more.
    #[inline]
    pub(super) fn take_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// Instructions may be others now.
    pub(super) fn forget(&mut self) {
        self.epoch += 1;
        self.words.clear();
        self.changed = true;
    }

    /// Memory was put back to what it was at some time.
    pub(super) fn check(&mut self, bus: &Bus) {
        if !self.words.is_same(|address| word_at(bus, address)) {
            self.forget();
        }
    }

    #[cold]
    fn read(&self, pc: u32, bus: &Bus, config: &Config) -> DecodedInsn {
        let word = |address: u32| {
            let first = half(bus, address)?;
            let second = if length(first) == 4 {
                half(bus, address.wrapping_add(2))?
            } else {
                0
            };
            Some(u32::from(first) | u32::from(second) << 16)
        };
        let raw = word(pc).unwrap_or_default();
        let insn = word(pc).and_then(|raw| config.decode(raw).ok());
        let is = |address: u32, expected: u32| word(address) == Some(expected);
        let host = insn.filter(|insn| insn.op == Op::Ebreak).and_then(|insn| {
            let requests = insn.size == 4
                && is(pc.wrapping_sub(4), BEFORE_REQUEST)
                && is(pc.wrapping_add(4), BEHIND_REQUEST);
            if requests {
                Some(HostRequest::Service)
            } else {
                self.debugged.then_some(HostRequest::Breakpoint)
            }
        });
        let size = half(bus, pc).map_or(4, length);
        described((pc, self.epoch), insn, (raw, size), host, config)
    }

    /// The instruction whose halves are at these places: it reaches into a page that is elsewhere.
    #[cold]
    pub(super) fn across(&mut self, places: [u32; 2], bus: &Bus, config: &Config) -> DecodedInsn {
        for place in places {
            self.mark_word(place, bus);
        }
        let halves = places.map(|place| half(bus, place).unwrap_or_default());
        let raw = match length(halves[0]) {
            4 => u32::from(halves[0]) | u32::from(halves[1]) << 16,
            _ => halves[0].into(),
        };
        let insn = config.decode(raw).ok();
        described((places[0], 0), insn, (raw, length(halves[0])), None, config)
    }
}

/// The pipeline's view of the instruction at `pc` with `size` bytes.
fn described(
    (pc, epoch): (u32, u32),
    insn: Option<Insn>,
    (raw, size): (u32, u8),
    host: Option<HostRequest>,
    config: &Config,
) -> DecodedInsn {
    let mut in_flight = insn.map_or_else(
        || undecoded::in_flight(config, raw, size, pc),
        |insn| InFlight::new(pc, &insn, config.isa.has(Extension::C)),
    );
    let is_precursor = config.timing == Some(Timing::Precursor);
    in_flight.reschedules &= config.translation != Translation::None && !is_precursor;
    if is_precursor && insn.is_some_and(|insn| insn.op == Op::Ebreak) {
        in_flight.kind = Kind::Call;
    }
    if config.protection != Protection::VexRiscv {
        in_flight.protects = 0;
    }
    if host.is_some() {
        in_flight.kind = Kind::Csr;
    }
    DecodedInsn {
        pc,
        epoch,
        insn,
        in_flight,
        host,
    }
}

fn word_at(bus: &Bus, address: u32) -> u32 {
    bus.peek_word(address).unwrap_or_default()
}

fn half(bus: &Bus, address: u32) -> Option<u16> {
    let mut bytes = [0; 2];
    bus.peek(address, &mut bytes).then(|| u16::from_le_bytes(bytes))
}

fn place(pc: u32) -> usize {
    (pc >> 1) as usize % PLACES
}
