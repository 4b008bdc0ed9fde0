//! `minus`: a row that is the difference from another.

use lab::spec::parse;

const BASE: &str = r#"
group = "tasks"
[[program]]
name = "plain"
kernel = "ours"
[[program.span]]
id = "tasks/plain"
from = "bkpt:1"
to = "bkpt:2"
"#;

fn with(kernel: &str, minus: &str) -> String {
    format!(
        "{BASE}[[program]]\nname = \"locked\"\nkernel = \"{kernel}\"\n[[program.span]]\nid = \"tasks/locked\"\n\
         from = \"bkpt:1\"\nto = \"bkpt:2\"\nminus = \"{minus}\"\n"
    )
}

#[test]
fn a_row_before_it_of_the_same_kernel_can_be_taken_off() {
    let spec = parse("prices.toml", &with("ours", "tasks/plain")).expect("a good spec");
    let minus = spec.programs[1].spans[0].minus.as_ref().expect("has one");
    assert_eq!(minus.value, "tasks/plain");
}

#[test]
fn what_is_not_there_or_of_another_kernel_cannot() {
    for (kernel, minus) in [
        ("ours", "tasks/other"),
        ("theirs", "tasks/plain"),
        ("ours", "tasks/locked"),
    ] {
        let said = parse("prices.toml", &with(kernel, minus)).expect_err("nothing to take off");
        assert!(said.to_string().contains(minus), "{said}");
    }
}

#[test]
fn kernels_may_share_an_id_but_one_kernel_may_not_use_it_twice() {
    let again = |kernel: &str| {
        let second = BASE.replace("group = \"tasks\"\n", "").replace("ours", kernel);
        format!("{BASE}{second}")
    };
    assert!(parse("prices.toml", &again("theirs")).is_ok());
    assert!(parse("prices.toml", &again("ours")).is_err());
}
