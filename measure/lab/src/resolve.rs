//! Resolves points in an image.

use machine::image::{SymbolError, SymbolKind};
use machine::{Board, Exception, ExceptionError, Image, Listing};

use crate::calls::inlining;
use crate::diagnostic::{Diagnostic, Result};
use crate::spec::{CodePlace, Located, Point, Spec};
use crate::watch::Place;

/// Bytes assumed for an object without a size in the ELF: a word.
const UNSIZED: u32 = 4;

/// The context in which points are resolved.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The spec, for messages.
    pub spec: &'a Spec,
    /// The image with its symbols and lines.
    pub image: &'a Image,
    /// The board with its interrupts.
    pub board: &'a Board,
}

impl Scope<'_> {
    /// The place of a point.
    ///
    /// # Errors
    ///
    /// If a name is missing from the image or board.
    pub fn place(&self, point: &Located<Point>) -> Result<Place> {
        match &point.value {
            Point::Code { place, .. } => self.code(place, point).map(Place::Code),
            Point::Breakpoint(number) => Ok(Place::Breakpoint(*number)),
            Point::Marker(operand) => Ok(Place::Marker(*operand)),
            Point::Exception { name, edge } => {
                let exception = self.exception(&Located {
                    value: name.clone(),
                    range: point.range.clone(),
                })?;
                Ok(Place::Exception(exception, *edge))
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

    /// The addresses at which the debugger must halt the core for this point.
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

    /// The exception with a name.
    ///
    /// # Errors
    ///
    /// If neither the architecture nor the board defines it.
    pub fn exception(&self, name: &Located<String>) -> Result<Exception> {
        self.found(name, self.board.exception(&name.value))
    }

    /// As [`Scope::exception`], for an exception that can be raised from outside.
    ///
    /// # Errors
    ///
    /// Also if it is not an input of the core, or the core has no inputs.
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

    /// Address of a function's first instruction.
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

    /// Address of an object.
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
                let address = address.wrapping_add(*offset);
                if !address.is_multiple_of(2) || !self.image.has_code(address) {
                    return Err(self.no_instruction(address, name, at));
                }
                Ok(vec![address])
            }
            CodePlace::Line { file, line } => self
                .image
                .line_addresses(file, *line)
                .map_err(|error| self.not_there(error.to_string(), error.hint(), at)),
        }
    }

    /// The error for an address in `name` at which no instruction begins, with the nearest at which one does.
    fn no_instruction(&self, address: u32, name: &str, at: &Located<Point>) -> Diagnostic {
        let title = format!("no instruction begins at {address:#010x}");
        let symbol = self.image.symbol(name).ok();
        let code = symbol.filter(|symbol| self.image.has_code(symbol.address));
        let near = code.and_then(|symbol| Some((symbol.address, self.around(symbol.address, address)?)));
        let help = match near {
            Some((start, (before, next))) => format!(
                "the nearest instructions are at `{name}+{:#x}` and `{name}+{:#x}`",
                before - start,
                next - start
            ),
            None => "for a store to an object, write `write:` and its name".to_owned(),
        };
        self.spec.mistake(title, &at.range, "").help(help)
    }

    /// The last instruction that begins before an address, and the first from there on, of the code that begins at `start`.
    fn around(&self, start: u32, address: u32) -> Option<(u32, u32)> {
        let listing = Listing::new(self.image.architecture());
        let (mut next, mut before) = (start, start);
        while next < address {
            before = next;
            let size = if self.image.is_data(next) {
                2
            } else {
                listing.length(self.image.stored_halfword(next)?)
            };
            next = next.checked_add(size)?;
        }
        Some((before, next))
    }

    /// The instruction that contains a point between two instruction starts, for messages about points never reached. This is not an
    /// error by itself: unmarked data in code looks like instructions.
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
        let (before, next) = self.around(symbol.address, wanted)?;
        let text = || {
            format!(
                "`{name}+{offset:#x}` is in the middle of the instruction at `{name}+{:#x}`",
                before - symbol.address
            )
        };
        (next != wanted).then(text)
    }

    fn not_there<T>(&self, title: String, hint: Option<String>, at: &Located<T>) -> Diagnostic {
        self.spec
            .mistake(title, &at.range, "")
            .maybe_help(hint)
            .note(format!("looked up in {}", self.image.file()))
    }
}
