//! Points: the places at which spans begin and end.

use std::fmt;

/// A place in a run, as a spec writes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Point {
    /// The start of execution of an instruction.
    Code {
        /// The instruction.
        place: CodePlace,
        /// Whether the debugger halts the core there, which drains the pipeline.
        halt: bool,
    },
    /// `bkpt:N`: the N-th breakpoint instruction of the run, from 1.
    Breakpoint(u32),
    /// `bkpt:#N`: every breakpoint instruction with operand N.
    Marker(u8),
    /// `exception:NAME`, `exception:NAME:exit`.
    Exception {
        /// The exception's name: the architecture's, `IRQ6`, or the board's.
        name: String,
        /// Entry or exit.
        edge: Edge,
    },
    /// `write:SYMBOL`: a store to the object.
    Write(String),
    /// `raise:NAME`: the spec's own external interrupt arrives.
    Raise(String),
}

/// How an instruction is named.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CodePlace {
    /// `symbol` or `symbol+offset`.
    Symbol {
        /// Symbol name, mangled or demangled.
        name: String,
        /// Offset in bytes from the symbol.
        offset: u32,
    },
    /// `file.rs:12`.
    Line {
        /// The end of the file's path.
        file: String,
        /// Line number, from 1.
        line: u32,
    },
}

/// Entry or exit of an exception.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Edge {
    /// The handler's first instruction starts.
    Entry,
    /// Execution continues after the return.
    Exit,
}

/// The forms of a point, for error messages.
pub(super) const FORMS: &str = "a point is `symbol`, `symbol+0x4`, `file.rs:12`, `bkpt:1`, `bkpt:#1`, `exception:NAME`, \
    `exception:NAME:exit`, `write:symbol`, `raise:NAME`, or `halt:` and a place in code";

impl Point {
    /// Parses a point.
    ///
    /// # Errors
    ///
    /// The mistake, and advice.
    pub fn parse(text: &str) -> Result<Point, (String, String)> {
        let wrong = |what: &str| (what.to_owned(), FORMS.to_owned());
        match prefix(text) {
            Some(("bkpt", operand)) if operand.starts_with('#') => match operand[1..].parse() {
                Ok(operand) => Ok(Point::Marker(operand)),
                Err(_) => Err((
                    format!("`{operand}` is not the operand of a breakpoint"),
                    "a breakpoint's operand is `#0` to `#255`".to_owned(),
                )),
            },
            Some(("bkpt", number)) => match number.parse() {
                Ok(number) if number > 0 => Ok(Point::Breakpoint(number)),
                _ => Err((
                    format!("`{number}` is not the number of a breakpoint"),
                    "breakpoints are numbered from 1 in the order in which the run meets them".to_owned(),
                )),
            },
            Some(("exception", rest)) => exception(rest),
            Some(("write" | "halt" | "raise", "")) => Err(wrong("the point names no place")),
            Some(("write", symbol)) => Ok(Point::Write(symbol.to_owned())),
            Some(("raise", name)) => Ok(Point::Raise(name.to_owned())),
            Some(("halt", place)) => Ok(Point::Code {
                place: CodePlace::parse(place),
                halt: true,
            }),
            _ if text.is_empty() => Err(wrong("the point is empty")),
            _ => Ok(Point::Code {
                place: CodePlace::parse(text),
                halt: false,
            }),
        }
    }
}

/// Splits `kind:rest`, unless the colon is part of a path such as `app::main`.
fn prefix(text: &str) -> Option<(&str, &str)> {
    text.split_once(':').filter(|(_, rest)| !rest.starts_with(':'))
}

fn exception(rest: &str) -> Result<Point, (String, String)> {
    let (name, edge) = match rest.split_once(':') {
        None | Some((_, "entry")) => (rest.trim_end_matches(":entry"), Edge::Entry),
        Some((name, "exit")) => (name, Edge::Exit),
        Some((_, other)) => {
            let help = "an exception has an `entry` (which need not be written) and an `exit`";
            return Err((
                format!("`{other}` is not an end of an exception"),
                help.to_owned(),
            ));
        }
    };
    if name.is_empty() {
        return Err(("the point names no exception".to_owned(), FORMS.to_owned()));
    }
    Ok(Point::Exception {
        name: name.to_owned(),
        edge,
    })
}

impl CodePlace {
    /// Any text that is not a line is a symbol, since function names have few rules.
    fn parse(text: &str) -> CodePlace {
        if let Some((file, line)) = text.rsplit_once(':')
            && !file.is_empty()
            && !file.ends_with(':')
            && let Ok(line @ 1..) = line.parse()
        {
            return CodePlace::Line {
                file: file.to_owned(),
                line,
            };
        }
        if let Some((name, offset)) = text.rsplit_once('+')
            && !name.is_empty()
            && let Some(offset) = number(offset.trim())
        {
            return CodePlace::Symbol {
                name: name.trim_end().to_owned(),
                offset,
            };
        }
        CodePlace::Symbol {
            name: text.to_owned(),
            offset: 0,
        }
    }
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodePlace::Symbol { name, offset: 0 } => f.write_str(name),
            CodePlace::Symbol { name, offset } => write!(f, "{name}+{offset:#x}"),
            CodePlace::Line { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Code { place, halt } => write!(f, "{}{place}", if *halt { "halt:" } else { "" }),
            Point::Breakpoint(number) => write!(f, "bkpt:{number}"),
            Point::Marker(operand) => write!(f, "bkpt:#{operand}"),
            Point::Exception {
                name,
                edge: Edge::Entry,
            } => write!(f, "exception:{name}"),
            Point::Exception {
                name,
                edge: Edge::Exit,
            } => write!(f, "exception:{name}:exit"),
            Point::Write(symbol) => write!(f, "write:{symbol}"),
            Point::Raise(name) => write!(f, "raise:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, offset: u32, halt: bool) -> Point {
        Point::Code {
            place: CodePlace::Symbol {
                name: name.to_owned(),
                offset,
            },
            halt,
        }
    }

    fn exception(name: &str, edge: Edge) -> Point {
        Point::Exception {
            name: name.to_owned(),
            edge,
        }
    }

    #[test]
    fn every_form_is_read_and_shown_as_it_was_written() {
        let line = CodePlace::Line {
            file: "src/main.rs".to_owned(),
            line: 12,
        };
        let cases = [
            ("main", symbol("main", 0, false)),
            ("app::task::t1", symbol("app::task::t1", 0, false)),
            (
                "<app::Task as Run>::go",
                symbol("<app::Task as Run>::go", 0, false),
            ),
            ("t1+0x4", symbol("t1", 4, false)),
            ("halt:t1_request", symbol("t1_request", 0, true)),
            (
                "src/main.rs:12",
                Point::Code {
                    place: line,
                    halt: false,
                },
            ),
            ("bkpt:2", Point::Breakpoint(2)),
            ("bkpt:#7", Point::Marker(7)),
            ("exception:PendSV", exception("PendSV", Edge::Entry)),
            ("exception:IRQ6:exit", exception("IRQ6", Edge::Exit)),
            ("write:COUNTER", Point::Write("COUNTER".to_owned())),
            ("raise:IRQ6", Point::Raise("IRQ6".to_owned())),
        ];
        for (text, point) in cases {
            assert_eq!(Point::parse(text).as_ref(), Ok(&point), "{text}");
            assert_eq!(point.to_string(), text);
        }
    }

    #[test]
    fn other_ways_to_write_the_same() {
        assert_eq!(Point::parse("t1+4"), Ok(symbol("t1", 4, false)));
        assert_eq!(
            Point::parse("exception:PendSV:entry"),
            Point::parse("exception:PendSV")
        );
        // An operator's name is not an offset.
        assert_eq!(
            Point::parse("Clock::operator+"),
            Ok(symbol("Clock::operator+", 0, false))
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let title = |text| Point::parse(text).unwrap_err().0;
        assert_eq!(title(""), "the point is empty");
        assert_eq!(title("bkpt:0"), "`0` is not the number of a breakpoint");
        assert_eq!(title("bkpt:x"), "`x` is not the number of a breakpoint");
        assert_eq!(title("exception:"), "the point names no exception");
        assert_eq!(
            title("exception:PendSV:end"),
            "`end` is not an end of an exception"
        );
        assert_eq!(title("write:"), "the point names no place");
    }
}
