//! DWARF: source lines, inlined functions, call frames.
//!
//! The line table is read once into one sorted list, because mapping `file:line` to addresses needs all of it. `addr2line` looks up
//! inlined functions on demand. A linker that drops a function leaves its debug information at address 0, where many boards have their
//! vector table; such sequences are left out, and an answer of `addr2line` that contradicts the line table is not used.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gimli::{EndianArcSlice, LittleEndian, Reader as _, SectionId};
use object::{Object, ObjectSection};

use super::elf::{self, Elf};
use super::lines::LineTable;
use super::logs::logs;
use super::names::{demangle, in_a_line};

pub(super) type Reader = EndianArcSlice<LittleEndian>;

/// A position in a program's source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The file as the compiler recorded it.
    pub file: Arc<str>,
    /// Line, from 1; 0 if the compiler gave none.
    pub line: u32,
    /// Column, from 1; 0 if the compiler gave none.
    pub column: u32,
}

/// A function and a position in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFrame {
    /// The function's readable name, if known.
    pub function: Option<String>,
    /// The position in the function.
    pub place: Option<SourcePlace>,
    /// Whether its code is inlined into the next frame's function.
    pub inlined: bool,
}

/// The parsed debug sections of an image; empty if it has none.
pub(super) struct DebugInfo {
    pub(super) lines: LineTable,
    functions: Option<Mutex<Functions>>,
    pub(super) frames: gimli::DebugFrame<Reader>,
    /// The source positions of defmt statements, by symbol.
    pub(super) logs: BTreeMap<String, SourcePlace>,
    pub(super) dwarf: Option<Arc<gimli::Dwarf<Reader>>>,
}

/// The debug information of an ELF file, parsed on first use, which takes longer than running a short program.
pub(super) struct LazyDebugInfo {
    file: Arc<[u8]>,
    info: OnceLock<DebugInfo>,
}

impl LazyDebugInfo {
    /// The debug information of an ELF file with these contents.
    pub(super) fn of(file: &Arc<[u8]>) -> LazyDebugInfo {
        LazyDebugInfo {
            file: Arc::clone(file),
            info: OnceLock::new(),
        }
    }

    pub(super) fn get(&self) -> &DebugInfo {
        self.info.get_or_init(|| {
            let Ok(elf) = elf::parse(&self.file) else {
                return DebugInfo::none();
            };
            let segments = elf::segments(&elf).unwrap_or_default();
            let sections = super::sections(&elf);
            DebugInfo::read(&elf, |address| super::is_code(&segments, &sections, address))
        })
    }
}

/// Looks up the functions at an address.
struct Functions {
    context: addr2line::Context<Reader>,
    /// Demangled names by linker names: demangling is slower than a lookup.
    names: HashMap<String, String>,
}

impl std::fmt::Debug for DebugInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DebugInfo")
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

impl DebugInfo {
    /// Empty debug information.
    fn none() -> DebugInfo {
        let nothing = EndianArcSlice::new(Arc::from([]), LittleEndian);
        DebugInfo {
            lines: LineTable::default(),
            functions: None,
            frames: gimli::DebugFrame::from(nothing),
            logs: BTreeMap::new(),
            dwarf: None,
        }
    }

    /// Parses what it can. It ignores damaged debug information, which never keeps a program from running.
    pub(super) fn read(elf: &Elf<'_>, is_code: impl Fn(u32) -> bool) -> DebugInfo {
        let section = |id: SectionId| section(elf, id.name());
        let dwarf = gimli::Dwarf::load(|id| Ok::<_, gimli::Error>(section(id)));
        let dwarf = dwarf.map(Arc::new).ok();
        let lines = dwarf
            .as_ref()
            .map(|dwarf| LineTable::read(dwarf, is_code))
            .unwrap_or_default();
        let logged = dwarf.as_ref().filter(|_| elf.section_by_name(".defmt").is_some());
        let logs = logged.map(|dwarf| logs(dwarf)).unwrap_or_default();
        let context = dwarf
            .clone()
            .and_then(|dwarf| addr2line::Context::from_arc_dwarf(dwarf).ok());
        let functions = context.map(|context| {
            let names = HashMap::new();
            Mutex::new(Functions { context, names })
        });
        let mut frames = gimli::DebugFrame::from(section(SectionId::DebugFrame));
        frames.set_address_size(4);
        DebugInfo {
            lines,
            functions,
            frames,
            logs,
            dwarf,
        }
    }

    /// The functions at `address`, the innermost inlined one first; empty if unknown.
    pub(super) fn frames_at(&self, address: u32) -> Vec<SourceFrame> {
        let place = self.lines.at(address);
        let frames = self.ask(address).unwrap_or_default();
        let agrees = |frame: &SourceFrame| match (&frame.place, &place) {
            (Some(a), Some(b)) => a.line == b.line && a.file.ends_with(b.file_name()),
            (None, None) => true,
            _ => false,
        };
        if frames.first().is_some_and(agrees) {
            return frames;
        }
        place
            .map(|place| SourceFrame {
                function: None,
                place: Some(place),
                inlined: false,
            })
            .into_iter()
            .collect()
    }

    fn ask(&self, address: u32) -> Option<Vec<SourceFrame>> {
        let mut functions = self
            .functions
            .as_ref()?
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Functions { context, names } = &mut *functions;
        let mut iterator = context.find_frames(u64::from(address)).skip_all_loads().ok()?;
        let mut frames = Vec::new();
        while let Some(frame) = iterator.next().ok()? {
            frames.push(source_frame(&frame, names));
        }
        if let Some((_, inlined)) = frames.split_last_mut() {
            for frame in inlined {
                frame.inlined = true;
            }
        }
        Some(frames)
    }
}

impl SourcePlace {
    /// The last component of the file's path.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file)
    }
}

impl std::fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

fn source_frame(frame: &addr2line::Frame<'_, Reader>, names: &mut HashMap<String, String>) -> SourceFrame {
    let raw = frame
        .function
        .as_ref()
        .and_then(|function| function.raw_name().ok());
    let name = raw.map(|raw| match names.get(&*raw) {
        Some(name) => name.clone(),
        None => names
            .entry(raw.to_string())
            .or_insert_with(|| demangle(&raw))
            .clone(),
    });
    let place = frame.location.as_ref().and_then(|location| {
        let (line, column) = (location.line.unwrap_or(0), location.column.unwrap_or(0));
        Some(SourcePlace {
            file: in_a_line(location.file?.to_owned()).into(),
            line,
            column,
        })
    });
    SourceFrame {
        function: name,
        place,
        inlined: false,
    }
}

fn section(elf: &Elf<'_>, name: &str) -> Reader {
    let section = elf.section_by_name(name);
    let data = section.and_then(|section| section.uncompressed_data().ok());
    Reader::new(data.unwrap_or_default().as_ref().into(), LittleEndian)
}

/// Reads a string of the debug sections.
pub(super) fn text(reader: &Reader) -> Option<String> {
    reader.to_string_lossy().ok().map(std::borrow::Cow::into_owned)
}
