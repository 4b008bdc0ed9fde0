//! Cargo's options behind `cargo cyclescope`: those of `clap-cargo`, and which target to build, how, and where.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args as _, Command};
use clap_cargo::{Features, Manifest, Workspace};

/// The heading of these options in the help.
const CARGO: &str = "Cargo";

/// An option of cargo: its name, its short name, what its value is called, and what it does.
type Row = (&'static str, Option<char>, Option<&'static str>, &'static str);

/// Options that `clap-cargo` does not have.
const OWN: [Row; 17] = [
    ("bin", None, Some("NAME"), "Build this program"),
    ("bins", None, None, "Build all programs"),
    ("example", None, Some("NAME"), "Build this example"),
    ("examples", None, None, "Build all examples"),
    ("test", None, Some("NAME"), "Build this test"),
    ("bench", None, Some("NAME"), "Build this benchmark"),
    ("lib", None, None, "Build the library"),
    ("release", Some('r'), None, "Build with the profile `release`"),
    ("profile", None, Some("NAME"), "Build with this profile"),
    ("target", None, Some("TRIPLE"), "Build for this target"),
    ("target-dir", None, Some("DIR"), "Where cargo puts what it builds"),
    ("jobs", Some('j'), Some("N"), "How many jobs cargo runs at once"),
    (
        "config",
        None,
        Some("KEY=VALUE"),
        "Override a value of cargo's configuration",
    ),
    ("locked", None, None, "Require that Cargo.lock is up to date"),
    ("offline", None, None, "Build without the network"),
    ("frozen", None, None, "As --locked and --offline"),
    (
        "ignore-rust-version",
        None,
        None,
        "Ignore the `rust-version` of packages",
    ),
];

/// All options.
pub(super) fn all() -> Vec<Arg> {
    let shared = Features::augment_args(Workspace::augment_args(Manifest::augment_args(Command::new(
        "cargo",
    ))));
    let own = OWN.iter().map(|&(name, short, value, help)| {
        let arg = Arg::new(name).long(name).short(short).help(help);
        match value {
            Some(value) => arg.value_name(value).action(ArgAction::Append),
            None => arg.action(ArgAction::SetTrue),
        }
    });
    let all = shared.get_arguments().cloned().chain(own);
    all.map(|arg| arg.help_heading(CARGO)).collect()
}

/// The options of a command line, as words for cargo.
pub(super) fn words(matches: &ArgMatches) -> Vec<OsString> {
    let mut words = Vec::new();
    for arg in all() {
        let id = arg.get_id().as_str();
        let (Some(long), Some(ValueSource::CommandLine)) = (arg.get_long(), matches.value_source(id)) else {
            continue;
        };
        let option = OsString::from(format!("--{long}"));
        if arg.get_action().takes_values() {
            for value in matches.get_raw(id).into_iter().flatten() {
                words.extend([option.clone(), value.to_owned()]);
            }
        } else {
            words.push(option);
        }
    }
    words
}

/// Whether one of these options is given.
pub(super) fn is_given(matches: &ArgMatches, ids: &[&str]) -> bool {
    ids.iter()
        .any(|id| matches.value_source(id) == Some(ValueSource::CommandLine))
}
