//! Line coverage in LCOV's tracefile format.

use std::fmt::Write as _;

use super::Profile;

impl Profile {
    /// A tracefile: the execution count of each line that has code.
    pub fn lcov(&self) -> String {
        let mut text = String::new();
        for (file, lines) in &self.lines {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "SF:{file}");
            for (line, count) in lines {
                let _ = writeln!(text, "DA:{line},{count}");
            }
            let hit = lines.values().filter(|count| **count > 0).count();
            let _ = writeln!(text, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
        }
        text
    }
}
