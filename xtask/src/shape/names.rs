//! Resolves paths in the sources to modules, to find which files of a crate use which.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, UseTree};

/// A file of a crate, as a module.
pub(super) struct Module {
    /// Its module path; empty for the root.
    path: Vec<String>,
    pub(super) lines: usize,
    pub(super) file: syn::File,
}

impl Module {
    /// `file` is relative to `src`.
    pub(super) fn new(file: &Path, lines: usize, parsed: syn::File) -> Module {
        let stem = file.with_extension("");
        let mut path: Vec<String> = stem
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let last = path.last().map(String::as_str);
        if matches!(last, Some("mod")) || path.len() == 1 && matches!(last, Some("lib")) {
            path.pop();
        }
        Module {
            path,
            lines,
            file: parsed,
        }
    }

    /// Whether its name marks it as a test module.
    pub(super) fn is_test(&self) -> bool {
        self.path.iter().any(|name| name == "tests")
    }
}

/// Makes `main` the root if there is no library. Next to a library, it is a separate crate that nothing uses.
pub(super) fn choose_root(modules: &mut [Module]) {
    if modules.iter().all(|module| !module.path.is_empty()) {
        let main = modules.iter_mut().find(|module| module.path == ["main"]);
        if let Some(main) = main {
            main.path.clear();
        }
    }
}

/// The names that a crate's modules define.
pub(super) struct Names {
    modules: HashMap<Vec<String>, usize>,
    /// By module and name: the path that a `use` gives the name.
    imports: HashMap<(usize, String), Vec<String>>,
}

/// Most re-exports to follow in a row.
const MOST_IMPORTS: usize = 8;

impl Names {
    pub(super) fn of(modules: &[Module]) -> Names {
        let places = modules
            .iter()
            .enumerate()
            .map(|(number, module)| (module.path.clone(), number));
        let mut names = Names {
            modules: places.collect(),
            imports: HashMap::new(),
        };
        for (number, module) in modules.iter().enumerate() {
            for item in &module.file.items {
                let syn::Item::Use(import) = item else { continue };
                for path in leaves(&import.tree) {
                    let name = path.last().cloned().unwrap_or_default();
                    names.imports.insert((number, name), path);
                }
            }
        }
        names
    }

    /// The other modules that a module uses.
    pub(super) fn used_by(&self, module: &Module) -> BTreeSet<usize> {
        let mut paths = Paths::default();
        paths.visit_file(&module.file);
        let own = self.modules.get(&module.path).copied();
        let found = paths
            .0
            .iter()
            .filter_map(|path| self.resolve(&module.path, path, MOST_IMPORTS));
        found.filter(|used| Some(*used) != own).collect()
    }

    /// Resolves a path, seen from the module at `from`, to a module.
    fn resolve(&self, from: &[String], path: &[String], left: usize) -> Option<usize> {
        let mut at = from.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                at.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {}
            first => {
                at.push(first.to_owned());
                if !self.modules.contains_key(&at) {
                    return None;
                }
                rest = &rest[1..];
            }
        }
        for (index, part) in rest.iter().enumerate() {
            if part == "super" {
                at.pop()?;
                continue;
            }
            at.push(part.clone());
            if self.modules.contains_key(&at) {
                continue;
            }
            at.pop();
            let module = *self.modules.get(&at)?;
            let import = self
                .imports
                .get(&(module, part.clone()))
                .filter(|import| import.as_slice() != path);
            return match import {
                Some(import) if left > 0 => {
                    let whole: Vec<String> = import.iter().chain(&rest[index + 1..]).cloned().collect();
                    self.resolve(&at, &whole, left - 1).or(Some(module))
                }
                _ => Some(module),
            };
        }
        self.modules.get(&at).copied()
    }
}

/// The paths in a file, without those in its tests.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, import: &'a syn::ItemUse) {
        if !for_tests(&import.attrs) {
            self.0.extend(leaves(&import.tree));
        }
    }

    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if !for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        if !for_tests(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() > 1 {
            let parts = path.segments.iter().map(|part| part.ident.to_string());
            self.0.push(parts.collect());
        }
        visit::visit_path(self, path);
    }
}

fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let word = |wanted: &str| {
            attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|word| word == wanted)
        };
        attribute.path().is_ident("cfg") && word("test")
    })
}

/// The paths that a `use` names; for a rename the original path, for a glob its prefix.
fn leaves(tree: &UseTree) -> Vec<Vec<String>> {
    match tree {
        UseTree::Path(path) => {
            let mut inner = leaves(&path.tree);
            for leaf in &mut inner {
                leaf.insert(0, path.ident.to_string());
            }
            inner
        }
        UseTree::Name(name) if name.ident == "self" => vec![Vec::new()],
        UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        UseTree::Rename(rename) => vec![vec![rename.ident.to_string()]],
        UseTree::Glob(_) => vec![Vec::new()],
        UseTree::Group(group) => group.items.iter().flat_map(leaves).collect(),
    }
}
