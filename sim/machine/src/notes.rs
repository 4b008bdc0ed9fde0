//! What the user should know of a run that goes on.

/// Notes that are kept: a program may do the same thing for hours.
const MOST: usize = 64;

/// The notes of a run, in the order in which they came.
#[derive(Clone, Default, Debug)]
pub(crate) struct Notes(Vec<String>);

impl Notes {
    pub(crate) fn add(&mut self, note: String) {
        match self.0.len() {
            ..MOST => self.0.push(note),
            MOST => self.0.push("further notes are left out".to_owned()),
            _ => {}
        }
    }

    pub(crate) fn all(&self) -> &[String] {
        &self.0
    }
}
