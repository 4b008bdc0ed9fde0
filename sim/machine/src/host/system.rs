//! This computer's files.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

use super::{Access, FileAccess, Files, Folder, HostFile, OpenError};
use crate::bounded;

/// This computer's files.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct System;

impl Files for System {
    fn read(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        bounded::read_at_most(path, most)
    }

    fn read_marked(&self, path: &Path, mark: &[u8], most: u64) -> io::Result<Vec<u8>> {
        bounded::read_marked(path, mark, most)
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }
}

impl FileAccess {
    /// Regular files in and below this folder of this computer.
    pub fn within(path: impl Into<PathBuf>) -> FileAccess {
        FileAccess::Within(Arc::new(Directory {
            path: path.into(),
            opened: OnceLock::new(),
        }))
    }
}

/// A directory; `cap-std` resolves names only inside it, links included.
#[derive(Debug)]
struct Directory {
    path: PathBuf,
    /// Opened with the first file.
    opened: OnceLock<Dir>,
}

impl Directory {
    fn opened(&self) -> io::Result<&Dir> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        let opened = Dir::open_ambient_dir(&self.path, ambient_authority())?;
        Ok(self.opened.get_or_init(|| opened))
    }
}

impl Folder for Directory {
    fn open(&self, name: &str, access: Access) -> Result<Arc<dyn HostFile>, OpenError> {
        let unfit = |error| OpenError::Unfit(format!("`{}`: {error}", self.path.display()));
        let directory = self.opened().map_err(unfit)?;
        // Check first: opening a pipe blocks until its other end is open.
        match directory.metadata(name) {
            Ok(found) if found.is_dir() => return Err(OpenError::Io(ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                let name = Path::new(name).display();
                return Err(OpenError::Unfit(format!(
                    "`{name}` is neither a file nor a directory"
                )));
            }
            Err(error) if !(access.create && error.kind() == ErrorKind::NotFound) => {
                return Err(OpenError::Io(error));
            }
            _ => {}
        }
        let mut options = OpenOptions::new();
        options
            .read(access.read)
            .write(access.write)
            .append(access.append)
            .create(access.create)
            .truncate(access.truncate);
        let file = directory.open_with(name, &options).map_err(OpenError::Io)?;
        Ok(Arc::new(file))
    }
}

impl HostFile for File {
    fn seek(&self, to: SeekFrom) -> io::Result<u64> {
        let mut file = self;
        Seek::seek(&mut file, to)
    }

    fn read(&self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        Read::take(self, length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self;
        Write::write(&mut file, bytes)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}
