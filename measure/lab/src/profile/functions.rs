//! Which function an address belongs to.

use std::collections::HashMap;

use machine::Image;
use machine::image::SymbolKind;

/// Code is looked at in pieces of so many bytes, so that no symbol, whatever it says of its size, takes more memory than what was
/// executed.
const PIECE: u32 = 1 << 14;

/// A part of a function that is looked at as one: addresses from `start`, `length` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) function: u32,
    pub(super) start: u32,
    pub(super) length: u32,
}

/// What stands in the place of functions, too.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    /// The function with this symbol, at this address.
    Symbol(u32),
    /// Code without a symbol, in the piece that begins here.
    Unknown(u32),
    /// A context as a whole.
    Context(u32),
    /// The core sleeps.
    Asleep,
}

/// The functions that were met, by number.
pub(super) struct Functions<'a> {
    image: &'a Image,
    /// The first address of each function, ascending.
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
        // The next function ends this one, whatever its symbol says of its size.
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
                // Behind a label inside it, it is the same function.
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

    /// Where the code without a symbol around an address begins: behind the symbol before it.
    fn ends_before(&self, pc: u32) -> u32 {
        let behind = self.starts.partition_point(|start| *start <= pc);
        let Some(&start) = behind.checked_sub(1).and_then(|index| self.starts.get(index)) else {
            return 0;
        };
        let symbol = self.image.symbol_at(start).map_or(0, |(symbol, _)| symbol.size);
        start.saturating_add(symbol).min(pc)
    }
}
