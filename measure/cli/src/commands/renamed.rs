//! Commands and options by their old names, which work until version 0.2.

use std::ffi::OsString;

use clap::Command;

/// The version in which the old names no longer work.
const UNTIL: &str = "0.2";

/// Commands: the old name, and the words in its place.
const COMMANDS: [(&str, &[&str]); 5] = [
    ("baseline", &["gate", "--save"]),
    ("bench", &["measure"]),
    ("boards", &["list", "boards"]),
    ("cores", &["list", "cores"]),
    ("rules", &["list", "rules"]),
];

/// An option that now means something else: the command, the old name, the new one, and what a value of the old one looks like.
type OldOption = (&'static str, &'static str, &'static str, fn(&str) -> bool);

const OPTIONS: [OldOption; 1] = [("profile", "--base", "--against", is_no_address)];

/// The command line by today's names, and a line that tells them if an old one was there.
pub(super) fn current(mut words: Vec<OsString>, program: &Command) -> (Vec<OsString>, Option<String>) {
    let Some(place) = place_of_command(&words) else {
        return (words, None);
    };
    let old = words[place].to_string_lossy().into_owned();
    let is_known = program.get_subcommands().any(|command| command.get_name() == old);
    if let Some((_, new)) = COMMANDS.iter().find(|(known, _)| *known == old && !is_known) {
        words.splice(place..=place, new.iter().map(OsString::from));
        return (words, Some(notice(&old, &new.join(" "))));
    }
    let mut told = None;
    for (command, old_option, new, is_old_value) in OPTIONS {
        for at in place + 1..words.len() {
            let word = words[at].to_string_lossy().into_owned();
            let (name, value) = word
                .split_once('=')
                .map_or((&*word, None), |(name, value)| (name, Some(value)));
            if old != command || name != old_option {
                continue;
            }
            let next = words.get(at + 1).map(|next| next.to_string_lossy().into_owned());
            if value
                .map(str::to_owned)
                .or(next)
                .is_some_and(|value| is_old_value(&value))
            {
                words[at] = value
                    .map_or(new.to_owned(), |value| format!("{new}={value}"))
                    .into();
                told = Some(notice(&format!("{old} {old_option}"), &format!("{old} {new}")));
            }
        }
    }
    (words, told)
}

fn notice(old: &str, new: &str) -> String {
    format!("`{old}` is now `{new}`; the old name works until {UNTIL}")
}

/// Where the command is among the words, after the program, options of the program, and `help`.
fn place_of_command(words: &[OsString]) -> Option<usize> {
    let mut place = 1;
    loop {
        let word = words.get(place)?.to_string_lossy();
        match &*word {
            "--timeout" => place += 2,
            "help" => place += 1,
            option if option.starts_with('-') => place += 1,
            _ => return Some(place),
        }
    }
}

/// Whether `--base` names a program, as it once did: an address is a number.
fn is_no_address(value: &str) -> bool {
    !value.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    fn renewed(line: &str) -> (String, Option<String>) {
        let words = line.split(' ').map(OsString::from).collect();
        let (words, told) = current(words, &Command::new("program").subcommand(Command::new("run")));
        (words.join(OsStr::new(" ")).into_string().expect("text"), told)
    }

    #[test]
    fn old_names_become_new_ones() {
        let (line, told) = renewed("cyclescope --timeout 5s rules --core rules");
        assert_eq!(line, "cyclescope --timeout 5s list rules --core rules");
        assert_eq!(
            told.as_deref(),
            Some("`rules` is now `list rules`; the old name works until 0.2")
        );
        assert_eq!(renewed("cyclescope help boards").0, "cyclescope help list boards");
        for line in [
            "cyclescope run rules",
            "cyclescope list rules",
            "cyclescope",
            "cyclescope --help",
        ] {
            assert_eq!(renewed(line), (line.to_owned(), None));
        }
    }

    #[test]
    fn an_option_with_a_new_meaning_is_known_by_its_value() {
        let (line, told) = renewed("cyclescope profile new.elf --base old.elf --base=x.elf");
        assert_eq!(
            line,
            "cyclescope profile new.elf --against old.elf --against=x.elf"
        );
        assert!(told.is_some_and(|told| told.contains("`profile --against`")));
        for line in [
            "cyclescope profile new.bin --base 0x08000000",
            "cyclescope run app.elf --base old.elf",
        ] {
            assert_eq!(renewed(line), (line.to_owned(), None));
        }
    }
}
