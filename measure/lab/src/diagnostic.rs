//! What the user is told when something is wrong: one clear message, the place, a hint.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

/// Who has to act; it decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Nobody: something was left out, and the rest is as it should be.
    Skipped = 0,
    /// A measured thing failed its limit, or what was checked is stale: 1.
    Failed = 1,
    /// The user's mistake: 2.
    Mistake = 2,
    /// The firmware crashed or ran past its limit: 3.
    Firmware = 3,
}

/// A text file that messages point into.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its name as the user wrote it.
    pub path: String,
    /// All of it.
    pub text: String,
}

/// One message. Boxed, since most functions may return one and hardly any does.
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

/// A text without characters that a terminal would obey: names in files may have any.
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

/// What most functions of the command line return.
pub type Result<T, E = Diagnostic> = std::result::Result<T, E>;

impl Diagnostic {
    /// A message for whoever has to act.
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

    /// The user's mistake.
    pub fn mistake(title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Mistake, title)
    }

    /// The firmware did not do what was asked of it.
    pub fn firmware(title: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::Firmware, title)
    }

    /// In this file, nowhere in particular.
    #[must_use]
    pub fn in_file(mut self, path: impl Into<String>) -> Diagnostic {
        self.0.place = Some(Place::File(visible(&path.into())));
        self
    }

    /// At these bytes of a text.
    #[must_use]
    pub fn at(mut self, source: &Arc<Source>, range: Range<usize>, label: impl Into<String>) -> Diagnostic {
        self.0.place = Some(Place::Text {
            source: source.clone(),
            range,
            label: visible(&label.into()),
        });
        self
    }

    /// Adds what else is known.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.0.notes.push(visible(&text.into()));
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.0.help.push(visible(&text.into()));
        self
    }

    /// Adds a hint if there is one.
    #[must_use]
    pub fn maybe_help(self, text: Option<String>) -> Diagnostic {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }

    /// Adds lines that are shown below the message as they are: registers, a backtrace.
    #[must_use]
    pub fn body(mut self, text: impl Into<String>) -> Diagnostic {
        self.0.body = visible(&text.into());
        self
    }

    /// Who has to act.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The message as it is shown, with colours if `styled`.
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
