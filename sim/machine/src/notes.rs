//! Notes for the user on a run that continues.

/// The most notes kept: a program may repeat the same thing for hours.
const MOST: usize = 64;

/// The notes of a run, in order.
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
