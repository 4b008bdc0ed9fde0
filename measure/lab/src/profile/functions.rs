//! Maps addresses to functions.

use std::collections::HashMap;

use machine::Image;
use machine::image::SymbolKind;

/// Size in bytes of a piece of code. Splitting code limits the memory for a symbol of any size to what executes.
const PIECE: u32 = 1 << 14;

/// A part of a function: `length` bytes from address `start`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) function: u32,
    pub(super) start: u32,
    pub(super) length: u32,
}

/// A function, or an entry that stands in for one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    /// The function whose symbol is at this address.
    Symbol(u32),
    /// Code without a symbol, in the piece that begins here.
    Unknown(u32),
    /// A context as a whole.
    Context(u32),
    /// Sleep of the core.
    Asleep,
}

/// The functions that ran, by number.
pub(super) struct Functions<'a> {
    image: &'a Image,
    /// First address of each function, ascending.
    starts: Vec<u32>,
    names: Vec<Name>,
    numbers: HashMap<Name, u32>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(image: &'a Image) -> Functions<'a> {
        let code = image.symbols().filter(|symbol| symbol.kind != SymbolKind::Object);
        let mut starts: Vec<u32> = code.map(|symbol| symbol.address).collect();
        starts.dedup();
        Functions {
            image,
            starts,
            names: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    pub(super) fn number(&mut self, name: Name) -> u32 {
        let next = self.names.len() as u32;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        })
    }

    pub(super) fn names(&self) -> &[Name] {
        &self.names
    }

    /// The piece of code around an address.
    pub(super) fn piece(&mut self, pc: u32) -> Piece {
        let first = pc & !(PIECE - 1);
        // The next function ends this one, whatever size its symbol has.
        let behind = self.starts.partition_point(|start| *start <= pc);
        let next = self.starts.get(behind).copied().unwrap_or(u32::MAX);
        let last = (first + (PIECE - 1)).min(next - 1);
        let symbol = self.image.symbol_at(pc).map(|(symbol, _)| symbol);
        let (name, start, last) =
            if let Some(symbol) = symbol.filter(|symbol| symbol.kind != SymbolKind::Object) {
                let end = symbol.address.saturating_add(symbol.size.max(1)) - 1;
                let last = if symbol.size > 0 && end >= pc {
                    last.min(end | 1)
                } else {
                    last
                };
                // A label inside a function belongs to that function.
                let label = behind.checked_sub(1).and_then(|index| self.starts.get(index));
                let from = label.copied().unwrap_or(symbol.address).max(symbol.address);
                (Name::Symbol(symbol.address), from.max(first), last)
            } else {
                let from = self.ends_before(pc).max(first);
                (Name::Unknown(from), from, last)
            };
        Piece {
            function: self.number(name),
            start,
            length: last - start + 1,
        }
    }

    /// The start of the symbol-free code around an address: the end of the preceding symbol.
    fn ends_before(&self, pc: u32) -> u32 {
        let behind = self.starts.partition_point(|start| *start <= pc);
        let Some(&start) = behind.checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return 0;
        };
        let symbol = self.image.symbol_at(start).map_or(0, |(symbol, _)| symbol.size);
        start.saturating_add(symbol).min(pc)
    }
}
