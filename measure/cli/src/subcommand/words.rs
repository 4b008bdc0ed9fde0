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
