//! Layouts of a program's structures by its debug information: the offsets of members in this configuration of the program.

use gimli::{AttributeValue, DebuggingInformationEntry, UnitOffset};

use super::debug::{Reader, text};

/// The location of a member in its structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// Bytes from the beginning of the structure.
    pub offset: u32,
    /// Size in bytes; `None` for an array.
    pub size: Option<u32>,
}

type Dwarf = gimli::Dwarf<Reader>;
type Unit = gimli::Unit<Reader>;
type Entry = DebuggingInformationEntry<Reader>;

/// An upper bound on nested types; a longer chain is circular.
const DEEPEST: usize = 32;
/// The most entries searched for one member: anonymous members may lead to many others, and in circles.
const MOST_ENTRIES: u32 = 100_000;

/// A structure of a program.
pub struct Structure<'a> {
    dwarf: &'a Dwarf,
    unit: Unit,
    at: UnitOffset,
}

impl<'a> Structure<'a> {
    /// Finds a structure by the name that [`Image::structure`](super::Image::structure) takes. Skips units that cannot be read.
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

    /// The member at a path such as `base.prio`; for an array, its first element's. Looks through anonymous unions and structures.
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

/// The structure in a unit that is named by the last part of `path`; the other parts are its namespaces.
fn named(dwarf: &Dwarf, unit: &Unit, path: &[&str]) -> Result<Option<UnitOffset>, gimli::Error> {
    let mut entries = unit.entries();
    // The path components entered so far, each with its depth.
    let mut entered: Vec<isize> = Vec::new();
    while let Some(entry) = entries.next_dfs()? {
        entered.retain(|&depth| depth < entry.depth());
        let Some(&part) = path.get(entered.len()) else {
            continue;
        };
        // Skip other namespaces and functions.
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

/// Strips typedefs and qualifiers from a type; returns its size, or for an array its element's.
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

/// Whether the entry is only a declaration.
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

/// The type of an entry, if it is in the same unit.
fn kind(entry: &Entry) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}
