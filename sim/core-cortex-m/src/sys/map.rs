//! The private peripheral bus as a table: which register lies where, and how it may be accessed.

use crate::cores::RegisterMap;

use super::{debug, dwt, fp, id, itm, mpu, nvic, scb, systick, tpiu};

/// First address of the private peripheral bus.
const BASE: u32 = 0xe000_0000;
/// Size of the private peripheral bus in bytes.
const SIZE: u32 = 0x10_0000;

/// Whether an address belongs to the private peripheral bus.
#[inline(always)]
pub(crate) fn contains(address: u32) -> bool {
    address.wrapping_sub(BASE) < SIZE
}

/// Whether an address belongs to the external part of the private peripheral bus, where a chip may have registers of
/// its own beside those of trace and debug (ARMv7-M ARM B3.1.1).
pub(crate) fn is_external(address: u32) -> bool {
    (0xe004_0000..0xe00f_f000).contains(&address)
}

/// A register, by the block that answers for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PpbRegister {
    Itm(itm::ItmRegister),
    Tpiu(tpiu::TpiuRegister),
    Dwt(dwt::DwtRegister),
    SysTick(systick::SysTickRegister),
    Nvic(nvic::NvicRegister),
    Scb(scb::ScbRegister),
    Mpu(mpu::MpuRegister),
    Fp(fp::FpRegister),
    Debug(debug::DebugRegister),
    /// CoreSight identification of a block.
    Id(id::DebugBlock),
    /// The debug ROM table.
    RomTable,
    /// A debug register of ARMv6-M, which only a debugger reaches: the program reads 0, and its writes do nothing.
    DebuggerOnly,
    /// A place of ARMv6-M where ARMv7-M has a register that programs for both write: reserved, so that it reads as 0 and takes no write
    /// (UNK/SBZP, ARMv6-M ARM, glossary).
    Reserved,
    /// The register exists and is not modelled.
    Unknown,
}

/// Sizes of access that a register takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sizes {
    Word,
    Any,
}

/// A register, or an array of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) address: u32,
    /// Number of words.
    pub(crate) words: u32,
    pub(crate) name: &'static str,
    pub(crate) sizes: Sizes,
    pub(crate) register: PpbRegister,
}

impl Row {
    /// Its name, with the index if it is an array.
    pub(crate) fn name_at(&self, index: u32) -> String {
        if self.words == 1 {
            self.name.to_string()
        } else {
            format!("{}{index}", self.name)
        }
    }
}

/// The name of the register at an address, if it is one.
pub(crate) fn name_at(address: u32) -> Option<String> {
    find(address & !3).map(|(row, index)| row.name_at(index))
}

/// The registers of an architecture.
pub(crate) fn rows(map: RegisterMap) -> &'static [Row] {
    match map {
        RegisterMap::V6M => ROWS_V6M,
        RegisterMap::V7M => ROWS,
    }
}

/// The row of ARMv7-M that covers an address, and the index of the word in it.
pub(crate) fn find(address: u32) -> Option<(&'static Row, u32)> {
    find_in(ROWS, address)
}

/// The row of these that covers an address, and the index of the word in it.
pub(crate) fn find_in(rows: &'static [Row], address: u32) -> Option<(&'static Row, u32)> {
    let after = rows.partition_point(|row| row.address <= address);
    let row = rows.get(after.checked_sub(1)?)?;
    let index = (address - row.address) / 4;
    (index < row.words).then_some((row, index))
}

const fn row(address: u32, words: u32, name: &'static str, register: PpbRegister) -> Row {
    Row {
        address,
        words,
        name,
        sizes: Sizes::Word,
        register,
    }
}

const fn any(address: u32, words: u32, name: &'static str, register: PpbRegister) -> Row {
    Row {
        address,
        words,
        name,
        sizes: Sizes::Any,
        register,
    }
}

const fn unknown(address: u32, words: u32, name: &'static str) -> Row {
    row(address, words, name, PpbRegister::Unknown)
}

/// Every register with a name, ascending (ARMv7-M ARM B3.2, C1; Cortex-M3 TRM).
#[rustfmt::skip]
const ROWS: &[Row] = &{
    use PpbRegister::{Debug as G, Dwt as D, Fp as F, Id, Itm as I, Mpu as M, Nvic as N, RomTable, Scb as S, SysTick as T};
    use {debug::DebugRegister as debug, dwt::DwtRegister as dwt, itm::ItmRegister as itm, mpu::MpuRegister as mpu};
    use {fp::FpRegister as fp, nvic::NvicRegister as nvic, scb::ScbRegister as scb, systick::SysTickRegister as tick};
    use {self::PpbRegister::Tpiu as P, tpiu::TpiuRegister as tpiu};
    [
        any(0xe000_0000, 32, "ITM_STIM", I(itm::Stimulus)),
        row(0xe000_0e00, 1, "ITM_TER", I(itm::TraceEnable)),
        row(0xe000_0e40, 1, "ITM_TPR", I(itm::TracePrivilege)),
        row(0xe000_0e80, 1, "ITM_TCR", I(itm::TraceControl)),
        unknown(0xe000_0ef8, 3, "ITM integration register "),
        row(0xe000_0fb0, 1, "ITM_LAR", I(itm::LockAccess)),
        row(0xe000_0fb4, 1, "ITM_LSR", I(itm::LockStatus)),
        row(0xe000_0fd0, 12, "ITM_PID/CID", Id(id::DebugBlock::Itm)),
        row(0xe000_1000, 1, "DWT_CTRL", D(dwt::Control)),
        row(0xe000_1004, 1, "DWT_CYCCNT", D(dwt::CycleCount)),
        row(0xe000_1008, 5, "DWT event counter ", D(dwt::EventCount)),
        unknown(0xe000_101c, 1, "DWT_PCSR"),
        row(0xe000_1020, 1, "DWT_COMP0", D(dwt::Comparator(0))),
        row(0xe000_1024, 1, "DWT_MASK0", D(dwt::Mask(0))),
        row(0xe000_1028, 1, "DWT_FUNCTION0", D(dwt::Function(0))),
        row(0xe000_1030, 1, "DWT_COMP1", D(dwt::Comparator(1))),
        row(0xe000_1034, 1, "DWT_MASK1", D(dwt::Mask(1))),
        row(0xe000_1038, 1, "DWT_FUNCTION1", D(dwt::Function(1))),
        row(0xe000_1040, 1, "DWT_COMP2", D(dwt::Comparator(2))),
        row(0xe000_1044, 1, "DWT_MASK2", D(dwt::Mask(2))),
        row(0xe000_1048, 1, "DWT_FUNCTION2", D(dwt::Function(2))),
        row(0xe000_1050, 1, "DWT_COMP3", D(dwt::Comparator(3))),
        row(0xe000_1054, 1, "DWT_MASK3", D(dwt::Mask(3))),
        row(0xe000_1058, 1, "DWT_FUNCTION3", D(dwt::Function(3))),
        row(0xe000_1fb0, 1, "DWT_LAR", D(dwt::Lock)),
        row(0xe000_1fb4, 1, "DWT_LSR", D(dwt::Lock)),
        row(0xe000_1fd0, 12, "DWT_PID/CID", Id(id::DebugBlock::Dwt)),
        unknown(0xe000_2000, 1, "FP_CTRL"),
        unknown(0xe000_2004, 1, "FP_REMAP"),
        unknown(0xe000_2008, 8, "FP_COMP"),
        row(0xe000_2fd0, 12, "FP_PID/CID", Id(id::DebugBlock::Fpb)),
        row(0xe000_e004, 1, "ICTR", N(nvic::ControllerType)),
        row(0xe000_e008, 1, "ACTLR", S(scb::AuxiliaryControl)),
        row(0xe000_e010, 1, "SYST_CSR", T(tick::Control)),
        row(0xe000_e014, 1, "SYST_RVR", T(tick::Reload)),
        row(0xe000_e018, 1, "SYST_CVR", T(tick::Current)),
        row(0xe000_e01c, 1, "SYST_CALIB", T(tick::Calibration)),
        row(0xe000_e100, 8, "NVIC_ISER", N(nvic::SetEnable)),
        row(0xe000_e180, 8, "NVIC_ICER", N(nvic::ClearEnable)),
        row(0xe000_e200, 8, "NVIC_ISPR", N(nvic::SetPending)),
        row(0xe000_e280, 8, "NVIC_ICPR", N(nvic::ClearPending)),
        row(0xe000_e300, 8, "NVIC_IABR", N(nvic::Active)),
        any(0xe000_e400, 60, "NVIC_IPR", N(nvic::Priority)),
        row(0xe000_ed00, 1, "CPUID", S(scb::CpuId)),
        row(0xe000_ed04, 1, "ICSR", S(scb::InterruptControl)),
        row(0xe000_ed08, 1, "VTOR", S(scb::VectorTable)),
        row(0xe000_ed0c, 1, "AIRCR", S(scb::ResetControl)),
        row(0xe000_ed10, 1, "SCR", S(scb::SystemControl)),
        row(0xe000_ed14, 1, "CCR", S(scb::Configuration)),
        any(0xe000_ed18, 1, "SHPR1", N(nvic::SystemPriority(4))),
        any(0xe000_ed1c, 1, "SHPR2", N(nvic::SystemPriority(8))),
        any(0xe000_ed20, 1, "SHPR3", N(nvic::SystemPriority(12))),
        row(0xe000_ed24, 1, "SHCSR", S(scb::HandlerControl)),
        any(0xe000_ed28, 1, "CFSR", S(scb::FaultStatus)),
        row(0xe000_ed2c, 1, "HFSR", S(scb::HardFaultStatus)),
        row(0xe000_ed30, 1, "DFSR", S(scb::DebugFaultStatus)),
        row(0xe000_ed34, 1, "MMFAR", S(scb::MemManageAddress)),
        row(0xe000_ed38, 1, "BFAR", S(scb::BusFaultAddress)),
        row(0xe000_ed3c, 1, "AFSR", S(scb::AuxiliaryFaultStatus)),
        row(0xe000_ed40, 16, "CPU feature register ", S(scb::Features)),
        row(0xe000_ed88, 1, "CPACR", F(fp::Access)),
        row(0xe000_ed90, 1, "MPU_TYPE", M(mpu::Type)),
        row(0xe000_ed94, 1, "MPU_CTRL", M(mpu::Control)),
        row(0xe000_ed98, 1, "MPU_RNR", M(mpu::Number)),
        row(0xe000_ed9c, 8, "MPU_RBAR/RASR ", M(mpu::Regions)),
        row(0xe000_edf0, 1, "DHCSR", G(debug::HaltingControl)),
        unknown(0xe000_edf4, 1, "DCRSR"),
        unknown(0xe000_edf8, 1, "DCRDR"),
        row(0xe000_edfc, 1, "DEMCR", G(debug::MonitorControl)),
        row(0xe000_ef00, 1, "STIR", N(nvic::SoftwareTrigger)),
        row(0xe000_ef34, 1, "FPCCR", F(fp::Context)),
        row(0xe000_ef38, 1, "FPCAR", F(fp::ContextAddress)),
        row(0xe000_ef3c, 1, "FPDSCR", F(fp::DefaultStatus)),
        row(0xe000_ef40, 2, "MVFR", F(fp::Features)),
        row(0xe000_efd0, 12, "SCS_PID/CID", Id(id::DebugBlock::Scs)),
        row(0xe004_0000, 1, "TPIU_SSPSR", P(tpiu::SupportedSizes)),
        row(0xe004_0004, 1, "TPIU_CSPSR", P(tpiu::Size)),
        row(0xe004_0010, 1, "TPIU_ACPR", P(tpiu::Prescaler)),
        row(0xe004_00f0, 1, "TPIU_SPPR", P(tpiu::Protocol)),
        row(0xe004_0300, 1, "TPIU_FFSR", P(tpiu::FlushStatus)),
        row(0xe004_0304, 1, "TPIU_FFCR", P(tpiu::FlushControl)),
        unknown(0xe004_1000, 1, "ETMCR"),
        unknown(0xe004_1fb0, 1, "ETMLAR"),
        row(0xe00f_f000, 7, "debug ROM table ", RomTable),
        unknown(0xe00f_ffd0, 12, "debug ROM table PID/CID "),
    ]
};

/// Every register of ARMv6-M with a name, ascending (ARMv6-M ARM B3.2, C1; DDI 0484C chapter 4). All take words only.
#[rustfmt::skip]
const ROWS_V6M: &[Row] = &{
    use PpbRegister::{DebuggerOnly, Reserved, Mpu as M, Nvic as N, Scb as S, SysTick as T};
    use {mpu::MpuRegister as mpu, nvic::NvicRegister as nvic, scb::ScbRegister as scb, systick::SysTickRegister as tick};
    [
        row(0xe000_1000, 0x400, "DWT register ", DebuggerOnly),
        row(0xe000_2000, 0x400, "BPU register ", DebuggerOnly),
        row(0xe000_e008, 1, "ACTLR", S(scb::AuxiliaryControl)),
        row(0xe000_e010, 1, "SYST_CSR", T(tick::Control)),
        row(0xe000_e014, 1, "SYST_RVR", T(tick::Reload)),
        row(0xe000_e018, 1, "SYST_CVR", T(tick::Current)),
        row(0xe000_e01c, 1, "SYST_CALIB", T(tick::Calibration)),
        row(0xe000_e100, 1, "NVIC_ISER", N(nvic::SetEnable)),
        row(0xe000_e180, 1, "NVIC_ICER", N(nvic::ClearEnable)),
        row(0xe000_e200, 1, "NVIC_ISPR", N(nvic::SetPending)),
        row(0xe000_e280, 1, "NVIC_ICPR", N(nvic::ClearPending)),
        row(0xe000_e400, 8, "NVIC_IPR", N(nvic::Priority)),
        row(0xe000_ed00, 1, "CPUID", S(scb::CpuId)),
        row(0xe000_ed04, 1, "ICSR", S(scb::InterruptControl)),
        row(0xe000_ed08, 1, "VTOR", S(scb::VectorTable)),
        row(0xe000_ed0c, 1, "AIRCR", S(scb::ResetControl)),
        row(0xe000_ed10, 1, "SCR", S(scb::SystemControl)),
        row(0xe000_ed14, 1, "CCR", S(scb::Configuration)),
        row(0xe000_ed18, 1, "SHPR1 of ARMv7-M", Reserved),
        row(0xe000_ed1c, 1, "SHPR2", N(nvic::SystemPriority(8))),
        row(0xe000_ed20, 1, "SHPR3", N(nvic::SystemPriority(12))),
        row(0xe000_ed24, 1, "SHCSR", DebuggerOnly),
        row(0xe000_ed28, 2, "fault status of ARMv7-M ", Reserved),
        row(0xe000_ed30, 1, "DFSR", DebuggerOnly),
        row(0xe000_ed34, 3, "fault address or status of ARMv7-M ", Reserved),
        row(0xe000_ed40, 16, "CPU feature register of ARMv7-M ", Reserved),
        row(0xe000_ed88, 1, "CPACR of ARMv7-M", Reserved),
        row(0xe000_ed90, 1, "MPU_TYPE", M(mpu::Type)),
        row(0xe000_ed94, 1, "MPU_CTRL", M(mpu::Control)),
        row(0xe000_ed98, 1, "MPU_RNR", M(mpu::Number)),
        row(0xe000_ed9c, 2, "MPU_RBAR/RASR ", M(mpu::Regions)),
        row(0xe000_edf0, 1, "DHCSR", DebuggerOnly),
        row(0xe000_edf4, 1, "DCRSR", DebuggerOnly),
        row(0xe000_edf8, 1, "DCRDR", DebuggerOnly),
        row(0xe000_edfc, 1, "DEMCR", DebuggerOnly),
        row(0xe000_efd0, 12, "SCS_PID/CID", DebuggerOnly),
        row(0xe00f_f000, 0x400, "debug ROM table ", DebuggerOnly),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_ascend_without_overlap() {
        for pair in ROWS.windows(2).chain(ROWS_V6M.windows(2)) {
            assert!(
                pair[0].address + 4 * pair[0].words <= pair[1].address,
                "{} overlaps",
                pair[1].name
            );
        }
    }

    #[test]
    fn a_gap_between_rows_has_no_register() {
        assert!(find(0xe000_e020).is_none());
        assert!(find(0xdfff_fffc).is_none());
        assert_eq!(
            find(0xe000_e104).map(|(row, index)| row.name_at(index)),
            Some("NVIC_ISER1".into())
        );
    }
}
