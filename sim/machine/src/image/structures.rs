//! Structures of a program as its debug information describes them: at which offset a member is, however the program was configured.

use gimli::{AttributeValue, DebuggingInformationEntry, UnitOffset};

use super::debug::{Reader, text};

/// Where a member is in its structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// Bytes from the beginning of the structure.
    pub offset: u32,
    /// Bytes that it takes; `None` of an array.
    pub size: Option<u32>,
}

type Dwarf = gimli::Dwarf<Reader>;
type Unit = gimli::Unit<Reader>;
type Entry = DebuggingInformationEntry<Reader>;

/// More types than one is made of: what is longer goes in circles.
const DEEPEST: usize = 32;
/// More entries than are to be looked at for one member: members without a name may lead to many others, and in circles.
const MOST_ENTRIES: u32 = 100_000;

/// A structure of a program.
pub struct Structure<'a> {
    dwarf: &'a Dwarf,
    unit: Unit,
    at: UnitOffset,
}

impl<'a> Structure<'a> {
    /// By its name, as [`Image::structure`](super::Image::structure) takes it. Units that cannot be read are left out.
    pub(super) fn find(dwarf: &'a Dwarf, name: &str) -> Option<Structure<'a>> {
        let path: Vec<&str> = name.split("::").collect();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            if let Ok(Some(at)) = named(dwarf, &unit, &path) {
                return Some(Structure { dwarf, unit, at });
            }
        }
        None
    }

    /// The member at a path such as `base.prio`; of an array it is the first element's. A union or structure without a name is looked
    /// through.
    pub fn member(&self, path: &str) -> Option<Member> {
        let (mut base, mut at) = (0u32, self.at);
        let mut found = None;
        let mut left = MOST_ENTRIES;
        for part in path.split('.') {
            let (offset, kind) = self.child(at, part, DEEPEST, &mut left)?;
            let (kind, size) = bare(&self.unit, kind)?;
            (base, at) = (base.checked_add(offset)?, kind);
            found = Some(Member { offset: base, size });
        }
        found
    }

    /// Offset and type of a member of the structure at `at`.
    fn child(
        &self,
        at: UnitOffset,
        wanted: &str,
        deepest: usize,
        left: &mut u32,
    ) -> Option<(u32, UnitOffset)> {
        let mut entries = self.unit.entries_at_offset(at).ok()?;
        let outer = entries.next_dfs().ok()??.depth();
        while let Some(entry) = entries.next_dfs().ok()? {
            *left = left.checked_sub(1)?;
            if entry.depth() <= outer {
                break;
            }
            if entry.depth() != outer + 1 || entry.tag() != gimli::DW_TAG_member {
                continue;
            }
            // A union's members have no offset.
            let offset = number(entry, gimli::DW_AT_data_member_location).unwrap_or(0);
            let Some(kind) = kind(entry) else { continue };
            match name(self.dwarf, &self.unit, entry) {
                Some(name) if name == wanted => return Some((offset, kind)),
                None if deepest > 0 => {
                    let inner = bare(&self.unit, kind)
                        .and_then(|(kind, _)| self.child(kind, wanted, deepest - 1, left));
                    if let Some((more, kind)) = inner {
                        return Some((offset.checked_add(more)?, kind));
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// The structure of this name in a unit, which is the last part of `path` within namespaces of the others.
fn named(dwarf: &Dwarf, unit: &Unit, path: &[&str]) -> Result<Option<UnitOffset>, gimli::Error> {
    let mut entries = unit.entries();
    // The parts that are entered, and the depth at which each was.
    let mut entered: Vec<isize> = Vec::new();
    while let Some(entry) = entries.next_dfs()? {
        entered.retain(|&depth| depth < entry.depth());
        let Some(&part) = path.get(entered.len()) else {
            continue;
        };
        // In a namespace of no concern, or in a function, nothing is of this name.
        let is_within = entry.depth() == entered.last().map_or(1, |depth| depth + 1);
        if !is_within || name(dwarf, unit, entry).as_deref() != Some(part) {
            continue;
        }
        let is_last = entered.len() + 1 == path.len();
        match entry.tag() {
            gimli::DW_TAG_namespace if !is_last => entered.push(entry.depth()),
            gimli::DW_TAG_structure_type if is_last && !is_declared(entry) => {
                return Ok(Some(entry.offset()));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// A type without its other names, and its size; of an array that of an element.
fn bare(unit: &Unit, mut at: UnitOffset) -> Option<(UnitOffset, Option<u32>)> {
    let mut is_array = false;
    for _ in 0..DEEPEST {
        let entry = unit.entry(at).ok()?;
        match entry.tag() {
            gimli::DW_TAG_typedef | gimli::DW_TAG_const_type | gimli::DW_TAG_volatile_type => {}
            gimli::DW_TAG_array_type => is_array = true,
            _ => {
                let size = number(&entry, gimli::DW_AT_byte_size);
                return Some((at, size.filter(|_| !is_array)));
            }
        }
        at = kind(&entry)?;
    }
    None
}

/// It is said to be somewhere, and no more.
fn is_declared(entry: &Entry) -> bool {
    entry.attr_value(gimli::DW_AT_declaration).is_some()
}

fn name(dwarf: &Dwarf, unit: &Unit, entry: &Entry) -> Option<String> {
    let value = entry.attr_value(gimli::DW_AT_name)?;
    text(&dwarf.attr_string(unit, value).ok()?)
}

fn number(entry: &Entry, attribute: gimli::DwAt) -> Option<u32> {
    entry.attr_value(attribute)?.udata_value()?.try_into().ok()
}

/// The type of an entry, if it stands in the same unit.
fn kind(entry: &Entry) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}
