//! Compares the tool version and the timing rules behind two sets of results.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::results::{Row, one_line};

/// A sentence for each thing that changed; empty if nothing did. `tool` is the one that measured the rows that name none.
pub fn changed(old: &[Row], new: &[Row], tool: &str) -> Vec<String> {
    let known: HashMap<_, &Row> = old.iter().map(|row| (row.key(), row)).collect();
    let pairs = new.iter().filter_map(|row| Some((*known.get(&row.key())?, row)));
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
    // Names from a user's file must not start a line of their own: CI systems read commands from lines.
    tools.chain(rules).map(|text| one_line(&text)).collect()
}

/// The changed rules that both rows relied on; if both rows are of the same run, also those that only one relied on.
fn other_rules<'a>(old: &'a Row, new: &'a Row) -> BTreeSet<&'a str> {
    let [was, is] = [old, new].map(|row| &row.obtained.rules);
    let [before, now] = [old, new].map(|row| (&row.obtained.how, &row.obtained.program));
    let is_same_run = now.1.is_some() && before == now;
    // Results written before fingerprints existed have none.
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
        // Within one run, a rule that is no longer relied on must have changed.
        let two = "timing rules of m changed since the baseline: `alu`, `store`";
        assert_eq!(told(row("t 1", "aa", &[("load", "1"), ("store", "3")])), [two]);
    }
}
