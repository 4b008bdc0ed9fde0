//! The handling of illegal instructions in `VexRiscv`'s decode stage. It looks at a few bits, which illegal instructions have too. Until
//! its exception removes it, such an instruction waits for registers, is predicted to jump, or flushes the instruction cache. Source:
//! `decode_RS1_USE`, `decode_RS2_USE`, `decode_BRANCH_CTRL` and `decode_FLUSH_ALL` in its Verilog, which are the same functions in all
//! variants except where noted here.

use isa_rv32::{Extension, length};

use crate::config::{Config, Family, Timing};
use crate::timing::InFlight;

/// Whether some bits of an instruction have a value, of any of these.
fn is_any(raw: u32, patterns: &[(u32, u32)]) -> bool {
    patterns.iter().any(|&(mask, value)| raw & mask == value)
}

/// An illegal instruction at `pc`, of `size` bytes.
pub(crate) fn in_flight(config: &Config, raw: u32, size: u8, pc: u32) -> InFlight {
    let plain = InFlight {
        size,
        ..InFlight::illegal(pc)
    };
    let is_vexriscv = config.family == Family::VexRiscv && config.timing != Some(Timing::PicoRv32);
    // The decompressor turns a compressed instruction that it does not know into nothing.
    if !is_vexriscv || length(raw as u16) != 4 {
        return plain;
    }
    let [rs1, rs2] = [15, 20].map(|place| (raw >> place & 31) as u8);
    let has_lines = matches!(
        config.timing,
        Some(Timing::Lite | Timing::Cached | Timing::Compressed | Timing::Precursor)
    );
    InFlight {
        reads: [
            if reads_first(raw, config) { rs1 } else { 0 },
            if reads_second(raw, config) { rs2 } else { 0 },
        ],
        flushes: has_lines && flushes(raw, config),
        predicted: predicted(raw, pc, config).filter(|_| has_lines),
        ..plain
    }
}

fn reads_first(raw: u32, config: &Config) -> bool {
    let patterns = [(0x44, 0), (0x18, 0), (0x6004, 0x2000), (0x5004, 0x1000)];
    let reserves = config.isa.has(Extension::Zalrsc) && is_any(raw, &[(0x2050, 0x2000)]);
    is_any(raw, &patterns) || reserves
}

fn reads_second(raw: u32, config: &Config) -> bool {
    let reserves = config.isa.has(Extension::Zalrsc) && is_any(raw, &[(0x0800_0070, 0x0800_0020)]);
    let modifies = config.isa.has(Extension::Zaamo) && is_any(raw, &[(0x1000_0070, 0x20)]);
    is_any(raw, &[(0x34, 0x20), (0x64, 0x20)]) || reserves || modifies
}

fn flushes(raw: u32, config: &Config) -> bool {
    let mask = if config.timing == Some(Timing::Lite) {
        0x1048
    } else {
        0x5048
    };
    raw & mask == 0x1008
}

/// The predicted target: of JAL, or of a backward branch.
fn predicted(raw: u32, pc: u32, config: &Config) -> Option<u32> {
    let bits = |low: u32, count: u32| raw >> low & ((1 << count) - 1);
    let sign = (raw as i32 >> 31) as u32;
    let offset = match raw & 0x7f {
        0x07 | 0x27 | 0x4b | 0x4f | 0x5b | 0x5f | 0x6b | 0x7b | 0x7f => {
            sign << 20 | bits(12, 8) << 12 | bits(20, 1) << 11 | bits(21, 10) << 1
        }
        0x43 | 0x63 if sign != 0 => sign << 12 | bits(7, 1) << 11 | bits(25, 6) << 5 | bits(8, 4) << 1,
        _ => return None,
    };
    let target = pc.wrapping_add(offset);
    (config.isa.has(Extension::C) || target & 2 == 0).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ibex::IBEX;
    use crate::vexriscv::{FULL, LINUX, LITE, MIN};

    #[test]
    fn an_illegal_instruction_waits_jumps_and_flushes_by_its_bits() {
        // flw f4,344(x17): by its bits a jump, which reads x17.
        let load = in_flight(&FULL, 0x1588_9207, 4, 0x100);
        assert_eq!(load.reads, [17, 0]);
        assert_eq!(load.predicted, Some(0x100_u32.wrapping_add(0x8_9158)));
        assert_eq!(in_flight(&MIN, 0x1588_9207, 4, 0x100).predicted, None);
        assert_eq!(in_flight(&IBEX, 0x1588_9207, 4, 0x100).reads, [0, 0]);
        // A branch backward of an unknown condition.
        assert_eq!(in_flight(&FULL, 0xfe20_aee3, 4, 0x100).predicted, Some(0xfc));
        // In the opcode of FENCE.I, on LITE also that of LiteX's flush of the data cache.
        assert!(in_flight(&FULL, 0x0000_300f, 4, 0).flushes);
        assert!(!in_flight(&FULL, 0x0000_500f, 4, 0).flushes);
        assert!(in_flight(&LITE, 0x0000_500f, 4, 0).flushes);
        // An atomic operation that is not there.
        assert_eq!(in_flight(&LINUX, 0x0a30_b02f, 4, 0).reads, [1, 3]);
        assert_eq!(in_flight(&FULL, 0x0a30_b02f, 4, 0).reads, [0, 0]);
    }
}
