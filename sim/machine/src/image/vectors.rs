//! Finds an image's vector table when no board gives its address.

use super::{Image, Segment};

/// Names of the table in common start-up code: cortex-m-rt, CMSIS, ST, NXP, TI, Zephyr, libopencm3.
const SYMBOLS: [&str; 11] = [
    "__vector_table",
    "__VECTOR_TABLE",
    "_vector_table",
    "vector_table",
    "__Vectors",
    "g_pfnVectors",
    "__isr_vector",
    "__isr_vectors",
    "_vectors",
    "vectors",
    "Vectors",
];

/// Names of its section in common linker scripts.
const SECTIONS: [&str; 7] = [
    ".vector_table",
    ".isr_vector",
    ".isr_vectors",
    ".vectors",
    ".intvecs",
    ".interrupt_vector",
    ".vects",
];

/// The first two words of a vector table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VectorTable {
    /// Its address.
    pub address: u32,
    /// The initial stack pointer without its two lowest bits, which the core ignores (ARMv7-M ARM B1.4.1).
    pub stack_pointer: u32,
    /// The address of the reset handler, with the Thumb bit.
    pub reset: u32,
}

impl Image {
    /// The table at `address`, if its first two words are plausible: a non-zero stack pointer, and an odd address of code or of bytes in
    /// an executable segment. The latter is a boot loader linked in as data, such as arduino-pico's `.ota`.
    pub fn vector_table_at(&self, address: u32) -> Option<VectorTable> {
        let stack_pointer = self.stored_word(address)? & !3;
        let reset = self.stored_word(address.checked_add(4)?)?;
        let sound = stack_pointer != 0
            && reset & 1 != 0
            && (self.has_code(reset & !1) || self.may_execute(reset & !1));
        sound.then_some(VectorTable {
            address,
            stack_pointer,
            reset,
        })
    }

    /// Whether the image stores bytes at `address` in an executable segment.
    fn may_execute(&self, address: u32) -> bool {
        let inside =
            |segment: &Segment| (address.wrapping_sub(segment.runs_at) as usize) < segment.bytes.len();
        let mut segments = self.segments().iter();
        segments.any(|segment| segment.executable && inside(segment))
    }

    /// Finds the table by its usual symbols, then its usual sections, then at the lowest stored address.
    pub fn vector_table(&self) -> Option<VectorTable> {
        let symbols = SYMBOLS
            .iter()
            .filter_map(|name| self.symbols().find(|symbol| symbol.mangled == *name));
        let symbols = symbols.map(|symbol| symbol.address);
        let sections = SECTIONS
            .iter()
            .filter_map(|name| self.sections.iter().find(|section| section.name == *name));
        let sections = sections.map(|section| section.address);
        let lowest = self.segments().iter().filter(|segment| !segment.bytes.is_empty());
        let lowest = lowest.map(|segment| segment.address).min();
        symbols
            .chain(sections)
            .chain(lowest)
            .find_map(|address| self.vector_table_at(address))
    }

    /// The search order of [`Image::vector_table`], as text.
    pub(crate) fn vector_table_rule() -> String {
        format!(
            "a symbol ({}), a section ({}), or two words at the lowest stored address that are a stack pointer and \
             the odd address of the reset handler",
            SYMBOLS.join(", "),
            SECTIONS.join(", ")
        )
    }
}
