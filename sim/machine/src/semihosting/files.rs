//! A program's files: the console under its name `:tt`, and host files if the user allows them.
//!
//! Writes go to the host at once, so other handles see them, and a crash or an unclosed file loses nothing. A snapshot of a machine holds
//! handles and positions; writes are not undone.
//!
//! Names resolve only inside the folder that the user allowed ([`Folder`]).

use std::io::{ErrorKind, SeekFrom};
use std::sync::Arc;

use crate::host::{Access, FileAccess, Folder, HostFile, OpenError};

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

/// Number of an open file, from [`FIRST`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Handle(pub(super) u32);

/// C libraries use 0, 1 and 2 for standard streams: picolibc never closes them.
const FIRST: u32 = 3;

/// The most open files: more than a small program needs, and fewer than a process may have.
const MOST: usize = 256;

/// The longest file that a program may write, in bytes: a wrong 32-bit position must not fill the disk.
const LARGEST: u64 = 1 << 30;

/// Why a file was not opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotOpened {
    /// The error number for the program.
    Errno(u32),
    /// An error that stops the run with this message: no program expects it.
    Unfit(String),
}

/// The object behind a handle.
#[derive(Clone, Debug)]
pub(super) enum Opened {
    Input,
    Output,
    Error,
    /// The feature bits of the host, and the read position.
    Features(usize),
    File(File),
}

/// A host file. Copies in snapshots have their own positions.
#[derive(Clone, Debug)]
pub(super) struct File {
    host: Arc<dyn HostFile>,
    pub(super) position: u64,
    append: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Files {
    access: FileAccess,
    open: Vec<Option<Opened>>,
}

/// `:semihosting-features`: magic, then the bits `EXIT_EXTENDED` and `STDOUT_STDERR`.
pub(super) const FEATURES: [u8; 5] = [b'S', b'H', b'F', b'B', 0b11];

impl Files {
    pub(super) fn new(access: FileAccess) -> Self {
        Files {
            access,
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
            _ => Opened::File(File::open(self.folder()?, name, mode)?),
        };
        self.open.resize_with(self.open.len().max(free + 1), || None);
        self.open[free] = Some(opened);
        Ok(free as u32 + FIRST)
    }

    fn folder(&self) -> Result<&dyn Folder, NotOpened> {
        match &self.access {
            FileAccess::None => Err(NotOpened::Errno(EACCES)),
            FileAccess::Within(folder) => Ok(&**folder),
        }
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
    /// Always true, whatever the host's console is: a program's buffering must not depend on it.
    pub(super) fn is_console(&self) -> bool {
        matches!(self, Opened::Input | Opened::Output | Opened::Error)
    }
}

impl File {
    fn open(folder: &dyn Folder, name: &str, mode: u32) -> Result<File, NotOpened> {
        let (creates, append, both) = (mode >= 4, mode >= 8, mode & 2 != 0);
        let access = Access {
            read: !creates || both,
            write: both || creates && !append,
            append,
            create: creates,
            truncate: creates && !append,
        };
        let host = folder.open(name, access).map_err(|error| match error {
            OpenError::Io(error) => NotOpened::Errno(errno(&error)),
            OpenError::Unfit(what) => NotOpened::Unfit(what),
        })?;
        Ok(File {
            host,
            position: 0,
            append,
        })
    }

    /// Writes; returns how many bytes were written, and the error if not all.
    pub(super) fn write(&mut self, bytes: &[u8]) -> (usize, u32) {
        let file = &*self.host;
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

    /// Reads up to `length` bytes, fewer only at the end.
    pub(super) fn read(&mut self, length: usize) -> Result<Vec<u8>, u32> {
        let file = &*self.host;
        let bytes = file.seek(SeekFrom::Start(self.position));
        let bytes = bytes.and_then(|_| file.read(length as u64));
        let bytes = bytes.map_err(|error| errno(&error))?;
        self.position += bytes.len() as u64;
        Ok(bytes)
    }

    /// Its length; `EFBIG` beyond 32 bits.
    pub(super) fn length(&self) -> Result<u32, u32> {
        let length = self.host.length().map_err(|error| errno(&error))?;
        u32::try_from(length).map_err(|_| EFBIG)
    }
}

/// The error number for a host error.
fn errno(error: &std::io::Error) -> u32 {
    match error.kind() {
        ErrorKind::NotFound => ENOENT,
        ErrorKind::PermissionDenied => EACCES,
        ErrorKind::IsADirectory => EISDIR,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => ENOSPC,
        ErrorKind::FileTooLarge => EFBIG,
        // The answer of Windows and Unix for a file opened in another mode.
        _ if matches!(error.raw_os_error(), Some(9)) => EBADF,
        _ => EIO,
    }
}

#[cfg(test)]
mod tests;
