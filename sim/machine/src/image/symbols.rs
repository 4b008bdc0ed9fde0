//! Symbols, by address or by any form of their name.

use std::sync::Arc;

use object::elf;
use object::read::elf::ElfSymbol32;
use object::{LittleEndian, Object, ObjectSymbol, ObjectSymbolTable};
use thiserror::Error;

use super::elf::Elf;
use super::lines::ends_with_file;
use super::names::{demangle, demangle_bare, ends_with_path, last_segment};
use crate::nearest::{did_you_mean, nearest};

/// How many sized symbols before an address may contain it: more than any nesting.
const NESTING: usize = 8;

/// The kind of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SymbolKind {
    /// Code.
    Function,
    /// Data.
    Object,
    /// An untyped label of an assembly source or linker script.
    Label,
}

/// One symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Readable name.
    pub name: String,
    /// The linker's name.
    pub mangled: String,
    /// Address, without the Thumb bit.
    pub address: u32,
    /// Size in bytes; 0 if the source gave none.
    pub size: u32,
    /// Its kind.
    pub kind: SymbolKind,
    /// Whether it is visible outside its object file.
    pub global: bool,
    /// The source file of a local symbol, as the compiler recorded it.
    file: Option<Arc<str>>,
    /// Whether it is a number (`SHN_ABS`), which never names an address.
    absolute: bool,
    /// Index of its section.
    section: usize,
}

/// Why a name does not resolve to one symbol.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum SymbolError {
    /// No symbol has this name.
    #[error("no symbol `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// Similar names, the most similar first.
        nearest: Vec<String>,
    },
    /// Several symbols have this name.
    #[error("`{name}` is the name of {} symbols", candidates.len())]
    Ambiguous {
        /// The requested name.
        name: String,
        /// Longer names, or names with files, that tell them apart.
        candidates: Vec<String>,
    },
}

impl SymbolError {
    /// The suggested correction.
    pub fn hint(&self) -> Option<String> {
        match self {
            SymbolError::Unknown { name, nearest } => hint_of_form(name).or_else(|| did_you_mean(nearest)),
            SymbolError::Ambiguous { candidates, .. } => {
                Some(format!("write one of {}", candidates.join(", ")))
            }
        }
    }
}

/// The suggestion for a malformed place: `file.rs:0`, `symbol+0x1ffffffff`.
fn hint_of_form(name: &str) -> Option<String> {
    let is_number = |text: &str| text.trim().starts_with(|c: char| c.is_ascii_digit());
    match (name.rsplit_once(':'), name.rsplit_once('+')) {
        (Some((_, line)), _) if is_number(line) => {
            Some(format!("the lines of a file are numbered from 1 to {}", u32::MAX))
        }
        (_, Some((symbol, offset))) if is_number(offset) => Some(format!(
            "an offset is a number of bytes, 0 to 0xffffffff: `{}+0x4`",
            symbol.trim_end()
        )),
        _ => None,
    }
}

/// The symbols of an image, ordered by address.
#[derive(Default, Debug)]
pub(super) struct Symbols {
    all: Vec<Symbol>,
    /// Where code and data begin in code sections, ascending; true for data.
    mapping: Vec<(u32, bool)>,
}

impl Symbols {
    pub(super) fn read(elf: &Elf<'_>) -> Symbols {
        let table = elf.symbol_table();
        let symbols = table.iter().flat_map(ObjectSymbolTable::symbols);
        // Local symbols follow the name of their file (ELF gABI, 4: STT_FILE).
        let mut file = None;
        let (mut all, mut mapping) = (Vec::new(), Vec::new());
        for symbol in symbols {
            if symbol.elf_symbol().st_type() == elf::STT_FILE {
                file = symbol.name().ok().filter(|name| !name.is_empty()).map(Arc::from);
            } else {
                mapping.extend(read_mapping(&symbol));
                all.extend(read_symbol(&symbol, file.as_ref()));
            }
        }
        Symbols { all, mapping }.sorted()
    }

    fn sorted(mut self) -> Symbols {
        self.all.sort_by(|a, b| {
            (a.address, a.kind, !a.global, &a.mangled).cmp(&(b.address, b.kind, !b.global, &b.mangled))
        });
        self.mapping.sort_unstable();
        self
    }

    /// Adds the symbols of another file, whose section numbers start at `section`.
    pub(super) fn join(&mut self, other: Symbols, section: usize) {
        let mine = std::mem::take(self);
        let theirs = other.all.into_iter().map(|symbol| Symbol {
            section: symbol.section + section,
            ..symbol
        });
        *self = Symbols {
            all: mine.all.into_iter().chain(theirs).collect(),
            mapping: mine.mapping.into_iter().chain(other.mapping).collect(),
        }
        .sorted();
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Symbol> {
        self.all.iter()
    }

    /// Whether the bytes at `address` are data in code: a literal pool or jump table.
    pub(super) fn is_data(&self, address: u32) -> bool {
        let begun = self.mapping.partition_point(|(from, _)| *from <= address);
        begun > 0 && self.mapping[begun - 1].1
    }

    /// The symbol that contains `address`: the function or object around it, otherwise the last label before it in the same section.
    pub(super) fn at(&self, address: u32, section: Option<usize>) -> Option<&Symbol> {
        let before = &self.all[..self.all.partition_point(|symbol| symbol.address <= address)];
        let places = || before.iter().rev().filter(|symbol| !symbol.absolute);
        let contains = |symbol: &&Symbol| address - symbol.address < symbol.size;
        let mut sized = places().filter(|symbol| symbol.size > 0).take(NESTING).peekable();
        let last_sized = sized.peek().map(|symbol| symbol.address);
        // Several names may share an address: show the first in the table's order.
        if let Some(around) = sized.find(contains) {
            let mut same_place = places().filter(|symbol| symbol.address == around.address);
            return same_place.rfind(contains);
        }
        let label = places().find(|symbol| symbol.size == 0 && Some(symbol.section) == section)?;
        let ended = last_sized.is_some_and(|sized| sized > label.address);
        if ended {
            None
        } else {
            places()
                .take_while(|symbol| symbol.address == label.address)
                .last()
        }
    }

    pub(super) fn find(&self, name: &str) -> Result<&Symbol, SymbolError> {
        let exact = |symbol: &&Symbol| symbol.mangled == name || symbol.name == name;
        let short = |symbol: &&Symbol| symbol.is_called(name);
        let in_file = |symbol: &&Symbol| symbol.is_called_in_file(name);
        self.only(name, exact)
            .or_else(|| self.only(name, short))
            .or_else(|| self.only(name, in_file))
            .unwrap_or_else(|| Err(self.unknown(name)))
    }

    fn only(&self, name: &str, matches: impl Fn(&&Symbol) -> bool) -> Option<Result<&Symbol, SymbolError>> {
        let found: Vec<&Symbol> = self.all.iter().filter(matches).collect();
        let first = *found.first()?;
        if found.iter().all(|symbol| symbol.address == first.address) {
            return Some(Ok(first));
        }
        let alike = |symbol: &Symbol| {
            found
                .iter()
                .filter(|other| other.mangled == symbol.mangled)
                .count()
        };
        let candidates = found.iter().map(|symbol| match &symbol.file {
            Some(file) if alike(symbol) > 1 => format!("{file}:{}", symbol.mangled),
            _ => symbol.mangled.clone(),
        });
        let candidates = candidates.collect();
        Some(Err(SymbolError::Ambiguous {
            name: name.into(),
            candidates,
        }))
    }

    fn unknown(&self, name: &str) -> SymbolError {
        let path = name.contains("::");
        let names = self.all.iter().map(|symbol| {
            if path {
                &*symbol.name
            } else {
                last_segment(&symbol.name)
            }
        });
        let nearest = nearest(name, names, 3).into_iter().map(str::to_owned).collect();
        SymbolError::Unknown {
            name: name.into(),
            nearest,
        }
    }
}

impl Symbol {
    /// Whether `name` is its last path segments, or a C++ name without parameters.
    fn is_called(&self, name: &str) -> bool {
        let bare = || demangle_bare(&self.mangled).is_some_and(|bare| ends_with_path(&bare, name));
        ends_with_path(&self.name, name) || bare()
    }

    /// Whether `name` is `file.c:name`, with the last components of its source path.
    fn is_called_in_file(&self, name: &str) -> bool {
        let Some((file, name)) = name.rsplit_once(':') else {
            return false;
        };
        let own = self.file.as_deref().is_some_and(|own| ends_with_file(own, file));
        own && (self.mangled == name || self.name == name)
    }
}

fn read_symbol(symbol: &ElfSymbol32<'_, '_, LittleEndian>, file: Option<&Arc<str>>) -> Option<Symbol> {
    let mangled = symbol.name().ok()?;
    if mangled.is_empty() || is_mapping(mangled) || symbol.is_undefined() {
        return None;
    }
    let kind = match symbol.elf_symbol().st_type() {
        elf::STT_FUNC => SymbolKind::Function,
        elf::STT_OBJECT => SymbolKind::Object,
        elf::STT_NOTYPE => SymbolKind::Label,
        _ => return None,
    };
    let thumb_bit = u32::from(kind == SymbolKind::Function); // an address in RISC-V code is even, too
    Some(Symbol {
        name: demangle(mangled),
        mangled: mangled.into(),
        address: symbol.address() as u32 & !thumb_bit,
        size: symbol.size() as u32,
        kind,
        global: symbol.is_global(),
        file: file.filter(|_| symbol.is_local()).cloned(),
        absolute: symbol.section_index().is_none(),
        section: symbol.section_index().map_or(0, |section| section.0),
    })
}

/// Parses a mapping symbol: its address, and whether data begins there.
fn read_mapping(symbol: &ElfSymbol32<'_, '_, LittleEndian>) -> Option<(u32, bool)> {
    let name = symbol
        .name()
        .ok()
        .filter(|name| name.starts_with('$') && is_mapping(name))?;
    let is_data = name == "$d" || name.starts_with("$d.");
    (!symbol.is_undefined()).then(|| (symbol.address() as u32, is_data))
}

/// `$a`, `$t`, `$d` (and `$t.3`) mark ARM code, Thumb code and data; they name nothing (Arm IHI 0044, 5.5.5). RISC-V has `$x`, optionally
/// followed by extensions, and `$d` (RISC-V ELF psABI 8.5); its assemblers also keep local labels `.L…` for linker relaxation.
fn is_mapping(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        [b'$', b'a' | b't' | b'd' | b'x'] | [b'$', b'a' | b't' | b'd' | b'x', b'.', ..]
    ) || name.starts_with("$xrv")
        || name.starts_with(".L")
}
