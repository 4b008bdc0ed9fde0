//! Whether results and those that they are compared with were made by the same version of the tool, and by the same timing rules.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::results::{Row, one_line};

/// What is not the same, a sentence for each thing; nothing if all is. `tool` is the one that measured the rows that do not say theirs.
pub fn changed(old: &[Row], new: &[Row], tool: &str) -> Vec<String> {
    let known: HashMap<_, &Row> = old.iter().map(|row| (key(row), row)).collect();
    let pairs = new.iter().filter_map(|row| Some((*known.get(&key(row))?, row)));
    let mut tools: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut rules: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (old, new) in pairs {
        let [was, is] = [old, new].map(|row| match row.obtained.tool.as_str() {
            "" => tool,
            named => named,
        });
        if was != is {
            *tools.entry((was, is)).or_default() += 1;
        }
        if old.core == new.core {
            let others = other_rules(old, new);
            if !others.is_empty() {
                rules.entry(&new.core).or_default().extend(others);
            }
        }
    }
    let tools = tools.into_iter().map(|((was, is), rows)| {
        let rows = if rows == 1 {
            "1 row".to_owned()
        } else {
            format!("{rows} rows")
        };
        format!("{rows}: baseline from {was}, results from {is}")
    });
    let rules = rules.into_iter().map(|(core, rules)| {
        let names: Vec<String> = rules.into_iter().map(|rule| format!("`{rule}`")).collect();
        let rules = if names.len() == 1 { "rule" } else { "rules" };
        format!(
            "timing {rules} of {core} changed since the baseline: {}",
            names.join(", ")
        )
    });
    // Names in somebody's file begin no line of their own, where a line is a command to a CI system.
    tools.chain(rules).map(|text| one_line(&text)).collect()
}

/// The rules that both relied on and that have changed; of the same run, also those that only one relied on.
fn other_rules<'a>(old: &'a Row, new: &'a Row) -> BTreeSet<&'a str> {
    let [was, is] = [old, new].map(|row| &row.obtained.rules);
    let [before, now] = [old, new].map(|row| (&row.obtained.how, &row.obtained.program));
    let is_same_run = now.1.is_some() && before == now;
    // Results of before there were fingerprints have none.
    if was.is_empty() || is.is_empty() {
        return BTreeSet::new();
    }
    let names = was.keys().chain(is.keys());
    let differs = |name: &&String| match (was.get(*name), is.get(*name)) {
        (Some(was), Some(is)) => was != is,
        _ => is_same_run,
    };
    names.filter(differs).map(String::as_str).collect()
}

fn key(row: &Row) -> (&str, &str, &str) {
    (&row.id, &row.board, &row.kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obtained::{Obtained, Program};

    fn row(tool: &str, sha256: &str, rules: &[(&str, &str)]) -> Row {
        let text = r#"{"id":"a/b","board":"b","core":"m","kernel":"none","unit":"cycles","count":1,"min":1,
            "mean":1.0,"max":1,"own":1,"preempted":0,"blocked":0,"evidence":"A"}"#;
        let program = Program {
            sha256: sha256.to_owned(),
            ..Program::default()
        };
        let rules = rules
            .iter()
            .map(|(name, print)| ((*name).to_owned(), (*print).to_owned()));
        Row {
            obtained: Obtained {
                tool: tool.to_owned(),
                program: Some(Box::new(program)),
                rules: rules.collect(),
                ..Obtained::default()
            },
            ..serde_json::from_str(text).unwrap()
        }
    }

    #[test]
    fn another_version_or_another_rule_is_told() {
        let old = [row("t 1", "aa", &[("load", "1"), ("alu", "2")])];
        let told = |new: Row| changed(&old, &[new], "t 1");
        assert!(told(row("", "bb", &[("load", "1"), ("store", "3")])).is_empty());
        assert_eq!(
            told(row("t 2", "aa", &[])),
            ["1 row: baseline from t 1, results from t 2"]
        );
        let one = "timing rule of m changed since the baseline: `load`";
        assert_eq!(told(row("t 1", "bb", &[("load", "5")])), [one]);
        // The same run does not stop relying on a rule by itself.
        let two = "timing rules of m changed since the baseline: `alu`, `store`";
        assert_eq!(told(row("t 1", "aa", &[("load", "1"), ("store", "3")])), [two]);
    }
}
