//! Source positions of defmt statements. Each statement is a variable with a fixed name, whose linkage name is the string's symbol.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::debug::{Reader, SourcePlace, text};
use super::lines::file_path;

/// The name of a statement's variable.
const STATEMENT: &str = "DEFMT_LOG_STATEMENT";

/// The positions of all statements by their symbols. Skips units that cannot be read.
pub(super) fn logs(dwarf: &gimli::Dwarf<Reader>) -> BTreeMap<String, SourcePlace> {
    let mut places = BTreeMap::new();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header) {
            let _ = of_unit(dwarf, &unit, &mut places);
        }
    }
    places
}

fn of_unit(
    dwarf: &gimli::Dwarf<Reader>,
    unit: &gimli::Unit<Reader>,
    places: &mut BTreeMap<String, SourcePlace>,
) -> Result<(), gimli::Error> {
    let Some(program) = &unit.line_program else {
        return Ok(());
    };
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs()? {
        if entry.tag() != gimli::DW_TAG_variable {
            continue;
        }
        let string = |name| {
            let value = entry.attr_value(name)?;
            dwarf
                .attr_string(unit, value)
                .ok()
                .and_then(|reader| text(&reader))
        };
        if string(gimli::DW_AT_name).as_deref() != Some(STATEMENT) {
            continue;
        }
        let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
        let (symbol, line) = (string(gimli::DW_AT_linkage_name), number(gimli::DW_AT_decl_line));
        let file = match entry.attr_value(gimli::DW_AT_decl_file) {
            Some(gimli::AttributeValue::FileIndex(index)) => Some(index),
            _ => None,
        };
        if let (Some(symbol), Some(line), Some(index)) = (symbol, line, file) {
            let file = file_path(dwarf, unit, program.header(), index);
            let place = SourcePlace {
                file: Arc::from(file),
                line: line as u32,
                column: 0,
            };
            places.insert(symbol, place);
        }
    }
    Ok(())
}
