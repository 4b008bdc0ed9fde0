//! The chips that were recorded.

/// A chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chip {
    /// The board that has it.
    pub board: &'static str,
    /// Where its flash begins.
    pub flash: u32,
    /// Where its recordings are, below the root of the authors' repository.
    pub folders: &'static [&'static str],
}

impl Chip {
    /// Every chip, with the recordings that are used.
    pub const ALL: &[Chip] = &[
        Chip {
            board: "stm32f100rb",
            flash: 0x0800_0000,
            folders: &["cmemu-tests/tests/stm32f100rbt6/instructions"],
        },
        Chip {
            board: "cc2650",
            flash: 0,
            folders: &[
                "cmemu-tests/tests/flash/instructions",
                "cmemu-tests/tests/flash/interrupts",
            ],
        },
        Chip {
            board: "cc2652",
            flash: 0,
            folders: &["cmemu-tests/tests/cc2652/instructions"],
        },
    ];
}
