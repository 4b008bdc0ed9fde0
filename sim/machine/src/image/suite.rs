//! Tests of programs built with `embedded-test`. Each is a variable in an unloaded section. Its name describes the test in JSON; its value
//! holds the function to call and the module's path.

use object::{Object, ObjectSection, ObjectSymbol};

use super::elf::Elf;

/// The section that lists the tests.
const SECTION: &str = ".embedded_test";
/// The variable with the version of the format.
const VERSION: &str = "EMBEDDED_TEST_VERSION";
/// The longest module path, in bytes.
const LONGEST: u32 = 4096;

/// The tests that a program lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    /// The format's version; only 1 is supported.
    pub version: u32,
    /// The tests by module, in the order of their addresses.
    pub tests: Vec<Listed>,
}

/// A test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// Its description in JSON.
    pub json: String,
    /// The module's path, with the crate; empty if unknown.
    pub module: String,
    /// The function's address; on Thumb, with bit 0 set.
    pub function: u32,
}

impl Suite {
    pub(super) fn read(elf: &Elf<'_>) -> Option<Suite> {
        let section = elf.section_by_name(SECTION)?;
        let data = section.data().ok()?;
        let word = |address: u64| {
            let at = usize::try_from(address.checked_sub(section.address())?).ok()?;
            let bytes = data.get(at..at.checked_add(4)?)?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let symbols = elf
            .symbols()
            .filter(|symbol| symbol.section_index() == Some(section.index()));
        let (mut version, mut tests) = (None, Vec::new());
        for symbol in symbols {
            let Ok(name) = symbol.name() else { continue };
            if name == VERSION {
                version = word(symbol.address());
            } else if name.starts_with('{')
                && let Some(words) = word(symbol.address())
                    .zip(word(symbol.address() + 4))
                    .zip(word(symbol.address() + 8))
            {
                let ((first, second), third) = words;
                // The compiler may put the text before the function.
                let (function, module) = match (path(elf, second, third), path(elf, first, second)) {
                    (Some(module), _) => (first, module),
                    (None, Some(module)) => (third, module),
                    (None, None) => (first, String::new()),
                };
                let json = name.to_owned();
                tests.push((
                    symbol.address(),
                    Listed {
                        json,
                        module,
                        function,
                    },
                ));
            }
        }
        tests.sort_by(|a, b| (&a.1.module, a.0).cmp(&(&b.1.module, b.0)));
        let tests = tests.into_iter().map(|(_, test)| test).collect();
        Some(Suite {
            version: version?,
            tests,
        })
    }
}

/// Reads a module's path.
fn path(elf: &Elf<'_>, address: u32, length: u32) -> Option<String> {
    if !(1..=LONGEST).contains(&length) {
        return None;
    }
    let bytes = elf
        .sections()
        .find_map(|section| section.data_range(address.into(), length.into()).ok().flatten())?;
    let text = std::str::from_utf8(bytes).ok()?;
    let is_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    text.chars().all(is_path).then(|| text.to_owned())
}
