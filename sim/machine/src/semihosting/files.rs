//! Files of a program: the console under its name `:tt`, and, if its user lets it, files of the host.
//!
//! A write goes to the host at once: another handle sees it, and a program that ends without closing a file, or crashes,
//! loses nothing. A snapshot of a machine has handles and positions; what was written stays written.
//!
//! Names lead nowhere but into the directory that the user allowed: `cap-std` resolves each of them there, links included.

use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

pub(super) const EPERM: u32 = 1;
const ENOENT: u32 = 2;
const EIO: u32 = 5;
pub(super) const EBADF: u32 = 9;
pub(super) const ENOMEM: u32 = 12;
const EACCES: u32 = 13;
const EISDIR: u32 = 21;
const EINVAL: u32 = 22;
const EMFILE: u32 = 24;
const EFBIG: u32 = 27;
const ENOSPC: u32 = 28;

/// Which files of the host a program may open.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum FileAccess {
    /// None: opening one fails, and the program sees why (`EACCES`).
    #[default]
    None,
    /// Regular files in this directory and below. A name that leads out of it, by `..` or by a link, is refused (`EACCES`).
    Within(PathBuf),
}

/// Number of an open file, from [`FIRST`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Handle(pub(super) u32);

/// A C library takes 0, 1 and 2 for its standard streams: picolibc never closes them.
const FIRST: u32 = 3;

/// More open files than a small program has, and fewer than a process may have.
const MOST: usize = 256;

/// The longest file that a program may write: a position is a number of 32 bits, and a mistake in it would fill the disk.
const LARGEST: u64 = 1 << 30;

/// Why a file was not opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotOpened {
    /// The program is told by this number.
    Errno(u32),
    /// It stops the run, with these words: no program is made for it.
    Unfit(String),
}

/// What a handle stands for.
#[derive(Clone, Debug)]
pub(super) enum Opened {
    Input,
    Output,
    Error,
    /// The bits that say which extensions the host has, and how far they were read.
    Features(usize),
    File(File),
}

/// A file of the host. Copies of it, in snapshots, have positions of their own.
#[derive(Clone, Debug)]
pub(super) struct File {
    host: Arc<cap_std::fs::File>,
    pub(super) position: u64,
    append: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Files {
    access: FileAccess,
    /// The directory of `access`, from the first file on.
    directory: Option<Arc<Dir>>,
    open: Vec<Option<Opened>>,
}

/// `:semihosting-features`: magic, then the bits `EXIT_EXTENDED` and `STDOUT_STDERR`.
pub(super) const FEATURES: [u8; 5] = [b'S', b'H', b'F', b'B', 0b11];

impl Files {
    pub(super) fn new(access: FileAccess) -> Self {
        Files {
            access,
            directory: None,
            open: Vec::new(),
        }
    }

    /// Opens `name`; `mode` is the position of fopen's mode in "r rb r+ r+b w wb w+ w+b a ab a+ a+b". Of the console, `r` is
    /// its input, `w` its output and `a` its error output, as `SH_EXT_STDOUT_STDERR` has it.
    pub(super) fn open(&mut self, name: &str, mode: u32) -> Result<u32, NotOpened> {
        if mode > 11 {
            return Err(NotOpened::Errno(EINVAL));
        }
        let free = self
            .open
            .iter()
            .position(Option::is_none)
            .unwrap_or(self.open.len());
        if free >= MOST {
            return Err(NotOpened::Errno(EMFILE));
        }
        let opened = match (name, mode) {
            (":tt", 0..=3) => Opened::Input,
            (":tt", 4..=7) => Opened::Output,
            (":tt", _) => Opened::Error,
            (":semihosting-features", 0..=1) => Opened::Features(0),
            _ => Opened::File(File::open(self.directory()?, name, mode)?),
        };
        self.open.resize_with(self.open.len().max(free + 1), || None);
        self.open[free] = Some(opened);
        Ok(free as u32 + FIRST)
    }

    fn directory(&mut self) -> Result<&Dir, NotOpened> {
        let FileAccess::Within(path) = &self.access else {
            return Err(NotOpened::Errno(EACCES));
        };
        if self.directory.is_none() {
            let opened = Dir::open_ambient_dir(path, ambient_authority());
            let directory =
                opened.map_err(|error| NotOpened::Unfit(format!("`{}`: {error}", path.display())))?;
            self.directory = Some(Arc::new(directory));
        }
        self.directory.as_deref().ok_or(NotOpened::Errno(EIO))
    }

    pub(super) fn get(&mut self, handle: Handle) -> Option<&mut Opened> {
        self.slot(handle)?.as_mut()
    }

    pub(super) fn close(&mut self, handle: Handle) -> Result<(), u32> {
        let opened = self.slot(handle).and_then(Option::take);
        opened.map(drop).ok_or(EBADF)
    }

    fn slot(&mut self, handle: Handle) -> Option<&mut Option<Opened>> {
        self.open.get_mut(handle.0.checked_sub(FIRST)? as usize)
    }
}

impl Opened {
    /// Always, whatever the console of this host is: how a program buffers its output must not depend on that.
    pub(super) fn is_console(&self) -> bool {
        matches!(self, Opened::Input | Opened::Output | Opened::Error)
    }
}

impl File {
    fn open(directory: &Dir, name: &str, mode: u32) -> Result<File, NotOpened> {
        let (creates, append, both) = (mode >= 4, mode >= 8, mode & 2 != 0);
        let errno = |error: &std::io::Error| NotOpened::Errno(errno(error));
        // Asked before it is opened: opening a pipe waits for its other end.
        match directory.metadata(name) {
            Ok(found) if found.is_dir() => return Err(NotOpened::Errno(EISDIR)),
            Ok(found) if !found.is_file() => {
                let what = format!(
                    "`{}` is neither a file nor a directory",
                    Path::new(name).display()
                );
                return Err(NotOpened::Unfit(what));
            }
            Err(error) if !(creates && error.kind() == ErrorKind::NotFound) => return Err(errno(&error)),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options
            .read(!creates || both)
            .write(both || creates && !append)
            .append(append)
            .create(creates)
            .truncate(creates && !append);
        let file = directory
            .open_with(name, &options)
            .map_err(|error| errno(&error))?;
        Ok(File {
            host: Arc::new(file),
            position: 0,
            append,
        })
    }

    /// Writes, and gives how many bytes were written and why not all.
    pub(super) fn write(&mut self, bytes: &[u8]) -> (usize, u32) {
        let mut file = &*self.host;
        let start = if self.append {
            SeekFrom::End(0)
        } else {
            SeekFrom::Start(self.position)
        };
        match file.seek(start) {
            Ok(position) if position + bytes.len() as u64 > LARGEST => return (0, EFBIG),
            Ok(position) => self.position = position,
            Err(error) => return (0, errno(&error)),
        }
        let mut written = 0;
        while written < bytes.len() {
            match file.write(&bytes[written..]) {
                Ok(0) => return (written, ENOSPC),
                Ok(more) => {
                    written += more;
                    self.position += more as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return (written, errno(&error)),
            }
        }
        (written, 0)
    }

    /// Reads up to `length` bytes, fewer at the end only.
    pub(super) fn read(&mut self, length: usize) -> Result<Vec<u8>, u32> {
        let mut file = &*self.host;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(self.position))
            .and_then(|_| file.take(length as u64).read_to_end(&mut bytes))
            .map_err(|error| errno(&error))?;
        self.position += bytes.len() as u64;
        Ok(bytes)
    }

    /// Its length, as far as 32 bits tell it.
    pub(super) fn length(&self) -> Result<u32, u32> {
        let length = self.host.metadata().map_err(|error| errno(&error))?.len();
        u32::try_from(length).map_err(|_| EFBIG)
    }
}

/// The number by which a program is told of a host's error.
fn errno(error: &std::io::Error) -> u32 {
    match error.kind() {
        ErrorKind::NotFound => ENOENT,
        ErrorKind::PermissionDenied => EACCES,
        ErrorKind::IsADirectory => EISDIR,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ENOSPC,
        ErrorKind::FileTooLarge => EFBIG,
        // Windows' and Unix' answer to a file that was not opened for this.
        _ if matches!(error.raw_os_error(), Some(9)) => EBADF,
        _ => EIO,
    }
}

#[cfg(test)]
mod tests;
