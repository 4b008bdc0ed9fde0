//! Tables of functions and of lines.

use serde_json::Value;

use super::repository_program;
use crate::Desk;

/// What each number at the beginning of a row is, and its name.
fn rows(table: &str, head: &str) -> Vec<(u64, String)> {
    let rows = table
        .lines()
        .skip_while(|line| !(line.contains("own cycles") && line.ends_with(head)))
        .skip(2);
    let rows = rows
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with(&" ".repeat(40)));
    rows.map(|row| {
        let words: Vec<&str> = row.split_whitespace().collect();
        (words[0].parse().unwrap(), (*words.last().unwrap()).to_owned())
    })
    .collect()
}

#[test]
fn functions_and_lines_are_divided_by_cause() {
    let Some(elf) = repository_program("threads-freertos-apart.elf") else {
        return;
    };
    let desk = Desk::new().with("app.elf", elf);
    let table = |options: &str| {
        let run = desk.run(&format!(
            "profile app.elf --board stm32f100rb --causes --json told.json {options}"
        ));
        String::from_utf8_lossy(&run.code(0).get_output().stdout).into_owned()
    };
    for (options, head) in [
        ("--top 1000", "function"),
        ("--top 1000 --lines", "line"),
        ("--top 3 --lines", "line"),
    ] {
        let table = table(options);
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
        let told: Value = serde_json::from_str(&desk.read("told.json")).unwrap();
        let rows = rows(&table, head);
        let sum: u64 = rows.iter().map(|row| row.0).sum();
        assert_eq!(told["cycles"], sum, "{table}");
        // What stands below the rows adds up to them.
        let causes = table.lines().filter(|line| line.starts_with(&" ".repeat(40)));
        let causes = causes.flat_map(|line| line.split(','));
        let causes: u64 = causes
            .filter_map(|cause| cause.split_whitespace().last()?.parse::<u64>().ok())
            .sum();
        let shown: u64 = rows.iter().filter(|row| row.1 != "more").map(|row| row.0).sum();
        assert_eq!(causes, shown, "{table}");
    }
}
