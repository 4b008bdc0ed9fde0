//! Finds the places of points in a particular image.

use machine::image::{SymbolError, SymbolKind};
use machine::{Board, Exception, ExceptionError, Image, Listing};

use crate::calls::inlining;
use crate::diagnostic::{Diagnostic, Result};
use crate::spec::{CodePlace, Located, Point, Spec};
use crate::watch::Place;

/// Bytes that a store can change of an object whose size the ELF does not tell: a word.
const UNSIZED: u32 = 4;

/// What points are looked up in.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// For messages.
    pub spec: &'a Spec,
    /// Its symbols and lines.
    pub image: &'a Image,
    /// Its interrupts.
    pub board: &'a Board,
}

impl Scope<'_> {
    /// The place of a point.
    ///
    /// # Errors
    ///
    /// If what it names is not in the image or on the board.
    pub fn place(&self, point: &Located<Point>) -> Result<Place> {
        match &point.value {
            Point::Code { place, .. } => self.code(place, point).map(Place::Code),
            Point::Breakpoint(number) => Ok(Place::Breakpoint(*number)),
            Point::Marker(operand) => Ok(Place::Marker(*operand)),
            Point::Exception { name, edge } => {
                let number = self.exception(&Located {
                    value: name.clone(),
                    range: point.range.clone(),
                })?;
                Ok(Place::Exception(number, *edge))
            }
            Point::Raise(name) => {
                let exception = self.input(&Located {
                    value: name.clone(),
                    range: point.range.clone(),
                })?;
                Ok(Place::Raise(exception))
            }
            Point::Write(name) => {
                let (address, size) = self.object(name, point)?;
                Ok(Place::Write(
                    address..address.saturating_add(if size == 0 { UNSIZED } else { size }),
                ))
            }
        }
    }

    /// The addresses at which the debugger has to halt the core for this point.
    ///
    /// # Errors
    ///
    /// As [`Scope::place`].
    pub fn halts(&self, point: &Located<Point>) -> Result<Vec<u32>> {
        match &point.value {
            Point::Code { place, halt: true } => self.code(place, point),
            _ => Ok(Vec::new()),
        }
    }

    /// The number that events give a named exception.
    ///
    /// # Errors
    ///
    /// If neither the architecture nor the board knows it.
    pub fn exception(&self, name: &Located<String>) -> Result<u16> {
        let exception = self.found(name, self.board.exception(&name.value))?;
        Ok(exception.code(self.board.core().architecture()))
    }

    /// As [`Scope::exception`], of one that can be raised from outside.
    ///
    /// # Errors
    ///
    /// Also if it is no input of the core, or that takes none.
    pub fn input(&self, name: &Located<String>) -> Result<Exception> {
        if !self.board.has_handlers() {
            let title = format!("the core of board `{}` takes no interrupts", self.board.name());
            return Err(self.spec.mistake(title, &name.range, ""));
        }
        self.found(name, self.board.input(&name.value))
    }

    fn found(
        &self,
        name: &Located<String>,
        found: std::result::Result<Exception, ExceptionError>,
    ) -> Result<Exception> {
        found.map_err(|error| {
            let mistake = self.spec.mistake(error.to_string(), &name.range, "");
            mistake.maybe_help(error.hint())
        })
    }

    /// The first instruction of a function.
    ///
    /// # Errors
    ///
    /// If the image has no such function, or several.
    pub fn function(&self, name: &Located<String>) -> Result<u32> {
        let found = self.image.symbol(&name.value);
        let symbol = found.map_err(|error| {
            let missing = matches!(error, SymbolError::Unknown { .. });
            let message = self.not_there(error.to_string(), error.hint(), name);
            if missing {
                message.help(inlining::hint(self.image, &name.value))
            } else {
                message
            }
        })?;
        if symbol.kind != SymbolKind::Object && self.image.has_code(symbol.address) {
            return Ok(symbol.address);
        }
        let title = format!("`{}` is not a function", name.value);
        Err(self.spec.mistake(title, &name.range, ""))
    }

    /// The address of an object.
    ///
    /// # Errors
    ///
    /// If the image has no such symbol.
    pub fn address(&self, name: &Located<String>) -> Result<u32> {
        Ok(self.object(&name.value, name)?.0)
    }

    fn object<T>(&self, name: &str, at: &Located<T>) -> Result<(u32, u32)> {
        match self.image.symbol(name) {
            Ok(symbol) => Ok((symbol.address, symbol.size)),
            Err(error) => Err(self.not_there(error.to_string(), error.hint(), at)),
        }
    }

    fn code(&self, place: &CodePlace, at: &Located<Point>) -> Result<Vec<u32>> {
        match place {
            CodePlace::Symbol { name, offset } => {
                let (address, size) = self.object(name, at)?;
                if size != 0 && *offset >= size {
                    let title = format!("`{name}` has only {size} bytes");
                    return Err(self.spec.mistake(title, &at.range, ""));
                }
                self.instruction(address.wrapping_add(*offset), at)
                    .map(|address| vec![address])
            }
            CodePlace::Line { file, line } => self
                .image
                .line_addresses(file, *line)
                .map_err(|error| self.not_there(error.to_string(), error.hint(), at)),
        }
    }

    fn instruction(&self, address: u32, at: &Located<Point>) -> Result<u32> {
        if address.is_multiple_of(2) && self.image.has_code(address) {
            return Ok(address);
        }
        let title = format!("no instruction begins at {address:#010x}");
        let help = "for a store to an object, write `write:` and its name";
        Err(self.spec.mistake(title, &at.range, "").help(help))
    }

    /// If a point lies between the beginnings of two instructions, which is told where it was never reached: that instruction. Not
    /// a mistake by itself, since data among code, which not every program marks, is taken for instructions here.
    pub(crate) fn within_instruction(&self, point: &Point) -> Option<String> {
        let Point::Code {
            place: CodePlace::Symbol { name, offset },
            ..
        } = point
        else {
            return None;
        };
        let symbol = self.image.symbol(name).ok()?;
        let wanted = symbol.address.wrapping_add(*offset);
        let listing = Listing::new(self.image.architecture());
        let (mut pc, mut before) = (symbol.address, symbol.address);
        while pc < wanted {
            before = pc;
            let size = if self.image.is_data(pc) {
                2
            } else {
                listing.length(self.image.stored_halfword(pc)?)
            };
            pc = pc.checked_add(size)?;
        }
        let text = || {
            format!(
                "`{name}+{offset:#x}` is in the middle of the instruction at `{name}+{:#x}`",
                before - symbol.address
            )
        };
        (pc != wanted).then(text)
    }

    fn not_there<T>(&self, title: String, hint: Option<String>, at: &Located<T>) -> Diagnostic {
        self.spec
            .mistake(title, &at.range, "")
            .maybe_help(hint)
            .note(format!("looked up in {}", self.image.file()))
    }
}
