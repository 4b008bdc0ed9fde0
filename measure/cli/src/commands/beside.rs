//! Replaces a file atomically: writes a temporary file next to it and renames that.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary file being written. Creating or renaming it holds the lock.
static UNDER_WAY: Mutex<Option<PathBuf>> = Mutex::new(None);

fn under_way() -> MutexGuard<'static, Option<PathBuf>> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process from any thread and removes the unfinished file.
pub(super) fn exit(code: i32) -> ! {
    // Held to the end, so that no other file is created.
    let mut file = under_way();
    if let Some(file) = file.take() {
        let _ = fs::remove_file(file);
    }
    process::exit(code)
}

/// Writes a temporary file and renames it to `path`.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}", process::id()));
    let written = create(&beside)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| match path.metadata() {
            Ok(before) => fs::set_permissions(&beside, before.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| take_place(&beside, path));
    match written {
        Ok(()) => Ok(()),
        // In a folder that forbids new files, an existing file may still be writable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && path.is_file() => {
            fs::write(path, bytes)
        }
        Err(error) => {
            let _ = fs::remove_file(&beside);
            Err(error)
        }
    }
}

fn create(beside: &Path) -> io::Result<fs::File> {
    let mut under_way = under_way();
    let file = fs::File::create(beside)?;
    *under_way = Some(beside.to_owned());
    Ok(file)
}

fn take_place(beside: &Path, path: &Path) -> io::Result<()> {
    let mut under_way = under_way();
    fs::rename(beside, path)?;
    *under_way = None;
    Ok(())
}
