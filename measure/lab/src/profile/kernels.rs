//! Recognises kernels by the names of their functions. The names are data, so that a new kernel needs no code.

use machine::Image;
use report::profile::{Kernel, KernelUse, Profile};
use serde::Deserialize;

use crate::diagnostic::{Diagnostic, Result};
use crate::gate::matches;

/// The built-in kernel marks.
const KNOWN: &str = include_str!("kernels.toml");

/// A list of kernels with their marks.
#[derive(Clone, Default, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernels {
    #[serde(default)]
    kernel: Vec<Marks>,
}

/// The symbol names by which a kernel is recognised.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marks {
    name: String,
    found_by: Vec<String>,
    #[serde(default)]
    start: Vec<String>,
    #[serde(default)]
    aside: Vec<String>,
    #[serde(default)]
    idle: Vec<String>,
    #[serde(default)]
    switch: Vec<String>,
    #[serde(default)]
    switches_by_call: bool,
    #[serde(default)]
    critical: Vec<String>,
    #[serde(default)]
    lock: Vec<String>,
    #[serde(default)]
    message: Vec<String>,
    #[serde(default)]
    time: Vec<String>,
    #[serde(default)]
    wait: Vec<String>,
    #[serde(default)]
    give: Vec<String>,
}

impl Kernels {
    /// The built-in kernels.
    ///
    /// # Panics
    ///
    /// If the built-in file is invalid, which a test rules out.
    pub fn known() -> Kernels {
        toml::from_str(KNOWN).expect("the tool's own marks")
    }

    /// The kernels of a file, followed by the built-in ones; `path` is the file's name for messages.
    ///
    /// # Errors
    ///
    /// If the file is invalid; the message points at the place.
    pub fn with(path: &str, text: &str) -> Result<Kernels> {
        let mut kernels: Kernels = toml::from_str(text).map_err(|error| {
            let message = error
                .message()
                .lines()
                .next()
                .unwrap_or("not a file of marks")
                .to_owned();
            let source = crate::diagnostic::Source {
                path: path.to_owned(),
                text: text.to_owned(),
            };
            let range = error.span().unwrap_or(0..0);
            Diagnostic::mistake(message).at(&source.into(), range, "")
        })?;
        kernels.kernel.append(&mut Kernels::known().kernel);
        Ok(kernels)
    }

    /// Whether one of the program's kernels switches threads by an ordinary call.
    pub(super) fn switch_by_call(&self, image: &Image) -> bool {
        let by_call = self.kernel.iter().filter(|marks| marks.switches_by_call);
        let marks: Vec<&Marks> = by_call.collect();
        image.symbols().any(|symbol| {
            let name = plain(&symbol.name);
            marks.iter().any(|marks| any(&marks.found_by, name))
        })
    }

    /// Whether every thread of a kernel begins in the function of this name.
    pub(super) fn starts_threads(&self, name: &str) -> bool {
        self.kernel.iter().any(|kernel| any(&kernel.start, plain(name)))
    }

    /// Whether a kernel's thread calls the function of this name before its own.
    pub(super) fn is_aside(&self, name: &str) -> bool {
        self.kernel.iter().any(|kernel| any(&kernel.aside, plain(name)))
    }

    /// Whether a thread that stops running inside the function of this name waits for something.
    pub(super) fn waits(&self, name: &str) -> bool {
        self.kernel.iter().any(|kernel| any(&kernel.wait, plain(name)))
    }

    /// Whether the function of this name may end another thread's wait.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.kernel.iter().any(|kernel| any(&kernel.give, plain(name)))
    }

    /// Adds the program's kernels and each thread's entry function to the profile.
    pub(super) fn tell(&self, image: &Image, profile: &mut Profile) {
        let entries: Vec<Option<String>> = (0..profile.contexts.len())
            .map(|context| self.entry(context, profile))
            .collect();
        for (context, entry) in profile.contexts.iter_mut().zip(entries) {
            context.entry = entry;
        }
        profile.kernels = self.found(image, profile);
    }

    /// The first function of a thread that is not the kernel's own: the function called by the kernel's `start`, wherever in the thread
    /// that is, since a kernel may turn the startup stack into a thread's. Otherwise the thread's first function.
    fn entry(&self, context: usize, profile: &Profile) -> Option<String> {
        let nodes = &profile.nodes;
        let has = |marks: fn(&Marks) -> &[String], node: usize| {
            let name = plain(&profile.functions[nodes[node].function].name);
            self.kernel.iter().any(|kernel| any(marks(kernel), name))
        };
        let child = |of: usize| {
            (0..nodes.len()).find(|&node| nodes[node].parent == Some(of) && !has(|marks| &marks.aside, node))
        };
        let own = || (0..nodes.len()).filter(|&node| nodes[node].context == context);
        let root = own()
            .find(|&node| nodes[node].parent.is_none())
            .filter(|_| profile.contexts[context].is_thread)?;
        let started = own()
            .filter(|&node| nodes[node].parent.is_some() && has(|marks| &marks.start, node))
            .find_map(child);
        let entry = started.or_else(|| child(root))?;
        Some(profile.functions[nodes[entry].function].name.clone())
    }

    /// The program's kernels, with what each did in the run.
    fn found(&self, image: &Image, profile: &Profile) -> Vec<Kernel> {
        let mut all: Vec<Kernel> = Vec::new();
        for marks in &self.kernel {
            let found = image
                .symbols()
                .find(|symbol| any(&marks.found_by, plain(&symbol.name)));
            if let Some(symbol) = found
                && !all.iter().any(|kernel| kernel.name == marks.name)
            {
                all.push(marks.kernel(plain(&symbol.name), profile));
            }
        }
        all
    }
}

impl Marks {
    fn kernel(&self, found_by: &str, profile: &Profile) -> Kernel {
        let by_function = profile.by_function();
        let named = |function: usize| plain(&profile.functions[function].name);
        let kinds = [
            ("switch", &self.switch),
            ("critical section", &self.critical),
            ("lock", &self.lock),
            ("message", &self.message),
            ("time", &self.time),
        ];
        let mut uses = Vec::new();
        for (what, marks) in kinds {
            let those = by_function.iter().filter(|sum| any(marks, named(sum.function)));
            uses.extend(those.map(|sum| KernelUse {
                what,
                function: sum.function,
                calls: sum.calls,
                cycles: sum.inclusive,
            }));
        }
        let idle = profile.contexts.iter().position(|context| {
            context
                .entry
                .as_deref()
                .is_some_and(|entry| any(&self.idle, plain(entry)))
        });
        let idle_function = by_function
            .iter()
            .find(|sum| any(&self.idle, named(sum.function)));
        Kernel {
            name: self.name.clone(),
            found_by: found_by.to_owned(),
            idle: match idle {
                Some(context) => Some(profile.by_context()[context].total()),
                None => idle_function.map(|sum| sum.inclusive),
            },
            uses,
        }
    }
}

fn any(patterns: &[String], name: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, name))
}

/// A name without compiler suffixes: Rust's hash, GCC's `.part.0`.
pub(super) fn plain(name: &str) -> &str {
    let hash = name
        .rsplit_once("::h")
        .filter(|(_, hash)| hash.len() == 16 && hash.bytes().all(|letter| letter.is_ascii_hexdigit()));
    let name = hash.map_or(name, |(front, _)| front);
    if name.contains("::") {
        return name;
    }
    name.split_once('.').map_or(name, |(front, _)| front)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_without_what_compilers_append() {
        assert_eq!(plain("xTaskIncrementTick.part.0"), "xTaskIncrementTick");
        assert_eq!(plain("app::idle::h0123456789abcdef"), "app::idle");
        assert_eq!(plain("<a::B>::run"), "<a::B>::run");
        assert!(Kernels::known().kernel.len() >= 7);
    }

    #[test]
    fn a_mistake_in_a_file_of_marks_is_told_with_its_place() {
        let message = Kernels::with("my.toml", "[[kernel]]\nname = \"mine\"\nfond_by = []\n").unwrap_err();
        let text = message.render(false);
        assert!(text.contains("my.toml:3") && text.contains("fond_by"), "{text}");
    }
}
