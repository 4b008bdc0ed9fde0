//! Separates cargo's words of a command line from ours.

/// Cargo's options with a value, and those without.
const WITH_VALUE: [&str; 13] = [
    "-p",
    "--package",
    "--bin",
    "--example",
    "--test",
    "--bench",
    "--profile",
    "--target",
    "-F",
    "--features",
    "--manifest-path",
    "--target-dir",
    "--config",
];
const ALONE: [&str; 9] = [
    "--release",
    "-r",
    "--all-features",
    "--no-default-features",
    "--locked",
    "--offline",
    "--frozen",
    "--bins",
    "--lib",
];

/// Options of `cyclescope gate` and `cyclescope baseline`, and whether they take a value. All other words go to `cyclescope measure`,
/// which produces their results.
const OF_LIMITS: [(&str, bool); 8] = [
    ("--limits", true),
    ("--baseline", true),
    ("--junit", true),
    ("--markdown", true),
    ("--sarif", true),
    ("--bencher", true),
    ("--annotate", false),
    ("--only", false),
];

/// Splits the words of `gate` and `baseline` into their own and those of `measure`.
pub(super) fn split(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        let Some((_, has_value)) = OF_LIMITS.iter().find(|(option, _)| *option == name) else {
            others.push(word.clone());
            continue;
        };
        own.push(word.clone());
        if *has_value && name == word {
            own.extend(words.next().cloned());
        }
    }
    (own, others)
}

/// A command line split in two.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Words {
    /// Words for cargo.
    pub(super) cargo: Vec<String>,
    /// Words for `cyclescope`.
    pub(super) others: Vec<String>,
}

impl Words {
    /// Splits the words; none after `--` is cargo's.
    pub(super) fn sort(words: &[String]) -> Words {
        let mut sorted = Words::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let name = word.split('=').next().unwrap_or(word);
            if word == "--" {
                sorted.others.extend(words.by_ref().cloned());
            } else if ALONE.contains(&word.as_str()) {
                sorted.cargo.push(word.clone());
            } else if WITH_VALUE.contains(&name) {
                sorted.cargo.push(word.clone());
                if name == word {
                    sorted.cargo.extend(words.next().cloned());
                }
            } else {
                sorted.others.push(word.clone());
            }
        }
        sorted
    }

    /// Builds in release mode by default: measure what ships.
    pub(super) fn release_unless_said(&mut self) {
        let says =
            |word: &String| matches!(word.as_str(), "--release" | "-r") || word.starts_with("--profile");
        if !self.cargo.iter().any(says) {
            self.cargo.push("--release".to_owned());
        }
    }

    /// The value of one of cargo's options.
    pub(super) fn value(&self, names: &[&str]) -> Option<&str> {
        let mut words = self.cargo.iter();
        while let Some(word) = words.next() {
            match word.split_once('=') {
                Some((name, value)) if names.contains(&name) => return Some(value),
                _ if names.contains(&word.as_str()) => return words.next().map(String::as_str),
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_gate_and_of_measure_are_told_apart() {
        let line = "spec.toml --timeline --junit a.xml --board b --sarif=c.sarif --annotate --limit 5k";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let (own, others) = split(&words);
        assert_eq!(own.join(" "), "--junit a.xml --sarif=c.sarif --annotate");
        assert_eq!(others.join(" "), "spec.toml --timeline --board b --limit 5k");
    }

    #[test]
    fn cargo_s_words_go_to_cargo() {
        let line = "cost sort --bin app --board stm32f407 --features=a,b --count 5 --release -- --bin x";
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let sorted = Words::sort(&words);
        assert_eq!(sorted.cargo.join(" "), "--bin app --features=a,b --release");
        assert_eq!(
            sorted.others.join(" "),
            "cost sort --board stm32f407 --count 5 --bin x"
        );
        assert_eq!(sorted.value(&["-F", "--features"]), Some("a,b"));
        assert_eq!(sorted.value(&["--bin"]), Some("app"));
        assert_eq!(sorted.value(&["--target"]), None);
    }
}
