//! Messages to the user: one clear title, the place, a hint.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use crate::nearest::did_you_mean;

/// The kind of a message, which decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Nothing to do: something was left out, and the rest is valid.
    Skipped = 0,
    /// A measurement exceeded its limit, or a checked file is stale: exit code 1.
    Failed = 1,
    /// A mistake of the user: exit code 2.
    Mistake = 2,
    /// The firmware crashed or exceeded its limit: exit code 3.
    Firmware = 3,
}

/// A text that messages point into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name as the user gave it.
    pub path: String,
    /// Its full text.
    pub text: String,
}

/// A message. Boxed, since most functions may return one but rarely do.
#[derive(Clone, Debug)]
pub struct Diagnostic(Box<Message>);

#[derive(Clone, Debug)]
struct Message {
    kind: Kind,
    title: String,
    place: Option<Place>,
    notes: Vec<String>,
    help: Vec<String>,
    body: String,
}

#[derive(Clone, Debug)]
enum Place {
    File(String),
    Text {
        source: Arc<Source>,
        range: Range<usize>,
        label: String,
    },
}

/// ``did you mean `motor.elf`?``, of the files beside one that does not exist.
pub(crate) fn similar_file(path: &Path) -> Option<String> {
    if path.exists() {
        return None;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = folder.unwrap_or(Path::new(".")).read_dir().ok()?.flatten();
    let names: Vec<String> = files
        .filter_map(|file| file.file_name().into_string().ok())
        .collect();
    did_you_mean(path.file_name()?.to_str()?, names.iter().map(String::as_str))
}

/// Removes control characters that a terminal would interpret; names in files may contain any.
pub fn visible(text: &str) -> String {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(obeyed) {
        return text.to_owned();
    }
    let shown = |c: char| {
        if obeyed(c) {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    };
    text.chars().map(shown).collect()
}

/// The result type of most command-line functions.
pub type Result<T, E = Diagnostic> = std::result::Result<T, E>;

impl Diagnostic {
    /// A message of a kind.
    pub fn new(kind: Kind, title: impl Into<String>) -> Diagnostic {
        let title = visible(&title.into());
        Diagnostic(Box::new(Message {
            kind,
            title,
            place: None,
            notes: Vec::new(),
            help: Vec::new(),
            body: String::new(),
        }))
    }

    /// A mistake of the user.
    pub fn mistake(title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Mistake, title)
    }

    /// A failure of the firmware.
    pub fn firmware(title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Firmware, title)
    }

    /// Sets the file as the message's place.
    #[must_use]
    pub fn in_file(mut self, path: impl Into<String>) -> Diagnostic {
        self.0.place = Some(Place::File(visible(&path.into())));
        self
    }

    /// Sets a range of a text as the message's place.
    #[must_use]
    pub fn at(mut self, source: &Arc<Source>, range: Range<usize>, label: impl Into<String>) -> Diagnostic {
        self.0.place = Some(Place::Text {
            source: source.clone(),
            range,
            label: visible(&label.into()),
        });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.0.notes.push(visible(&text.into()));
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.0.help.push(visible(&text.into()));
        self
    }

    /// Adds advice if there is any.
    #[must_use]
    pub fn maybe_help(self, text: Option<String>) -> Diagnostic {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }

    /// Adds text to show verbatim below the message: registers, a backtrace.
    #[must_use]
    pub fn body(mut self, text: impl Into<String>) -> Diagnostic {
        self.0.body = visible(&text.into());
        self
    }

    /// The message's kind.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// A file that cannot be read, with the names like it if there is none of its name.
    pub fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
        Diagnostic::mistake(format!("cannot be read: {error}"))
            .in_file(path.display().to_string())
            .maybe_help(similar_file(path))
    }

    /// Formats the message, with colours if `styled`.
    pub fn render(&self, styled: bool) -> String {
        let renderer = if styled {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let level = match self.0.kind {
            Kind::Skipped => Level::WARNING,
            Kind::Failed | Kind::Mistake | Kind::Firmware => Level::ERROR,
        };
        let mut group = Group::with_title(level.primary_title(self.0.title.as_str()));
        if let Some(place) = &self.0.place {
            group = group.element(place.element());
        }
        let notes = self.0.notes.iter().map(|text| Level::NOTE.message(text.as_str()));
        let help = self.0.help.iter().map(|text| Level::HELP.message(text.as_str()));
        let message = renderer.render(&[group.elements(notes.chain(help))]);
        let body = self.0.body.trim_end();
        if body.is_empty() {
            message + "\n"
        } else {
            format!("{message}\n{body}\n")
        }
    }
}

impl Place {
    fn element(&self) -> Element<'_> {
        match self {
            Place::File(path) => Origin::path(path.as_str()).into(),
            Place::Text { source, range, label } => {
                let mark = AnnotationKind::Primary.span(range.clone());
                let mark = if label.is_empty() {
                    mark
                } else {
                    mark.label(label.as_str())
                };
                Snippet::source(source.text.as_str())
                    .path(source.path.as_str())
                    .annotation(mark)
                    .into()
            }
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostic {}
