//! The files of a program, joined to one image.

use std::path::PathBuf;
use std::sync::OnceLock;

use super::elf;
use super::error::{ImageError, ImageProblem};
use super::raw::{self, Format, Raw};
use super::symbols::Symbols;
use super::{Architecture, Image, LARGEST, Section, Segment};
use crate::host::Files;

/// The largest file that is not ELF, in bytes: Intel HEX takes almost three per byte of memory.
const LARGEST_RAW: u64 = 512 << 20;

/// One file of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramFile {
    /// Its path.
    pub path: PathBuf,
    /// The load address of a binary file, whose format has none.
    pub base: Option<u32>,
}

impl ProgramFile {
    /// A file whose format includes addresses.
    pub fn new(path: impl Into<PathBuf>) -> ProgramFile {
        let path = path.into();
        ProgramFile { path, base: None }
    }
}

impl Image {
    /// Reads the files of one program from this computer.
    ///
    /// # Errors
    /// The errors of [`Image::load_all_from`].
    ///
    /// # Panics
    /// If `files` is empty.
    #[cfg(feature = "host")]
    pub fn load_all(files: &[ProgramFile], architecture: Option<Architecture>) -> Result<Image, ImageError> {
        Image::load_all_from(&crate::host::System, files, architecture)
    }

    /// Reads the files of one program: ELF, Intel HEX, UF2, or binary files with an address. The entry point is the first file's. A file
    /// that is not ELF has no architecture; `architecture` applies, otherwise the first file's, otherwise Arm.
    ///
    /// # Errors
    /// [`ImageError`] names a file of another kind, or two files with bytes at the same address.
    ///
    /// # Panics
    /// If `files` is empty.
    pub fn load_all_from(
        from: &dyn Files,
        files: &[ProgramFile],
        architecture: Option<Architecture>,
    ) -> Result<Image, ImageError> {
        let (first, others) = files.split_first().expect("a program has a file");
        let first = Image::load_one(from, first, architecture.unwrap_or(Architecture::Arm))?;
        let architecture = architecture.unwrap_or(first.architecture);
        others.iter().try_fold(first, |image, other| {
            image.joined(Image::load_one(from, other, architecture)?)
        })
    }

    fn load_one(
        from: &dyn Files,
        file: &ProgramFile,
        architecture: Architecture,
    ) -> Result<Image, ImageError> {
        let name = file.path.display().to_string();
        let read = || -> Result<Image, ImageProblem> {
            // Only the beginning, if the file is not ELF.
            let mut data = from
                .read_marked(&file.path, &object::elf::ELFMAG, LARGEST)
                .map_err(ImageProblem::Unreadable)?;
            let format = Format::of(&data);
            if let (Some(_), Some(what)) = (file.base, format.with_addresses()) {
                return Err(ImageProblem::HasAddresses { what });
            }
            if format != Format::Elf && (format != Format::Binary || file.base.is_some()) {
                data = from
                    .read(&file.path, LARGEST_RAW)
                    .map_err(ImageProblem::Unreadable)?;
            }
            let raw = match (format, file.base) {
                (Format::Elf, _) => return Image::parse_bytes(&name, &data),
                (Format::IntelHex, _) => raw::intel_hex(&data)?,
                (Format::Uf2, _) => raw::uf2(&data)?,
                (Format::Binary, Some(base)) => raw::binary(&data, base)?,
                // A file that starts like Intel HEX gets that parser's errors, with the record.
                (Format::Binary, None) if data.starts_with(b":") => raw::intel_hex(&data)?,
                (Format::Binary, None) => {
                    let found = elf::looks_like(&data);
                    return Err(ImageProblem::NotElf { found });
                }
            };
            Ok(Image::of_raw(&name, &data, raw, architecture))
        };
        read().map_err(|problem| ImageError {
            file: name.clone(),
            problem,
        })
    }

    /// The image of a raw file.
    fn of_raw(file: &str, data: &[u8], raw: Raw, architecture: Architecture) -> Image {
        let sections = raw.segments.iter().enumerate().map(|(index, segment)| Section {
            index,
            name: String::new(),
            address: segment.address,
            size: segment.runs_size,
            executable: true,
        });
        Image {
            file: file.into(),
            architecture,
            entry: raw.entry.unwrap_or(raw.segments[0].address),
            sections: sections.collect(),
            segments: raw.segments,
            further: Vec::new(),
            symbols: Symbols::default(),
            debug: Vec::new(),
            files: vec![data.into()],
            sha256: OnceLock::new(),
            toolchain: Vec::new(),
            defmt: None,
            suite: None,
            built: None,
        }
    }

    /// Adds another file to this program.
    fn joined(mut self, other: Image) -> Result<Image, ImageError> {
        let overlaps = |a: &Segment, b: &Segment| {
            let (a, b) = (
                (a.address, a.bytes.len() as u64),
                (b.address, b.bytes.len() as u64),
            );
            let end = |(start, size): (u32, u64)| u64::from(start) + size;
            u64::from(a.0) < end(b) && u64::from(b.0) < end(a)
        };
        for segment in &other.segments {
            if let Some(mine) = self.segments.iter().find(|mine| overlaps(mine, segment)) {
                let address = segment.address.max(mine.address);
                let problem = ImageProblem::Overlaps {
                    other: self.file,
                    address,
                };
                return Err(ImageError {
                    file: other.file,
                    problem,
                });
            }
        }
        if self.architecture != other.architecture {
            let (built, other_built) = (other.architecture.name(), self.architecture.name());
            let problem = ImageProblem::OtherArchitecture {
                built,
                other: other_built,
            };
            return Err(ImageError {
                file: other.file,
                problem,
            });
        }
        self.built = self.built.or(other.built);
        if self.sections.is_empty() && !other.sections.is_empty() {
            self.sections = sections_of(&self.segments);
        }
        // Section numbers tell the places of one file apart.
        let from = 1 + self
            .sections
            .iter()
            .map(|section| section.index)
            .max()
            .unwrap_or(0);
        let theirs = if other.sections.is_empty() && !self.sections.is_empty() {
            sections_of(&other.segments)
        } else {
            other.sections
        };
        self.sections.extend(theirs.into_iter().map(|section| Section {
            index: section.index + from,
            ..section
        }));
        self.further.push((self.segments.len(), other.file));
        self.segments.extend(other.segments);
        self.symbols.join(other.symbols, from);
        self.defmt = self.defmt.or(other.defmt);
        self.suite = self.suite.or(other.suite);
        self.debug.extend(other.debug);
        self.files.extend(other.files);
        self.sha256 = OnceLock::new();
        self.toolchain.extend(other.toolchain);
        Ok(self)
    }
}

/// Segments as sections, for a file without section headers (`strip --strip-section-headers`).
fn sections_of(segments: &[Segment]) -> Vec<Section> {
    let section = |(index, segment): (usize, &Segment)| Section {
        index,
        name: String::new(),
        address: segment.runs_at,
        size: segment.runs_size,
        executable: segment.executable,
    };
    segments.iter().enumerate().map(section).collect()
}
