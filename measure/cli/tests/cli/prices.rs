//! `cyclescope prices`.

use crate::firmware::{EXIT, Firmware};
use crate::{Desk, golden};

const SPEC: &str = "group = \"g\"\nboard = \"stm32f100rb\"\nkernel = \"listing\"\nsource = \"here\"\n\n\
    [[program]]\nname = \"nop\"\n[[program.span]]\nid = \"g/nop\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\npublished = 1\n\n\
    [[program]]\nname = \"two\"\n[[program.span]]\nid = \"g/two\"\nfrom = \"bkpt:1\"\nto = \"bkpt:2\"\npublished = 1\n";

/// A checkout with one price spec and its two programs.
fn checkout() -> Desk {
    let program = |nops: &[u16]| Firmware::new(&[&[0xbe01], nops, &[0xbe02], EXIT]).elf();
    Desk::new()
        .with("firmware/prices/g.toml", SPEC)
        .with("target/firmware/nop.elf", program(&[0xbf00]))
        .with("target/firmware/two.elf", program(&[0xbf00, 0xbf00]))
        .with("docs/README", "")
}

#[test]
fn the_whole_list_needs_no_argument() {
    checkout()
        .run("prices")
        .code(0)
        .stdout_eq(golden("prices.out"))
        .stderr_eq("");
}

#[test]
fn a_page_that_was_written_is_fresh_until_something_changes() {
    let desk = checkout();
    desk.run("prices --markdown docs/PRICES.md --json prices.json")
        .code(0);
    desk.run("prices --check").code(0).stderr_eq("");
    // The page leads to one of the group.
    assert!(
        desk.read("docs/PRICES.md")
            .contains("| [g](prices/g.md) | 2 | 2 | 1 | 0 | 0 | 0 | `stm32f100rb` |")
    );
    assert!(
        desk.read("docs/prices/g.md").starts_with("# g\n")
            && desk.read("docs/prices/g.md").contains("| nop |")
    );
    let slower = Firmware::new(&[&[0xbe01, 0xbf00, 0xbf00, 0xbf00, 0xbe02], EXIT]).elf();
    let desk = desk.with("target/firmware/two.elf", slower);
    desk.run("prices --check")
        .code(1)
        .stderr_eq(golden("prices-stale.txt"));
}

#[test]
fn a_program_that_was_not_built_is_named_and_the_others_are_measured() {
    let spec = SPEC.replace("name = \"two\"", "name = \"nopp\"");
    let desk = checkout()
        .with("firmware/prices/g.toml", spec)
        .with("docs/PRICES.md", "as it was\n");
    let run = desk.run("prices --json prices.json --markdown docs/PRICES.md");
    run.code(2).stderr_eq(golden("prices-not-built.txt"));
    assert!(desk.read("prices.json").contains("g/nop"));
    // An incomplete list does not replace a whole one.
    assert_eq!(desk.read("docs/PRICES.md"), "as it was\n");
}

#[test]
fn elsewhere_it_says_where_to_run() {
    Desk::new()
        .run("prices")
        .code(2)
        .stderr_eq(golden("prices-elsewhere.txt"));
}

#[test]
fn programs_that_were_not_built_share_a_message() {
    let desk = Desk::new().with("firmware/prices/g.toml", SPEC);
    desk.run("prices")
        .code(2)
        .stderr_eq(golden("prices-none-built.txt"));
}

#[test]
fn a_program_that_not_every_machine_can_build_is_skipped_by_name() {
    let spec = SPEC.replace("name = \"two\"", "name = \"nopp\"\nneeds = \"a C compiler\"");
    let desk = checkout()
        .with("firmware/prices/g.toml", spec)
        .with("docs/PRICES.md", "as it was\n");
    let run = desk.run("prices --markdown docs/PRICES.md");
    run.code(0).stderr_eq(golden("prices-skipped.txt"));
    assert_eq!(desk.read("docs/PRICES.md"), "as it was\n");
}

/// The pages of the other groups are written, and checked.
#[test]
fn a_program_that_was_not_built_leaves_out_its_pages_alone() {
    let other = SPEC
        .replace("\"g\"", "\"other\"")
        .replace("g/", "other/")
        .replace("name = \"two\"", "name = \"nopp\"\nneeds = \"a C compiler\"")
        .replace("published = 1\n", "")
        .replace("source = \"here\"\n", "");
    let desk = checkout().with("firmware/prices/other.toml", other);
    let all = "--markdown docs/PRICES.md --ledger docs/checks.md";
    let run = desk.run(&format!("prices {all}")).code(0);
    let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    for left_out in ["docs/PRICES.md", "docs/prices/other.md"] {
        assert!(
            told.contains(&format!("--> {left_out}")) && !desk.path(left_out).exists(),
            "{told}"
        );
    }
    assert!(
        told.contains("left out: it needs `nopp`, which was not built"),
        "{told}"
    );
    for written in ["docs/prices/g.md", "docs/checks.md"] {
        assert!(desk.path(written).exists() && !told.contains(written), "{told}");
    }
    desk.run(&format!("prices --check {all}")).code(0);
    let stale = desk.read("docs/prices/g.md") + "more\n";
    let desk = desk.with("docs/prices/g.md", stale);
    let run = desk.run(&format!("prices --check {all}")).code(1);
    let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(told.contains("docs/prices/g.md"), "{told}");
}

#[test]
fn the_ledger_has_what_was_published_and_what_explains_the_rest() {
    let spec = SPEC.replace(
        "source = \"here\"",
        "source = \"here\"\nconditions = \"at 8 MHz\"",
    );
    let spec = spec + "because = \"there are two\"\n";
    let desk = checkout().with("firmware/prices/g.toml", spec);
    desk.run("prices --ledger docs/checks.md").code(0);
    let page = desk.read("docs/checks.md");
    assert!(page.contains("| here | 2 | 1 | 1 | 0 | 0 |"), "{page}");
    assert!(page.contains("Published of: at 8 MHz."), "{page}");
    assert!(page.contains("| +1 | +100 | D | there are two |"), "{page}");
    desk.run("prices --check --ledger docs/checks.md").code(0);
    desk.with("docs/checks.md", page.replace("there are two", "of nothing"))
        .run("prices --check --ledger docs/checks.md")
        .code(1);
}

#[test]
fn what_explains_a_difference_needs_no_published_figure_to_be_read() {
    let spec = SPEC.replace("published = 1\n\n", "because = \"it is not compared\"\n\n");
    checkout()
        .with("firmware/prices/g.toml", spec)
        .run("prices --ledger docs/checks.md")
        .code(0);
}

#[test]
fn what_others_measured_ends_the_page() {
    let other = "elsewhere = [{ id = \"g/nop\", kernel = \"theirs\", figure = 400, on = \"a board\", source = \"a paper\" }]\n";
    let desk = checkout().with("firmware/prices/g.toml", format!("{other}{SPEC}"));
    desk.run("prices --markdown page.md").code(0);
    let page = desk.read("prices/measured-elsewhere.md");
    assert!(
        page.ends_with("| g/nop | theirs | 400 | cycles | a board | a paper |\n"),
        "{page}"
    );
}
