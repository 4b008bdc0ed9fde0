//! The table of cores: a row holds all that sets a Cortex-M apart from the others, but for its rules and its pipeline, which its row
//! names. Nothing else asks which core it is.

pub(crate) mod actlr;
mod architecture;
pub(crate) mod id;
mod measured;
pub(crate) mod number;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use events::RuleBook;
use isa_thumb::Isa;

use crate::timing::{Latencies, Model, Pipeline, Rule, RuleSet, flash, m0, m0plus, m3, m4};

use architecture::{V6M, V7M};
use id::Part;

pub(crate) use actlr::Auxiliary;
pub use architecture::Architecture;
pub(crate) use architecture::{BASIC_FRAME, ExcReturn, MpuLayout, RegisterMap};
pub use measured::Silicon;

/// The description of a core.
#[derive(Debug)]
pub struct CoreRow {
    /// Its name as boards and results write it.
    pub name: &'static str,
    /// Its name as Arm writes it; compilers and SVD files write it so too, with or without `Cortex-M`, in any case.
    pub arm_name: &'static str,
    /// The Rust targets whose programs it runs, among those that firmware is built for; the best one first.
    pub targets: &'static [&'static str],
    /// The instructions that it has.
    pub isa: Isa,
    /// Its architecture.
    pub architecture: &'static Architecture,
    /// The part number of its CPUID, bits 15 to 4.
    pub part_number: u32,
    /// The revisions that Arm made, oldest first (its Technical Reference Manual, "Product revisions").
    pub revisions: &'static [Revision],
    /// How many regions its MPU may have; 0 is none.
    pub mpu_regions: &'static [u8],
    /// Whether VTOR may be there.
    pub may_move_vectors: bool,
    /// Whether unprivileged thread mode may be there.
    pub may_be_unprivileged: bool,
    /// Its timing rules and their evidence, in the order of its page.
    pub rules: &'static [events::Rule],
    /// The core whose measurements stand for this one too: itself, or one that has the same pipeline.
    pub measured_as: &'static str,
    /// The bits of VTOR that exist, where it is.
    pub(crate) vtor: u32,
    /// The bits of its ACTLR.
    pub(crate) actlr: Auxiliary,
    /// Its pipeline model.
    pub(crate) pipeline: &'static dyn Pipeline,
    /// The latencies of its exceptions.
    pub(crate) latencies: Latencies,
}

/// The differences of one revision of a core.
#[derive(Debug)]
pub struct Revision {
    /// As Arm writes it: `r2p1`.
    pub name: &'static str,
    /// Variant and revision of its CPUID.
    pub number: (u8, u8),
    /// Reset value of CCR.STKALIGN.
    pub aligns_stack: bool,
    /// The rules of its core that do not hold for it.
    pub without: &'static [Rule],
    /// `ID_PFR0` to `ID_ISAR4`, from 0xe000ed40 on.
    pub features: &'static [u32; 13],
    /// The identification of its debug blocks, in the order of [`id::DebugBlock`].
    pub(crate) parts: &'static [Part; 4],
}

/// A core: a row of the table.
#[derive(Clone, Copy)]
pub struct CoreKind(&'static CoreRow);

impl CoreKind {
    /// Cortex-M0.
    pub const CORTEX_M0: CoreKind = CoreKind(&CORTEX_M0);
    /// Cortex-M0+.
    pub const CORTEX_M0PLUS: CoreKind = CoreKind(&CORTEX_M0PLUS);
    /// Cortex-M3.
    pub const CORTEX_M3: CoreKind = CoreKind(&CORTEX_M3);
    /// Cortex-M4 without a floating-point unit.
    pub const CORTEX_M4: CoreKind = CoreKind(&CORTEX_M4);
    /// Cortex-M4 with FPv4-SP.
    pub const CORTEX_M4F: CoreKind = CoreKind(&CORTEX_M4F);

    /// Every core, in the order of documents.
    pub const ALL: [CoreKind; 5] = [
        CoreKind::CORTEX_M0,
        CoreKind::CORTEX_M0PLUS,
        CoreKind::CORTEX_M3,
        CoreKind::CORTEX_M4,
        CoreKind::CORTEX_M4F,
    ];

    /// A core that is not of the table, to test that a row is all that a core needs.
    pub const fn of(row: &'static CoreRow) -> CoreKind {
        CoreKind(row)
    }

    /// The core of this name.
    pub fn named(name: &str) -> Option<CoreKind> {
        CoreKind::ALL.into_iter().find(|core| core.name == name)
    }

    /// This core with a floating-point unit, if there is one.
    pub fn with_float(self) -> Option<CoreKind> {
        let same = |core: &CoreKind| core.part_number == self.part_number && core.isa.has_float();
        CoreKind::ALL.into_iter().find(same)
    }

    /// Its rules, and those of the flash and the memories before it.
    pub fn rule_book(self) -> RuleBook {
        RuleBook::new(self.rules.iter().chain(flash::RULES).copied())
    }

    /// The CPUID of one of its revisions: implementer Arm (ARMv7-M ARM B3.2.3).
    pub fn cpuid(self, revision: &Revision) -> u32 {
        const ARM: u32 = 0x41;
        let (variant, patch) = revision.number;
        ARM << 24
            | u32::from(variant) << 20
            | self.architecture.cpuid << 16
            | self.part_number << 4
            | u32::from(patch)
    }

    /// The revision of a CPUID; for an unknown one, the closest earlier revision, or the first.
    pub fn revision(self, cpuid: u32) -> &'static Revision {
        let number = ((cpuid >> 20 & 15) as u8, (cpuid & 15) as u8);
        let CoreKind(row) = self;
        let before = row.revisions.iter().rfind(|revision| revision.number <= number);
        before.unwrap_or(&row.revisions[0])
    }
}

impl Model {
    /// A core's pipeline with every rule that it has switched on.
    pub fn of(core: CoreKind) -> Self {
        let rules = core.rules.iter();
        let rules = rules.fold(RuleSet::EMPTY, |set, known| set.with(known.number));
        Model::new(core.pipeline, rules)
    }

    /// One revision of a core, without the rules that do not apply to it.
    pub fn of_revision(core: CoreKind, revision: &Revision) -> Self {
        let without = revision.without.iter();
        without.fold(Model::of(core), |model, &rule| model.without(rule))
    }
}

impl Deref for CoreKind {
    type Target = CoreRow;

    fn deref(&self) -> &CoreRow {
        self.0
    }
}

impl fmt::Debug for CoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for CoreKind {
    fn eq(&self, other: &CoreKind) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for CoreKind {}

impl Hash for CoreKind {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

const V6M_TARGETS: &[&str] = &["thumbv6m-none-eabi"];
const V7M_TARGETS: &[&str] = &["thumbv7m-none-eabi"];
const V7EM_FLOAT_TARGETS: &[&str] = &["thumbv7em-none-eabihf", "thumbv7m-none-eabi"];

static CORTEX_M0: CoreRow = CoreRow {
    name: "cortex-m0",
    arm_name: "Cortex-M0",
    targets: V6M_TARGETS,
    isa: Isa::ARMV6M,
    architecture: &V6M,
    part_number: 0xc20,
    revisions: &[V6M_R0P1.called("r0p0", (0, 0))],
    mpu_regions: &[0],
    may_move_vectors: false,
    may_be_unprivileged: false,
    rules: m0::RULES,
    measured_as: "cortex-m0",
    vtor: 0,
    actlr: Auxiliary::UNKNOWN,
    pipeline: &m0::M0,
    latencies: Latencies::M0,
};

static CORTEX_M0PLUS: CoreRow = CoreRow {
    name: "cortex-m0plus",
    arm_name: "Cortex-M0+",
    targets: V6M_TARGETS,
    isa: Isa::ARMV6M,
    architecture: &V6M,
    part_number: 0xc60,
    revisions: &[V6M_R0P1.called("r0p0", (0, 0)), V6M_R0P1],
    mpu_regions: &[0, 8],
    may_move_vectors: true,
    may_be_unprivileged: true,
    rules: m0plus::RULES,
    measured_as: "cortex-m0plus",
    // DDI 0484C 4.2.
    vtor: 0xffff_ff00,
    actlr: Auxiliary::UNKNOWN,
    pipeline: &m0plus::M0PLUS,
    latencies: Latencies::M0PLUS,
};

static CORTEX_M3: CoreRow = CoreRow {
    name: "cortex-m3",
    arm_name: "Cortex-M3",
    part_number: 0xc23,
    revisions: &[
        M3_R1P1.called("r0p0", (0, 0)),
        M3_R1P1.called("r1p0", (1, 0)),
        M3_R1P1,
        M3_R2P1.called("r2p0", (2, 0)),
        M3_R2P1,
    ],
    rules: m3::RULES,
    measured_as: "cortex-m3",
    ..CORTEX_M3_LIKE
};

static CORTEX_M4: CoreRow = CoreRow {
    name: "cortex-m4",
    arm_name: "Cortex-M4",
    isa: Isa::ARMV7EM,
    part_number: 0xc24,
    revisions: &[M4_R0P1.called("r0p0", (0, 0)), M4_R0P1],
    rules: m4::RULES,
    // It shares the pipeline of the core with floating point.
    measured_as: "cortex-m4f",
    ..CORTEX_M3_LIKE
};

static CORTEX_M4F: CoreRow = CoreRow {
    name: "cortex-m4f",
    arm_name: "Cortex-M4F",
    targets: V7EM_FLOAT_TARGETS,
    isa: Isa::ARMV7EM_FLOAT,
    part_number: 0xc24,
    revisions: &[M4F_R0P1.called("r0p0", (0, 0)), M4F_R0P1],
    rules: m4::FLOAT_RULES,
    measured_as: "cortex-m4f",
    actlr: Auxiliary::M4F,
    ..CORTEX_M3_LIKE
};

/// The common properties of the ARMv7-M cores here.
const CORTEX_M3_LIKE: CoreRow = CoreRow {
    name: "",
    arm_name: "",
    targets: V7M_TARGETS,
    isa: Isa::ARMV7M,
    architecture: &V7M,
    part_number: 0,
    revisions: &[],
    mpu_regions: &[0, 8],
    may_move_vectors: true,
    may_be_unprivileged: true,
    rules: &[],
    measured_as: "",
    // Bit 29 says RAM or code, down to the alignment of 32 words (Cortex-M3 TRM).
    vtor: 0x3fff_ff80,
    actlr: Auxiliary::M3,
    pipeline: &m3::M3,
    latencies: Latencies::SideBySide,
};

const M3_R1P1: Revision = Revision {
    name: "r1p1",
    number: (1, 1),
    aligns_stack: false,
    without: &[
        Rule::JumpBehindFetch,
        Rule::FetchInVain,
        Rule::UnalignedFetch,
        Rule::ItBehindMultiply,
        Rule::ItBehindStack,
        Rule::WriteBehindFetch,
    ],
    features: &id::M3_R1,
    parts: &id::M3_R1_PARTS,
};

const M3_R2P1: Revision = Revision {
    name: "r2p1",
    number: (2, 1),
    aligns_stack: true,
    without: &[Rule::LoadAhead, Rule::SkippedRoom],
    features: &id::M3_R2,
    parts: &id::M3_R2_PARTS,
};

const M4_R0P1: Revision = Revision {
    name: "r0p1",
    number: (0, 1),
    aligns_stack: true,
    without: &[],
    features: &id::M4,
    parts: &id::M4_PARTS,
};

const M4F_R0P1: Revision = Revision {
    parts: &id::M4F_PARTS,
    ..M4_R0P1
};

const V6M_R0P1: Revision = Revision {
    features: &id::NONE,
    parts: &id::NO_PARTS,
    ..M4_R0P1
};

impl Revision {
    /// A revision that differs from this one only in name and number.
    const fn called(self, name: &'static str, number: (u8, u8)) -> Revision {
        Revision { name, number, ..self }
    }
}

#[cfg(test)]
mod tests;
