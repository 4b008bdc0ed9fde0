//! Measures the structure of the sources and writes tables into `ARCHITECTURE.md`: lines, cycles of files, long functions.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use petgraph::graph::DiGraph;
use syn::visit::{self, Visit};

use crate::root;
use crate::shell::say;

mod names;
mod touched;

use names::{Module, Names};

const BEGIN: &str = "<!-- Structure: written by `./x shape`. Do not edit. -->\n";
const END: &str = "<!-- End of the structure. -->\n";

/// What stands above the second table.
const REACH: &str = "How far one thing of each kind reaches: what adding another one takes. Tests are left out, and lines that are comments.";

/// The crate folders in layer order: a crate depends only on crates of its own or an earlier layer.
const LAYERS: [&str; 5] = ["sim", "measure", "tools", "kernel", "xtask"];

/// Functions longer than this many lines are listed.
const LONG: usize = 70;

/// Measures every crate and updates the tables.
///
/// # Errors
/// If a source cannot be read or parsed, or `ARCHITECTURE.md` has no place for the tables.
pub fn measure() -> Result<()> {
    let path = root().join("ARCHITECTURE.md");
    let page = fs::read_to_string(&path).context("ARCHITECTURE.md")?;
    let (before, rest) = page
        .split_once(BEGIN)
        .context("ARCHITECTURE.md: no beginning of the structure")?;
    let (_, after) = rest
        .split_once(END)
        .context("ARCHITECTURE.md: no end of the structure")?;
    let table = format!("{}\n{REACH}\n\n{}", table()?, touched::table()?);
    say(&table);
    fs::write(&path, format!("{before}{BEGIN}\n{table}\n{END}{after}")).context("ARCHITECTURE.md")
}

/// The figures of one crate.
struct Shape {
    name: String,
    files: usize,
    /// Lines of code without tests, and lines of tests.
    lines: usize,
    tests: usize,
    median: usize,
    /// Number of files in the largest dependency cycle: each uses all others, directly or indirectly.
    circle: usize,
    /// Number of functions longer than [`LONG`].
    long: usize,
}

fn table() -> Result<String> {
    let mut text = format!(
        "| crate | files | lines | lines of tests | median file | largest circle | functions over {LONG} lines |\n\
         |---|--:|--:|--:|--:|--:|--:|\n"
    );
    for folder in LAYERS.iter().flat_map(|layer| crates(&root().join(layer))) {
        let shape = shape(&folder)?;
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            shape.name, shape.files, shape.lines, shape.tests, shape.median, shape.circle, shape.long
        );
    }
    Ok(text)
}

/// The crate folders at and below a folder, sorted.
fn crates(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if folder.join("src").is_dir() {
        found.push(folder.to_owned());
    }
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut inner: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .collect();
    inner.sort();
    found.extend(inner.iter().flat_map(|path| crates(path)));
    found
}

fn shape(folder: &Path) -> Result<Shape> {
    let mut modules = Vec::new();
    read(&folder.join("src"), &mut modules)?;
    let (tests, modules): (Vec<_>, Vec<_>) = modules.into_iter().partition(Module::is_test);
    let mut lengths: Vec<usize> = modules.iter().map(|module| module.lines).collect();
    lengths.sort_unstable();
    let integration = lines_below(&folder.join("tests"))?;
    Ok(Shape {
        name: folder.strip_prefix(root())?.display().to_string(),
        files: modules.len(),
        lines: lengths.iter().sum(),
        tests: tests.iter().map(|module| module.lines).sum::<usize>() + integration,
        median: lengths.get(lengths.len() / 2).copied().unwrap_or(0),
        circle: largest_circle(&modules),
        long: modules.iter().map(|module| long_functions(&module.file)).sum(),
    })
}

/// Reads and parses the modules of a `src` folder.
fn read(folder: &Path, modules: &mut Vec<Module>) -> Result<()> {
    for path in rust_files(folder)? {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let file = syn::parse_file(&text).with_context(|| path.display().to_string())?;
        modules.push(Module::new(
            path.strip_prefix(folder)?,
            text.lines().count(),
            file,
        ));
    }
    names::choose_root(modules);
    Ok(())
}

fn lines_below(folder: &Path) -> Result<usize> {
    if !folder.is_dir() {
        return Ok(0);
    }
    let texts = rust_files(folder)?.into_iter().map(fs::read_to_string);
    Ok(texts
        .collect::<std::io::Result<Vec<_>>>()?
        .iter()
        .map(|text| text.lines().count())
        .sum())
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in folder.read_dir().with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Size of the largest strongly connected component of the graph of uses, in files; 1 if the graph has no cycle.
fn largest_circle(modules: &[Module]) -> usize {
    let names = Names::of(modules);
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<_> = modules.iter().map(|_| graph.add_node(())).collect();
    for (from, module) in modules.iter().enumerate() {
        for to in names.used_by(module) {
            graph.update_edge(nodes[from], nodes[to], ());
        }
    }
    let circles = petgraph::algo::tarjan_scc(&graph);
    circles.iter().map(Vec::len).max().unwrap_or(0)
}

fn long_functions(file: &syn::File) -> usize {
    struct Long(usize);
    impl Long {
        fn count(&mut self, block: &syn::Block) {
            let braces = block.brace_token.span;
            self.0 += usize::from(braces.close().end().line - braces.open().start().line >= LONG);
        }
    }
    impl<'a> Visit<'a> for Long {
        fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
            self.count(&function.block);
            visit::visit_item_fn(self, function);
        }

        fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
            self.count(&function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }
    let mut long = Long(0);
    long.visit_file(file);
    long.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Vec<Module> {
        files
            .iter()
            .map(|(path, text)| Module::new(Path::new(path), 0, syn::parse_file(text).unwrap()))
            .collect()
    }

    #[test]
    fn a_circle_is_found_through_re_exports_and_relative_paths() {
        let circle = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "mod c; pub struct A; fn f() { c::g() }"),
            ("a/c.rs", "use super::super::b::B; pub fn g() {}"),
            ("b.rs", "use crate::A; pub struct B(A);"),
        ];
        assert_eq!(largest_circle(&modules(&circle)), 3);
    }

    #[test]
    fn a_tree_has_no_circle() {
        let tree = [
            ("lib.rs", "mod a; mod b; pub use a::A;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            ("b.rs", "pub struct B;"),
        ];
        assert_eq!(largest_circle(&modules(&tree)), 1);
    }

    #[test]
    fn what_only_tests_use_is_no_use() {
        let tree = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; pub struct A(B);"),
            (
                "b.rs",
                "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }",
            ),
        ];
        assert_eq!(largest_circle(&modules(&tree)), 1);
    }

    #[test]
    fn long_functions_are_counted() {
        let body = "let x = 1;\n".repeat(LONG);
        let text = format!("fn long() {{\n{body}}}\nfn short() {{}}\n");
        assert_eq!(long_functions(&syn::parse_file(&text).unwrap()), 1);
    }
}
