//! Checks the core's keys of a board file.

use core_cortex_m::CoreKind;
use core_cortex_m::{Architecture, Options, Revision};
use toml::Spanned;

use super::Checker;
use crate::board::BoardError;
use crate::board::chosen::{CortexM, Rv32};
use crate::board::file::{BoardFile, Interrupts};

/// Keys for a Cortex-M only.
const CORTEX_M_ONLY: [&str; 15] = [
    "bit_band",
    "systick_reference_divider",
    "systick_calibration",
    "vector_table",
    "reserved_faults",
    "memory_from_elf",
    "revision",
    "priority_bits",
    "mpu_regions",
    "vtor",
    "systick",
    "unprivileged",
    "slow_multiplier",
    "unbuffered_writes",
    "interrupts",
];

impl Checker<'_> {
    pub(super) fn cortex_m(&self, file: &BoardFile, kind: CoreKind) -> Result<CortexM, BoardError> {
        if let Some(reset) = &file.reset {
            return self.wrong(reset, "`reset` is an option of RV32 cores only");
        }
        if let Some(uncached) = &file.uncached {
            return self.wrong(uncached, "`uncached` is an option of RV32 cores only");
        }
        if let Some(cache) = file.cache.first() {
            return Err(self.not_of_a_cortex_m(cache));
        }
        let priority_bits = self.needed(file, file.priority_bits.as_ref(), "priority_bits")?;
        self.priority_bits(priority_bits, kind)?;
        let interrupts = file.interrupts.as_ref();
        let Some(interrupts) = interrupts else {
            return self.wrong(&file.core, "a board with this core needs `[interrupts]`");
        };
        self.interrupts(interrupts, kind)?;
        self.small_options(file, kind)?;
        self.mpu(file, kind)?;
        Ok(CortexM {
            kind,
            without_rules: Vec::new(),
            revision: self.revision(self.needed(file, file.revision.as_ref(), "revision")?, kind)?,
            options: options(file, kind),
            slow_multiplier: file.slow_multiplier.as_ref().is_some_and(|slow| *slow.get_ref()),
            unbuffered_writes: file.unbuffered_writes.as_ref().is_some_and(|off| *off.get_ref()),
            priority_bits: *priority_bits.get_ref(),
            mpu_regions: file.mpu_regions.as_ref().map_or(0, |regions| *regions.get_ref()),
            bit_band: file.bit_band,
            systick_reference: file.systick_reference_divider,
            systick_calibration: file.systick_calibration,
            vector_table: file.vector_table,
            irqs: *interrupts.count.get_ref(),
        })
    }

    pub(super) fn rv32(
        &self,
        file: &BoardFile,
        core: &'static core_rv32::Config,
    ) -> Result<Rv32, BoardError> {
        let foreign = |key: &&Spanned<String>| CORTEX_M_ONLY.contains(&key.get_ref().as_str());
        let foreign = file.keys.iter().filter(foreign);
        if let Some(key) = foreign.min_by_key(|key| key.span().start) {
            let message = format!("`{}` is an option of Cortex-M cores only", key.get_ref());
            return self.wrong(key, &message);
        }
        let config = self.uncached(file, *core)?;
        let reset = file.reset.as_ref().map(|reset| *reset.get_ref());
        let (mask, value) = config.first;
        match &file.reset {
            Some(reset) if !config.can_begin_at(*reset.get_ref()) => {
                let message = format!(
                    "the first instruction is {value:#x} after a multiple of {:#x}",
                    mask + 1
                );
                self.wrong(reset, &message)
            }
            None if value != 0 => self.wrong(&file.core, "a board with this core needs `reset`"),
            _ => Ok(Rv32 { core, config, reset }),
        }
    }

    fn uncached(&self, file: &BoardFile, config: core_rv32::Config) -> Result<core_rv32::Config, BoardError> {
        let Some(list) = &file.uncached else {
            return Ok(config);
        };
        if list.get_ref().iter().any(|&part| part > 15) {
            return self.wrong(list, "`uncached` lists parts of 256 MiB, 0 to 15");
        }
        let uncached = list.get_ref().iter().fold(0, |all, part| all | 1 << part);
        Ok(core_rv32::Config { uncached, ..config })
    }

    fn needed<'a, T>(
        &self,
        file: &BoardFile,
        field: Option<&'a Spanned<T>>,
        name: &str,
    ) -> Result<&'a Spanned<T>, BoardError> {
        field.map_or_else(
            || self.wrong(&file.core, &format!("a board with this core needs `{name}`")),
            Ok,
        )
    }

    fn revision(&self, text: &Spanned<String>, kind: CoreKind) -> Result<&'static Revision, BoardError> {
        if !is_revision(text.get_ref()) {
            return self.wrong(text, "a revision is written like r2p1");
        }
        let named = |revision: &&Revision| revision.name == text.get_ref();
        if let Some(revision) = kind.revisions.iter().find(named) {
            return Ok(revision);
        }
        let known: Vec<&str> = kind.revisions.iter().map(|revision| revision.name).collect();
        let message = format!(
            "this core has no revision `{}`; its revisions are {}",
            text.get_ref(),
            known.join(", ")
        );
        self.wrong(text, &message)
    }

    fn priority_bits(&self, bits: &Spanned<u8>, core: CoreKind) -> Result<(), BoardError> {
        let architecture = core.architecture;
        let range = &architecture.priority_bits;
        if range.contains(bits.get_ref()) {
            return Ok(());
        }
        let (least, most) = (range.start(), range.end());
        let range = if least == most {
            format!("{least}")
        } else {
            format!("{least} to {most}")
        };
        let message = format!("an {} core has {range} priority bits", architecture.name);
        self.wrong(bits, &message)
    }

    fn interrupts(&self, interrupts: &Interrupts, core: CoreKind) -> Result<(), BoardError> {
        let count = &interrupts.count;
        let Architecture {
            name,
            most_irqs: most,
            ..
        } = core.architecture;
        if !(1..=*most).contains(count.get_ref()) {
            let message = format!("an {name} core has 1 to {most} external interrupts");
            return self.wrong(count, &message);
        }
        if interrupts.names.len() > usize::from(*count.get_ref()) {
            return self.wrong(count, "there are more interrupt names than interrupts");
        }
        Ok(())
    }

    fn mpu(&self, file: &BoardFile, core: CoreKind) -> Result<(), BoardError> {
        match &file.mpu_regions {
            Some(regions) if !core.mpu_regions.contains(regions.get_ref()) => {
                let message = match core.mpu_regions {
                    [.., 0] => format!("a {} has no MPU", core.arm_name),
                    [.., most] => format!("a {} has an MPU of {most} regions, or none (0)", core.arm_name),
                    [] => format!("what MPU a {} has is not known", core.arm_name),
                };
                self.wrong(regions, &message)
            }
            _ => Ok(()),
        }
    }

    /// Checks options that exist only on some architectures, or on some of their cores.
    fn small_options(&self, file: &BoardFile, core: CoreKind) -> Result<(), BoardError> {
        let options = [
            (&file.vtor, "vtor", core.may_move_vectors),
            (&file.systick, "systick", true),
            (&file.unprivileged, "unprivileged", core.may_be_unprivileged),
            (&file.slow_multiplier, "slow_multiplier", true),
        ];
        for (option, name, may_be) in options {
            let Some(option) = option else { continue };
            if !core.architecture.has_options {
                return self.wrong(option, &format!("`{name}` is an option of ARMv6-M cores only"));
            }
            if !may_be && *option.get_ref() {
                return self.wrong(option, &format!("a {} never has `{name}`", core.arm_name));
            }
        }
        Ok(())
    }
}

/// Whether a text is a revision as Arm writes it: `r2p1`.
fn is_revision(text: &str) -> bool {
    let numbers = text.strip_prefix('r').and_then(|rest| rest.split_once('p'));
    let is_digit = |word: &str| word.parse::<u8>().is_ok_and(|digit| digit < 16);
    numbers.is_some_and(|(variant, patch)| is_digit(variant) && is_digit(patch))
}

/// The core's options; those that the file leaves out are present if the core can have them.
fn options(file: &BoardFile, core: CoreKind) -> Options {
    let has = |option: &Option<Spanned<bool>>, otherwise| {
        option.as_ref().map_or(otherwise, |option| *option.get_ref())
    };
    Options {
        vtor: has(&file.vtor, core.may_move_vectors),
        systick: has(&file.systick, true),
        unprivileged: has(&file.unprivileged, core.may_be_unprivileged),
    }
}
