//! Formats an address as instruction, function and line.

use std::fmt::{self, Display, Formatter};

use bus::Bus;

use crate::image::{Architecture, Image, SourceFrame};
use crate::listing::{Listing, halfword};

/// A place in a program, by address and source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Site {
    /// Address of the instruction.
    pub pc: u32,
    /// `symbol+offset`, if there is a symbol.
    pub symbol: Option<String>,
    /// The instruction as assembly, if there is one.
    pub instruction: Option<String>,
    /// The functions there, innermost first.
    pub functions: Vec<SourceFrame>,
}

impl Site {
    /// The instruction at `pc`.
    pub(crate) fn at(image: &Image, bus: &Bus, pc: u32) -> Site {
        Site::of(image, bus, pc, pc)
    }

    /// The site of a frame that continues at `pc`, with the source of `place`.
    pub(super) fn of(image: &Image, bus: &Bus, pc: u32, place: u32) -> Site {
        Site {
            pc,
            symbol: describe(image, pc, place),
            instruction: disassemble(image.architecture(), bus, pc),
            functions: image.frames_at(place),
        }
    }

    /// `file:line`, if known.
    pub fn place(&self) -> Option<String> {
        self.functions
            .iter()
            .find_map(|function| function.place.as_ref())
            .map(ToString::to_string)
    }

    /// The name of the innermost function, if known.
    pub fn function(&self) -> Option<&str> {
        self.functions
            .iter()
            .find_map(|function| function.function.as_deref())
    }
}

impl Display for Site {
    /// `0x080001a4, read_sensor+0x6 at src/main.rs:14`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.pc)?;
        if let Some(symbol) = &self.symbol {
            write!(f, ", {symbol}")?;
        }
        self.place().map_or(Ok(()), |place| write!(f, " at {place}"))
    }
}

/// `pc` relative to the symbol of `place`: after a call that ends a function, `pc` is in the next function.
fn describe(image: &Image, pc: u32, place: u32) -> Option<String> {
    let (symbol, _) = image.symbol_at(place)?;
    Some(match pc.wrapping_sub(symbol.address) {
        0 => symbol.name.clone(),
        offset => format!("{}+{offset:#x}", symbol.name),
    })
}

/// The instruction at `pc` as assembly.
fn disassemble(architecture: Architecture, bus: &Bus, pc: u32) -> Option<String> {
    // An unsupported instruction is best shown by its name.
    let (first, second) = (halfword(bus, pc)?, halfword(bus, pc.wrapping_add(2)));
    let line = Listing::new(architecture).line_at(pc, first, second);
    Some(line.unwrap_or_else(|error| error))
}
