//! Each core answers with its own identification, and a row is all that a core needs.

use super::*;
use crate::config::{Config, Options};
use crate::core::Core;
use crate::testing::{config, core_as};

const PPB: u32 = 0xe000_0000;

/// One revision of a core, with all its options.
fn of(kind: CoreKind, revision: &Revision) -> Core {
    core_as(Config {
        core: kind,
        model: Model::of_revision(kind, revision),
        options: Options {
            vtor: kind.may_move_vectors,
            systick: true,
            unprivileged: kind.may_be_unprivileged,
        },
        priority_bits: *kind.architecture.priority_bits.end(),
        irqs: kind.architecture.most_irqs,
        mpu_regions: *kind.mpu_regions.last().unwrap(),
        bit_band: false,
        stack_align: revision.aligns_stack,
        cpuid: kind.cpuid(revision),
        ..config()
    })
}

/// The words from an address on.
fn words<const N: usize>(core: &mut Core, first: u32) -> [u32; N] {
    std::array::from_fn(|index| core.look(first + 4 * index as u32, 4).unwrap())
}

#[test]
fn each_core_has_a_name_of_its_own_and_its_revisions_ascend() {
    for (index, kind) in CoreKind::ALL.into_iter().enumerate() {
        let before = &CoreKind::ALL[..index];
        let same = |other: &CoreKind| other.name == kind.name || other.arm_name == kind.arm_name;
        assert!(!before.iter().any(same), "{kind:?}");
        assert_eq!(CoreKind::named(kind.name), Some(kind));
        assert!(
            kind.revisions
                .windows(2)
                .all(|pair| pair[0].number < pair[1].number)
        );
        for revision in kind.revisions {
            let (variant, patch) = revision.number;
            assert_eq!(revision.name, format!("r{variant}p{patch}"), "{kind:?}");
            assert_eq!(kind.revision(kind.cpuid(revision)).name, revision.name);
        }
    }
}

/// DDI 0432C 4.3.1, DDI 0484C 4.2.1, DDI 0337E and DDI 0337I table 4.3, DDI 0439D table 4-3.
#[test]
fn each_revision_has_its_cpuid() {
    let cpuids = |kind: CoreKind| -> Vec<u32> {
        let all = kind.revisions.iter();
        all.map(|revision| words::<1>(&mut of(kind, revision), 0xe000_ed00)[0])
            .collect()
    };
    assert_eq!(cpuids(CoreKind::CORTEX_M0), [0x410c_c200]);
    assert_eq!(cpuids(CoreKind::CORTEX_M0PLUS), [0x410c_c600, 0x410c_c601]);
    let m3 = [0x410f_c230, 0x411f_c230, 0x411f_c231, 0x412f_c230, 0x412f_c231];
    assert_eq!(cpuids(CoreKind::CORTEX_M3), m3);
    assert_eq!(cpuids(CoreKind::CORTEX_M4), [0x410f_c240, 0x410f_c241]);
    assert_eq!(cpuids(CoreKind::CORTEX_M4F), [0x410f_c240, 0x410f_c241]);
}

/// Part number (low byte) and revision of SCS, DWT, FPB and ITM: Cortex-M3 TRM, DDI 0337E and 0337I; Cortex-M4 TRM, DDI 0439D, tables 8-3,
/// 8-7, 9-1 and 10-1.
#[test]
fn debug_blocks_say_of_which_core_they_are() {
    const BLOCKS: [u32; 4] = [0xe000_e000, 0xe000_1000, 0xe000_2000, 0xe000_0000];
    let plain = [0x00, 0x02, 0x03, 0x01];
    let (first, second) = ([0x1b, 0x1b, 0x0b, 0x1b], [0x0b, 0x3b, 0x2b, 0x3b]);
    for (kind, name, parts, revisions) in [
        (CoreKind::CORTEX_M3, "r1p1", plain, first),
        (CoreKind::CORTEX_M3, "r2p0", plain, second),
        (CoreKind::CORTEX_M3, "r2p1", plain, second),
        (CoreKind::CORTEX_M4, "r0p1", plain, second),
        (CoreKind::CORTEX_M4F, "r0p1", [0x0c, 0x02, 0x03, 0x01], second),
    ] {
        let revision = kind.revisions.iter().find(|revision| revision.name == name);
        let mut core = of(kind, revision.unwrap());
        let blocks = BLOCKS.map(|block| words::<12>(&mut core, block + 0xfd0));
        assert_eq!(blocks.map(|words| words[4]), parts, "{kind:?} {name}");
        assert_eq!(blocks.map(|words| words[6]), revisions, "{kind:?} {name}");
        // Designer Arm, JEP 106 continuation 4, and a component of class 0xe.
        for block in blocks {
            assert_eq!([block[0], block[5]], [0x04, 0xb0]);
            assert_eq!(block[8..], [0x0d, 0xe0, 0x05, 0xb1]);
        }
    }
}

/// `ID_PFR0` to `ID_ISAR4`: Cortex-M4 TRM, DDI 0439D, table 4-1. A Cortex-M3 has no SMLAD and no saturating arithmetic to tell of.
#[test]
fn a_cortex_m4_tells_of_its_own_instructions() {
    const DSP: [(usize, u32); 3] = [(9, 0x0211_2000), (10, 0x2123_2231), (11, 0x0111_1131)];
    for kind in [CoreKind::CORTEX_M4, CoreKind::CORTEX_M4F] {
        let features = words::<13>(&mut of(kind, &kind.revisions[1]), 0xe000_ed40);
        for (index, value) in DSP {
            assert_eq!(features[index], value, "{kind:?}");
        }
    }
    let m3 = CoreKind::CORTEX_M3;
    let features = words::<13>(&mut of(m3, &m3.revisions[4]), 0xe000_ed40);
    for (index, value) in DSP {
        assert_ne!(features[index], value);
    }
}

/// A core that there is not: each of its values is unlike those of every other one.
static DUMMY: CoreRow = CoreRow {
    name: "cortex-m99",
    arm_name: "Cortex-M99",
    part_number: 0xc99,
    revisions: &[Revision {
        name: "r3p2",
        number: (3, 2),
        aligns_stack: false,
        without: &[Rule::FetchInVain],
        features: &[
            0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c,
        ],
        parts: &[(0x21, 5), (0x22, 6), (0x23, 7), (0x24, 8)],
    }],
    mpu_regions: &[0, 16],
    rules: m3::RULES,
    vtor: 0xffff_fc00,
    ..CORTEX_M3_LIKE
};

#[test]
fn a_core_that_is_added_answers_from_its_row_alone() {
    let kind = CoreKind::of(&DUMMY);
    let revision = &kind.revisions[0];
    let mut core = of(kind, revision);
    assert_eq!(words(&mut core, PPB + 0xed00), [0x413f_c992]);
    assert_eq!(words(&mut core, PPB + 0xed40), *revision.features);
    for (block, (part, number)) in [0xe000, 0x1000, 0x2000, 0x0000].into_iter().zip(revision.parts) {
        let identification = words::<12>(&mut core, PPB + block + 0xfd0);
        assert_eq!(
            [identification[4], identification[6]],
            [*part, number << 4 | 0xb],
            "{block:#x}"
        );
    }
    // MPU_TYPE, CCR, ICTR.
    assert_eq!(words(&mut core, PPB + 0xed90), [16 << 8]);
    assert_eq!(words(&mut core, PPB + 0xed14), [0]);
    assert_eq!(words(&mut core, PPB + 0xe004), [7]);
    core.poke(PPB + 0xed08, 4, u32::MAX).unwrap();
    assert_eq!(words(&mut core, PPB + 0xed08), [DUMMY.vtor]);
    assert!(!core.config.model.has(Rule::FetchInVain));
}

/// A chip cannot have more interrupts than there is room for.
#[test]
fn every_interrupt_of_every_core_has_a_place() {
    for kind in CoreKind::ALL {
        let mut core = of(kind, &kind.revisions[0]);
        let last = 16 + kind.architecture.most_irqs - 1;
        core.sys.pend(last);
        assert!(core.sys.exceptions.is_pending(last), "{kind:?}");
        assert!(!core.sys.exceptions.exists(last + 1), "{kind:?}");
    }
}
