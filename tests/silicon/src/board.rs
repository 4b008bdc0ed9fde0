//! The recorded chips.

/// A recorded chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chip {
    /// Name of its board.
    pub board: &'static str,
    /// Start of its flash.
    pub flash: u32,
    /// Folders of its recordings, relative to the root of the authors' repository.
    pub folders: &'static [&'static str],
}

impl Chip {
    /// Every chip, with the recordings used.
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
