//! Looks up the rules that results name.

use std::collections::BTreeMap;

use events::RuleSet;
use machine::Board;
use machine::board::Core;
use report::Row;
use report::blame::Classes;
use report::page::Rule;

/// Every rule named in the timelines and marks of these rows, once per core, in the order of the cores' pages.
pub fn rules_of(rows: &[Row]) -> Vec<Rule> {
    let named = |row: &Row, id: &str| {
        let timelines = [&row.obtained.worst, &row.obtained.best];
        let mut rules = timelines
            .into_iter()
            .flatten()
            .flat_map(|timeline| &timeline.rules);
        rules.any(|rule| rule == id) || row.obtained.weakest.iter().any(|rule| rule == id)
    };
    let mut all = Vec::new();
    for core in Core::all() {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.core == core.name()).collect();
        if rows.is_empty() {
            continue;
        }
        for rule in core.rule_book().rules() {
            if rows.iter().any(|row| named(row, rule.id)) {
                all.push(Rule {
                    core: core.name().to_owned(),
                    id: rule.id.to_owned(),
                    class: rule.class.name().to_owned(),
                    mark: rule.mark.name().to_owned(),
                    text: rule.text.to_owned(),
                    source: rule.source.to_owned(),
                });
            }
        }
    }
    all
}

/// A set's rules, each with a fingerprint of its text, by which results show whether the same rules made them. It is 32 bits of FNV-1a,
/// the same in every build.
pub fn fingerprints(board: &Board, relied: u128) -> BTreeMap<String, String> {
    let book = board.rule_book();
    let print = |text: &str| {
        text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        })
    };
    book.of(RuleSet(relied))
        .map(|rule| (rule.id.to_owned(), format!("{:08x}", print(rule.text))))
        .collect()
}

/// The rule classes of a core, by the core's name.
pub fn classes(core: &str) -> Classes {
    let known = Core::all().find(|known| known.name() == core);
    let rules = known.iter().flat_map(|core| core.rule_book().rules().to_vec());
    rules
        .map(|rule| (rule.id.to_owned(), rule.class.name().to_owned()))
        .collect()
}
