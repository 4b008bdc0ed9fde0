//! Names of control and status registers (privileged ISA manual, tables 2.2 to 2.6).

/// The registers with a name of their own, sorted by number.
const NAMES: &[(u16, &str)] = &[
    (0x100, "sstatus"),
    (0x104, "sie"),
    (0x105, "stvec"),
    (0x106, "scounteren"),
    (0x140, "sscratch"),
    (0x141, "sepc"),
    (0x142, "scause"),
    (0x143, "stval"),
    (0x144, "sip"),
    (0x180, "satp"),
    (0x300, "mstatus"),
    (0x301, "misa"),
    (0x302, "medeleg"),
    (0x303, "mideleg"),
    (0x304, "mie"),
    (0x305, "mtvec"),
    (0x306, "mcounteren"),
    (0x310, "mstatush"),
    (0x320, "mcountinhibit"),
    (0x340, "mscratch"),
    (0x341, "mepc"),
    (0x342, "mcause"),
    (0x343, "mtval"),
    (0x344, "mip"),
    (0x7a0, "tselect"),
    (0x7a1, "tdata1"),
    (0x7a2, "tdata2"),
    (0x7a3, "tdata3"),
    (0x7b0, "dcsr"),
    (0x7b1, "dpc"),
    (0xb00, "mcycle"),
    (0xb02, "minstret"),
    (0xb80, "mcycleh"),
    (0xb82, "minstreth"),
    (0xc00, "cycle"),
    (0xc01, "time"),
    (0xc02, "instret"),
    (0xc80, "cycleh"),
    (0xc81, "timeh"),
    (0xc82, "instreth"),
    (0xf11, "mvendorid"),
    (0xf12, "marchid"),
    (0xf13, "mimpid"),
    (0xf14, "mhartid"),
];

/// The register's name in the manual, if it has one of its own.
pub fn name(number: u16) -> Option<&'static str> {
    let place = NAMES.binary_search_by_key(&number, |&(number, _)| number).ok()?;
    Some(NAMES[place].1)
}

/// All names, sorted by number.
pub fn all() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|&(_, name)| name)
}

/// The number of the register named `name`.
pub fn number(name: &str) -> Option<u16> {
    NAMES
        .iter()
        .find(|(_, known)| *known == name)
        .map(|&(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_each_other_s() {
        for &(csr, text) in NAMES {
            assert_eq!((name(csr), number(text)), (Some(text), Some(csr)));
        }
        assert!(NAMES.is_sorted());
    }
}
