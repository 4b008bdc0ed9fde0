//! Symbol names as a person writes them.

use cpp_demangle::DemangleOptions;

/// Demangles a linker symbol to one line: Rust without the hash, C++ with its parameters, anything else unchanged.
pub fn demangle(symbol: &str) -> String {
    in_a_line(readable(symbol))
}

fn readable(symbol: &str) -> String {
    if let Ok(name) = rustc_demangle::try_demangle(symbol) {
        return own(format!("{name:#}"));
    }
    if symbol.starts_with("_Z") {
        return cpp(symbol, DemangleOptions::new()).unwrap_or_else(|| symbol.into());
    }
    symbol.into()
}

/// An inherent method in its usual form, `a::B::c`, also if the mangling has `<a::B>::c` (Rust's v0).
fn own(name: String) -> String {
    let mut depth = 0_u32;
    let is_plain = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
    for (at, letter) in name.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if depth == 1 && name[at..].starts_with(">::") && at > 1 => {
                return format!("{}{}", &name[1..at], &name[at + 1..]);
            }
            '>' => depth = depth.saturating_sub(1),
            // Types that are no paths, and traits, keep their brackets.
            _ if depth == 1 && !is_plain(letter) => return name,
            _ => {}
        }
        if depth == 0 {
            return name;
        }
    }
    name
}

/// Removes line ends and terminal controls from a name of a file, which may hold anything.
pub(super) fn in_a_line(name: String) -> String {
    if !name.contains(char::is_control) {
        return name;
    }
    name.chars()
        .map(|letter| {
            if letter.is_control() {
                letter.escape_default().to_string()
            } else {
                letter.to_string()
            }
        })
        .collect()
}

/// Like [`demangle`], but a C++ function loses its parameters and return type.
pub(super) fn demangle_bare(symbol: &str) -> Option<String> {
    let rust = rustc_demangle::try_demangle(symbol).is_ok();
    if rust || !symbol.starts_with("_Z") {
        return None;
    }
    cpp(symbol, DemangleOptions::new().no_params().no_return_type())
}

fn cpp(symbol: &str, options: DemangleOptions) -> Option<String> {
    // A hostile name nests deeper than any compiler's; the library's default limit assumes threads with 8 MiB of stack.
    let limit = cpp_demangle::ParseOptions::default().recursion_limit(64);
    let parsed = cpp_demangle::Symbol::new_with_options(symbol, &limit).ok()?;
    parsed.demangle_with_options(&options.recursion_limit(64)).ok()
}

/// The part of a path `a::b<c::d>::e` after the last `::` outside brackets.
pub(super) fn last_segment(path: &str) -> &str {
    suffixes(path).last().unwrap_or(path)
}

/// Whether `wanted` is `path` or its last few segments.
pub(super) fn ends_with_path(path: &str, wanted: &str) -> bool {
    path == wanted || suffixes(path).any(|suffix| suffix == wanted)
}

/// The suffixes of `path` after each `::` outside brackets, the longest first.
fn suffixes(path: &str) -> impl Iterator<Item = &str> {
    let bytes = path.as_bytes();
    let mut depth = 0i32;
    bytes.iter().enumerate().filter_map(move |(at, byte)| {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        let behind = depth == 0 && *byte == b':' && at > 0 && bytes[at - 1] == b':';
        behind.then(|| &path[at + 1..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_and_cpp_names_become_readable() {
        assert_eq!(
            demangle("_ZN4core3ptr13drop_in_place17h0123456789abcdefE"),
            "core::ptr::drop_in_place"
        );
        assert_eq!(demangle("_RNvC6_123foo3bar"), "123foo::bar");
        // Inherent methods, of a generic type too, and a trait's method.
        assert_eq!(demangle("_RNvMs_C3appNtB4_3Led3set"), "app::Led::set");
        for (name, written) in [
            ("<a::B>::c", "a::B::c"),
            ("<a::B<u8, <c::D>::e>>::c", "a::B<u8, <c::D>::e>::c"),
            ("<a::B as c::D>::e", "<a::B as c::D>::e"),
            ("<[u8]>::len", "<[u8]>::len"),
            ("<&mut a::B>::c", "<&mut a::B>::c"),
            ("<fn() -> u8>::c", "<fn() -> u8>::c"),
            ("a::b<c::D>::e", "a::b<c::D>::e"),
            ("<>::a", "<>::a"),
            ("<a", "<a"),
        ] {
            assert_eq!(own(name.to_owned()), written);
        }
        assert_eq!(demangle("_ZN5motor4stepEi"), "motor::step(int)");
        assert_eq!(demangle_bare("_ZN5motor4stepEi").unwrap(), "motor::step");
        assert_eq!(demangle("SysTick_Handler"), "SysTick_Handler");
        assert_eq!(demangle("_Zinvalid"), "_Zinvalid");
    }

    #[test]
    fn a_name_is_a_line() {
        assert_eq!(demangle("a\nb\x1b[31m"), "a\\nb\\u{1b}[31m");
    }

    #[test]
    fn a_path_is_split_only_outside_brackets() {
        assert_eq!(last_segment("app::main"), "main");
        assert_eq!(last_segment("<app::Led as hal::Pin>::set"), "set");
        assert_eq!(last_segment("app::run::{{closure}}"), "{{closure}}");
        assert_eq!(last_segment("plain"), "plain");
        assert!(ends_with_path("rtfm::app::main", "app::main"));
        assert!(!ends_with_path("rtfm::app::main", "p::main"));
        assert!(!ends_with_path("app::f<a::b>", "b>"));
    }

    #[test]
    fn a_deeply_nested_name_does_not_overflow_the_stack() {
        let hostile = format!("_Z{}", "P".repeat(100_000));
        assert_eq!(demangle(&hostile), hostile);
    }
}
