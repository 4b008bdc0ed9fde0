//! Helpers that several commands share.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

pub(super) use lab::TOOL;
use lab::batch::{Options, files_of};
use lab::diagnostic::{Diagnostic, Result, visible};
use lab::spec::{self, Spec};
use machine::bounded;
use report::{Results, Row};

use super::{beside, closed, progress};

/// Reads a spec.
pub(super) fn spec(path: &Path) -> Result<Spec> {
    spec::parse(&path.display().to_string(), &read(path)?)
}

/// Reads a text file that the user named.
pub(super) fn read(path: &Path) -> Result<String> {
    bounded::read_text(path).map_err(|error| Diagnostic::unreadable(path, &error))
}

/// Whether a file begins like an ELF file. False for a pipe, which can be read only once.
pub(super) fn is_elf(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut magic = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Writes a file that the user asked for.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes the requested files; an error in one does not skip the others.
pub(super) fn write_each(files: &[(&Option<PathBuf>, &dyn Fn() -> String)]) -> Vec<Diagnostic> {
    let asked = files
        .iter()
        .filter_map(|(path, text)| Some((path.as_deref()?, text)));
    asked
        .filter_map(|(path, text)| write(path, &text()).err())
        .collect()
}

/// Writes bytes to a file atomically, or to standard output if the path is `-`.
pub(super) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    if path == Path::new(STANDARD) {
        return print_bytes(bytes);
    }
    let place = path.canonicalize();
    // A pipe under `/dev/stdout` has no other path.
    let is_device = path.metadata().is_ok_and(|known| !known.is_file());
    let written = if is_device {
        bounded::create(path).and_then(|mut device| device.write_all(bytes))
    } else {
        beside::replace(&place.unwrap_or_else(|_| path.to_owned()), bytes)
    };
    written.map_err(|error| {
        Diagnostic::mistake(format!("cannot be written: {error}")).in_file(path.display().to_string())
    })
}

/// The path that means standard output.
const STANDARD: &str = "-";

/// Whether one of these files is standard output; nothing else may be written there then.
pub(super) fn is_standard(files: &[Option<&Path>]) -> bool {
    files.contains(&Some(Path::new(STANDARD)))
}

/// Refuses to write to a file that is also read, or is written twice.
pub(super) fn check_written(written: &[(&str, Option<&Path>)], read: &[&Path]) -> Result<()> {
    let read = read.iter().map(|path| ("what it reads", *path));
    let mut known: Vec<(&str, PathBuf)> = read
        .filter_map(|(what, path)| Some((what, place(path)?)))
        .collect();
    for &(option, path) in written {
        let Some(place) = path.and_then(place) else {
            continue;
        };
        if let Some((other, _)) = known.iter().find(|(_, taken)| *taken == place) {
            let title = format!("{option} and {other} are the same file");
            return Err(Diagnostic::mistake(title).in_file(place.display().to_string()));
        }
        known.push((option, place));
    }
    Ok(())
}

/// Also refuses to overwrite the files of a spec that is measured.
pub(super) fn check_written_by(
    written: &[(&str, Option<&Path>)],
    spec: &Spec,
    options: &Options,
) -> Result<()> {
    let read = files_of(spec, options);
    check_written(written, &read.iter().map(PathBuf::as_path).collect::<Vec<_>>())
}

/// The canonical path of a file; `None` for what is not a file, such as `/dev/null`.
fn place(path: &Path) -> Option<PathBuf> {
    if let Ok(place) = path.canonicalize() {
        return place.is_file().then_some(place);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

/// Creates the folder, unless it exists.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| {
        Diagnostic::mistake(format!("cannot be made: {error}")).in_file(path.display().to_string())
    })
}

/// Writes results as JSON, if a path is given.
pub(super) fn write_json(path: Option<&Path>, rows: &[Row]) -> Result<()> {
    match path {
        Some(path) => write(path, &Results::new(TOOL, rows.to_vec()).to_json()),
        None => Ok(()),
    }
}

/// Reads results and rejects duplicate rows; each row records the tool that measured it.
pub(super) fn results(path: &Path) -> Result<Results> {
    let wrong = |title: String| Diagnostic::mistake(title).in_file(path.display().to_string());
    if is_elf(path) {
        let help = format!(
            "measure it first: `cyclescope cost {} FUNCTION --json results.json`",
            path.display()
        );
        return Err(wrong("this is a program, not results".to_owned()).help(help));
    }
    let text = bounded::read_made(path).map_err(|error| Diagnostic::unreadable(path, &error))?;
    let mut results = Results::from_json(&text).map_err(|error| {
        wrong(error.to_string()).help("`--json FILE` of `measure` or `cost` writes a file of results; the name of a spec ends in `.toml`")
    })?;
    for row in &mut results.results {
        if row.obtained.tool.is_empty() {
            row.obtained.tool.clone_from(&results.tool);
        }
    }
    let mut rows = Vec::new();
    join(&mut rows, results.results, path)?;
    results.results = rows;
    Ok(results)
}

/// Shows a table on standard output, or on standard error if one of these files is standard output.
pub(super) fn show(text: &str, files: &[Option<&Path>]) -> Result<()> {
    progress::end();
    if is_standard(files) {
        // Ignore a write error: the user has the file.
        let _ = io::stderr().lock().write_all(visible(text).as_bytes());
        return Ok(());
    }
    print(text)
}

/// Appends the rows of a file to others.
pub(super) fn join(all: &mut Vec<Row>, rows: Vec<Row>, path: &Path) -> Result<()> {
    let key = |row: &Row| (row.id.clone(), row.board.clone(), row.kernel.clone());
    let mut known: HashSet<_> = all.iter().map(key).collect();
    for row in rows {
        if !known.insert(key(&row)) {
            let title = format!("`{}` on `{}` occurs twice", row.id, row.board);
            return Err(Diagnostic::mistake(title).in_file(path.display().to_string()));
        }
        all.push(row);
    }
    Ok(())
}

/// Writes to standard output.
pub(super) fn print(text: &str) -> Result<()> {
    print_bytes(visible(text).as_bytes())
}

/// Writes bytes to standard output. A reader that closed the pipe, like `head`, is no error.
fn print_bytes(bytes: &[u8]) -> Result<()> {
    progress::end();
    match closed::output().and_then(|()| io::stdout().lock().write_all(bytes)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Diagnostic::mistake(format!(
            "standard output cannot be written: {error}"
        ))),
        _ => Ok(()),
    }
}
