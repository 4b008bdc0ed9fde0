//! Files of a program: the console under its name `:tt`, and, if its user lets it, files of the host.
//!
//! An open file is held in memory and written back when it is closed, so that a snapshot of a machine includes it. A
//! program that ends without closing a file loses what it wrote to it.

use std::path::{Component, Path, PathBuf};

pub(super) const EPERM: u32 = 1;
const ENOENT: u32 = 2;
const EIO: u32 = 5;
pub(super) const EBADF: u32 = 9;
pub(super) const ENOMEM: u32 = 12;
const EACCES: u32 = 13;
const EINVAL: u32 = 22;
const EMFILE: u32 = 24;

/// Which files of the host a program may open.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum FileAccess {
    /// None: opening one fails, and the program sees why (`EACCES`).
    #[default]
    None,
    /// Those in this directory and below, by relative names without `..`.
    Within(PathBuf),
}

/// Number of an open file, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Handle(pub(super) u32);

/// What a handle stands for.
#[derive(Clone, Debug)]
pub(super) enum Opened {
    Input,
    Output,
    Error,
    /// The bits that say which extensions the host has.
    Features(File),
    File(File),
}

/// A file held in memory.
#[derive(Clone, Default, Debug)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    pub(super) position: usize,
    append: bool,
    changed: bool,
    /// Where it is written back to; nowhere if it was opened for reading only.
    path: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub(super) struct Files {
    access: FileAccess,
    open: Vec<Option<Opened>>,
}

/// More open files than a small program has, and few enough to look through.
const MOST: usize = 256;

/// `:semihosting-features`: magic, then the bits `EXIT_EXTENDED` and `STDOUT_STDERR`.
const FEATURES: [u8; 5] = [b'S', b'H', b'F', b'B', 0b11];

impl Files {
    pub(super) fn new(access: FileAccess) -> Self {
        Files {
            access,
            open: Vec::new(),
        }
    }

    /// Opens `name`; `mode` is the position of fopen's mode in "r rb r+ r+b w wb w+ w+b a ab a+ a+b".
    pub(super) fn open(&mut self, name: &str, mode: u32) -> Result<u32, u32> {
        let opened = match (name, mode) {
            (_, 12..) => return Err(EINVAL),
            (":tt", 0..=3) => Opened::Input,
            (":tt", 4..=7) => Opened::Output,
            (":tt", _) => Opened::Error,
            (":semihosting-features", 0..=1) => Opened::Features(File {
                bytes: FEATURES.to_vec(),
                ..File::default()
            }),
            _ => Opened::File(File::open(&self.path(name)?, mode)?),
        };
        let free = self
            .open
            .iter()
            .position(Option::is_none)
            .unwrap_or(self.open.len());
        if free >= MOST {
            return Err(EMFILE);
        }
        self.open.resize_with(self.open.len().max(free + 1), || None);
        self.open[free] = Some(opened);
        Ok(free as u32 + 1)
    }

    fn path(&self, name: &str) -> Result<PathBuf, u32> {
        let FileAccess::Within(directory) = &self.access else {
            return Err(EACCES);
        };
        let inside = Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if inside {
            Ok(directory.join(name))
        } else {
            Err(EACCES)
        }
    }

    pub(super) fn get(&mut self, handle: Handle) -> Option<&mut Opened> {
        self.slot(handle)?.as_mut()
    }

    pub(super) fn close(&mut self, handle: Handle) -> Result<(), u32> {
        let opened = self.slot(handle).and_then(Option::take).ok_or(EBADF)?;
        match opened {
            Opened::File(file) => file.write_back(),
            _ => Ok(()),
        }
    }

    fn slot(&mut self, handle: Handle) -> Option<&mut Option<Opened>> {
        self.open.get_mut((handle.0 as usize).checked_sub(1)?)
    }
}

impl Opened {
    pub(super) fn is_console(&self) -> bool {
        matches!(self, Opened::Input | Opened::Output | Opened::Error)
    }
}

impl File {
    fn open(path: &Path, mode: u32) -> Result<File, u32> {
        let (truncate, append, write) = ((4..8).contains(&mode), mode >= 8, mode >= 2);
        let bytes = match std::fs::read(path) {
            Ok(_) if truncate => Vec::new(),
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && mode >= 4 => Vec::new(),
            Err(error) => return Err(errno(&error)),
        };
        Ok(File {
            bytes,
            position: 0,
            append,
            changed: truncate,
            path: write.then(|| path.into()),
        })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> usize {
        if self.path.is_none() {
            return 0;
        }
        if self.append {
            self.position = self.bytes.len();
        }
        let end = self.position + bytes.len();
        if end > super::LONGEST as usize {
            return 0;
        }
        self.bytes.resize(self.bytes.len().max(end), 0);
        self.bytes[self.position..end].copy_from_slice(bytes);
        self.position = end;
        self.changed = true;
        bytes.len()
    }

    pub(super) fn read(&mut self, length: usize) -> Vec<u8> {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        let taken = rest[..length.min(rest.len())].to_vec();
        self.position += taken.len();
        taken
    }

    fn write_back(&self) -> Result<(), u32> {
        match &self.path {
            Some(path) if self.changed => std::fs::write(path, &self.bytes).map_err(|error| errno(&error)),
            _ => Ok(()),
        }
    }
}

fn errno(error: &std::io::Error) -> u32 {
    match error.kind() {
        std::io::ErrorKind::NotFound => ENOENT,
        std::io::ErrorKind::PermissionDenied => EACCES,
        _ => EIO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_has_three_handles() {
        let mut files = Files::new(FileAccess::None);
        let handles = [0, 4, 8].map(|mode| files.open(":tt", mode).unwrap());
        assert!(matches!(files.get(Handle(handles[0])), Some(Opened::Input)));
        assert!(matches!(files.get(Handle(handles[1])), Some(Opened::Output)));
        assert!(matches!(files.get(Handle(handles[2])), Some(Opened::Error)));
        assert_eq!(files.close(Handle(2)), Ok(()));
        assert_eq!(files.close(Handle(2)), Err(EBADF));
        assert_eq!(files.open(":tt", 4), Ok(2), "a closed handle is used again");
    }

    #[test]
    fn host_files_are_refused_unless_allowed_and_never_outside() {
        assert_eq!(Files::new(FileAccess::None).open("a.txt", 4), Err(EACCES));
        let directory = tempfile::tempdir().unwrap();
        let mut files = Files::new(FileAccess::Within(directory.path().into()));
        assert_eq!(files.open("../a.txt", 4), Err(EACCES));
        assert_eq!(files.open("/a.txt", 4), Err(EACCES));
        assert_eq!(files.open("a.txt", 0), Err(ENOENT));
    }

    #[test]
    fn a_file_is_written_when_it_is_closed() {
        let directory = tempfile::tempdir().unwrap();
        let mut files = Files::new(FileAccess::Within(directory.path().into()));
        let handle = Handle(files.open("a.txt", 4).unwrap());
        let Some(Opened::File(file)) = files.get(handle) else {
            panic!("a file")
        };
        assert_eq!(file.write(b"hello"), 5);
        file.position = 1;
        assert_eq!(file.read(3), b"ell");
        files.close(handle).unwrap();
        assert_eq!(std::fs::read(directory.path().join("a.txt")).unwrap(), b"hello");
    }

    #[test]
    fn appending_begins_at_the_end_and_reading_cannot_write() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("log"), "a").unwrap();
        let mut files = Files::new(FileAccess::Within(directory.path().into()));
        let handle = Handle(files.open("log", 8).unwrap());
        let Some(Opened::File(file)) = files.get(handle) else {
            panic!("a file")
        };
        file.write(b"b");
        files.close(handle).unwrap();
        assert_eq!(std::fs::read(directory.path().join("log")).unwrap(), b"ab");
        let handle = Handle(files.open("log", 0).unwrap());
        let Some(Opened::File(file)) = files.get(handle) else {
            panic!("a file")
        };
        assert_eq!(file.write(b"c"), 0);
    }
}
