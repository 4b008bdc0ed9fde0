//! The line table: addresses ↔ lines of source.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use super::debug::{Reader, SourcePlace, text};
use super::names::in_a_line;
use crate::nearest::{did_you_mean, nearest};

/// A range of code that belongs to one line.
#[derive(Clone, Copy, Debug)]
struct Row {
    address: u32,
    end: u32,
    file: u32,
    line: u32,
    column: u32,
    /// Whether it begins a statement of this line after code of another one, so that a debugger may stop here.
    starts_line: bool,
}

/// The rows of an image, ordered by address.
#[derive(Default, Debug)]
pub(super) struct LineTable {
    rows: Vec<Row>,
    files: Vec<Arc<str>>,
}

/// Why `file:line` has no address.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LineError {
    /// The image has no line table.
    #[error("the program has no debug lines")]
    NoLines,
    /// No source file of that name.
    #[error("no source file `{file}` in the program's debug lines")]
    UnknownFile {
        /// The requested file.
        file: String,
        /// Similar files.
        nearest: Vec<String>,
    },
    /// The file exists, but the line has no code.
    #[error("no code at `{file}:{line}`")]
    NoCode {
        /// The requested file.
        file: String,
        /// The requested line.
        line: u32,
        /// The nearest lines with code, before and after.
        nearest: Vec<u32>,
    },
}

impl LineError {
    /// The suggested correction.
    pub fn hint(&self) -> Option<String> {
        match self {
            LineError::NoLines => {
                Some("build it with debug information (`debug = true` in the profile, gcc -g)".into())
            }
            LineError::UnknownFile { nearest, .. } => did_you_mean(nearest),
            LineError::NoCode { file, nearest, .. } => {
                let lines: Vec<String> = nearest.iter().map(|line| format!("{file}:{line}")).collect();
                did_you_mean(&lines)
            }
        }
    }
}

impl LineTable {
    pub(super) fn read(dwarf: &gimli::Dwarf<Reader>, is_code: impl Fn(u32) -> bool) -> LineTable {
        let mut builder = Builder {
            is_code,
            table: LineTable::default(),
            known: HashMap::new(),
        };
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            // Skip a unit that cannot be read; the next one may be sound.
            if let Ok(unit) = dwarf.unit(header) {
                let _ = builder.unit(dwarf, &unit);
            }
        }
        let mut table = builder.table;
        table.rows.sort_by_key(|row| row.address);
        table
    }

    pub(super) fn at(&self, address: u32) -> Option<SourcePlace> {
        let before = &self.rows[..self.rows.partition_point(|row| row.address <= address)];
        let row = before.iter().rev().take(4).find(|row| address < row.end)?;
        let file = Arc::clone(&self.files[row.file as usize]);
        Some(SourcePlace {
            file,
            line: row.line,
            column: row.column,
        })
    }

    /// All lines with code.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, u32)> {
        let rows = self.rows.iter().filter(|row| row.line > 0);
        rows.map(|row| (&*self.files[row.file as usize], row.line))
    }

    /// The addresses at which code of `file:line` begins, ascending: several if the compiler split or copied the line. `file` may leave
    /// out leading directories.
    pub(super) fn addresses(&self, file: &str, line: u32) -> Result<Vec<u32>, LineError> {
        if self.rows.is_empty() {
            return Err(LineError::NoLines);
        }
        let wanted: Vec<bool> = self
            .files
            .iter()
            .map(|known| ends_with_file(known, file))
            .collect();
        if !wanted.contains(&true) {
            return Err(self.unknown_file(file));
        }
        let rows = || {
            self.rows
                .iter()
                .filter(|row| wanted[row.file as usize] && row.line > 0)
        };
        let mut addresses: Vec<u32> = rows()
            .filter(|row| row.line == line && row.starts_line)
            .map(|row| row.address)
            .collect();
        addresses.dedup();
        if !addresses.is_empty() {
            return Ok(addresses);
        }
        let before = rows().map(|row| row.line).filter(|&known| known < line).max();
        let behind = rows().map(|row| row.line).filter(|&known| known > line).min();
        let nearest = before.into_iter().chain(behind).collect();
        Err(LineError::NoCode {
            file: file.into(),
            line,
            nearest,
        })
    }

    fn unknown_file(&self, file: &str) -> LineError {
        let parts = file.split(['/', '\\']).count();
        let tails: Vec<&str> = self.files.iter().map(|known| tail(known, parts)).collect();
        let nearest = nearest(file, tails, 3).into_iter().map(str::to_owned).collect();
        LineError::UnknownFile {
            file: file.into(),
            nearest,
        }
    }
}

/// Whether `path` is `wanted`, or ends with it after a separator.
pub(super) fn ends_with_file(path: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches("./");
    let rest = path.strip_suffix(wanted);
    !wanted.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
}

/// The last `parts` components of a path.
fn tail(path: &str, parts: usize) -> &str {
    let at = path.rmatch_indices(['/', '\\']).nth(parts.saturating_sub(1));
    at.map_or(path, |(at, _)| &path[at + 1..])
}

struct Builder<F> {
    is_code: F,
    table: LineTable,
    known: HashMap<String, u32>,
}

impl<F: Fn(u32) -> bool> Builder<F> {
    fn unit(&mut self, dwarf: &gimli::Dwarf<Reader>, unit: &gimli::Unit<Reader>) -> Result<(), gimli::Error> {
        let Some(program) = unit.line_program.clone() else {
            return Ok(());
        };
        let mut files: HashMap<u64, u32> = HashMap::new();
        let mut sequence: Vec<Row> = Vec::new();
        let mut rows = program.rows();
        while let Some((header, row)) = rows.next_row()? {
            let address = row.address() as u32;
            if let Some(last) = sequence.last_mut() {
                last.end = address;
            }
            if row.end_sequence() {
                self.finish(std::mem::take(&mut sequence));
                continue;
            }
            let file = *files
                .entry(row.file_index())
                .or_insert_with(|| self.intern(in_a_line(file_path(dwarf, unit, header, row.file_index()))));
            let line = row.line().map_or(0, |line| line.get() as u32);
            let column = match row.column() {
                gimli::ColumnType::LeftEdge => 0,
                gimli::ColumnType::Column(column) => column.get() as u32,
            };
            sequence.push(Row {
                address,
                end: address,
                file,
                line,
                column,
                starts_line: row.is_stmt(),
            });
        }
        Ok(())
    }

    /// Keeps a sequence's rows with code, and marks where each line's blocks begin.
    fn finish(&mut self, sequence: Vec<Row>) {
        let dropped = |first: &Row| first.address == 0 || !(self.is_code)(first.address);
        if sequence.first().is_none_or(dropped) {
            return;
        }
        let (mut block, mut statement, mut begun) = (None, false, false);
        for row in sequence {
            if block != Some((row.file, row.line)) {
                (block, statement, begun) = (Some((row.file, row.line)), false, false);
            }
            statement |= row.starts_line;
            if row.end > row.address {
                self.table.rows.push(Row {
                    starts_line: statement && !begun,
                    ..row
                });
                begun |= statement;
            }
        }
    }

    fn intern(&mut self, path: String) -> u32 {
        let files = &mut self.table.files;
        *self.known.entry(path).or_insert_with_key(|path| {
            files.push(path.as_str().into());
            files.len() as u32 - 1
        })
    }
}

pub(super) fn file_path(
    dwarf: &gimli::Dwarf<Reader>,
    unit: &gimli::Unit<Reader>,
    header: &gimli::LineProgramHeader<Reader>,
    index: u64,
) -> String {
    let Some(file) = header.file(index) else {
        return "?".into();
    };
    let string = |value| {
        dwarf
            .attr_string(unit, value)
            .ok()
            .and_then(|reader| text(&reader))
            .unwrap_or_default()
    };
    let compiled_in = unit.comp_dir.as_ref().and_then(text).unwrap_or_default();
    let directory = file.directory(header).map(string).unwrap_or_default();
    join(&join(&compiled_in, &directory), &string(file.path_name()))
}

/// Joins paths by the rules of the build system, which may be another one.
fn join(base: &str, path: &str) -> String {
    let bytes = path.as_bytes();
    let absolute = matches!(bytes, [b'/' | b'\\', ..] | [_, b':', b'/' | b'\\', ..]);
    if absolute || base.is_empty() {
        return path.into();
    }
    let path = path.trim_start_matches("./");
    if path.is_empty() {
        base.into()
    } else {
        format!("{}/{path}", base.trim_end_matches('/'))
    }
}
