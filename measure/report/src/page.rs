//! Results as one self-contained HTML file with its style, script and data.
//!
//! The data are the rows. Names, instructions and timelines are in tables and referred to by index, so that the page of a whole price
//! list stays at a few megabytes.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use crate::obtained::Program;
use crate::results::{Results, Row};
use crate::timeline::{Code, Timeline, Window};

const FRAME: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 5] = [
    include_str!("page/list.js"),
    include_str!("page/timeline.js"),
    include_str!("page/detail.js"),
    include_str!("page/view.js"),
    include_str!("page/start.js"),
];

/// Number of trailing path components shown of a source file.
const PARTS: usize = 4;

/// A core's rule, as the page explains it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The core's name.
    pub core: String,
    /// The rule's name.
    pub id: String,
    /// The class of its cycles.
    pub class: String,
    /// Its evidence mark.
    pub mark: String,
    /// The rule's text.
    pub text: String,
    /// Its source.
    pub source: String,
}

/// The number of programs that a title names.
const NAMED: usize = 3;

/// A title for the page: the file names of the programs that were measured, or how many there are.
pub fn title_of(results: &Results) -> String {
    let programs = results
        .results
        .iter()
        .filter_map(|row| row.obtained.program.as_deref());
    let mut names: Vec<&str> = Vec::new();
    for program in programs {
        let name = program.elf.rsplit(['/', '\\']).next().unwrap_or(&program.elf);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.len() {
        0 => "Measurements".to_owned(),
        1..=NAMED => names.join(", "),
        count => format!("{count} programs"),
    }
}

/// Writes the page. `rules` are the rules that it explains; `title` names the results.
pub fn page(results: &Results, rules: &[Rule], title: &str) -> String {
    let data = Data::default().of(results, rules, title);
    // A JSON text must not contain what closes a script element or opens a comment in it.
    let data = data.to_string().replace('<', "\\u003c");
    FRAME
        .replacen("/*CSS*/", STYLE, 1)
        .replacen("/*JS*/", &SCRIPTS.join("\n"), 1)
        .replacen("/*DATA*/", &data, 1)
}

/// The page's tables under construction.
#[derive(Default)]
struct Data {
    strings: Table<String>,
    codes: Table<[i64; 6]>,
    programs: Table<Program>,
    timelines: Vec<Value>,
}

/// An interning table: each distinct value once, referred to by index.
struct Table<T> {
    all: Vec<T>,
    known: HashMap<T, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table {
            all: Vec::new(),
            known: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn index(&mut self, item: T) -> i64 {
        let next = self.all.len();
        let index = *self.known.entry(item.clone()).or_insert(next);
        if index == next {
            self.all.push(item);
        }
        index as i64
    }
}

impl Data {
    fn of(mut self, results: &Results, rules: &[Rule], title: &str) -> Value {
        let rows: Vec<Value> = results.results.iter().map(|row| self.row(row)).collect();
        let mut explained: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
        for rule in rules {
            let text = self.strings.index(rule.text.clone());
            let source = self.strings.index(rule.source.clone());
            explained
                .entry(&rule.core)
                .or_default()
                .insert(rule.id.clone(), json!([rule.class, rule.mark, text, source]));
        }
        // Cycles without an instruction have no address.
        let code = |code: &[i64; 6]| {
            let [pc, rest @ ..] = code;
            let pc = if *pc < 0 { Value::Null } else { json!(pc) };
            let mut all = vec![pc];
            all.extend(rest.map(Value::from));
            Value::Array(all)
        };
        json!({
            "title": title,
            "tool": results.tool,
            "rows": rows,
            "programs": self.programs.all,
            "rules": explained,
            "code": self.codes.all.iter().map(code).collect::<Vec<_>>(),
            "timelines": self.timelines,
            "strings": self.strings.all,
        })
    }

    fn row(&mut self, row: &Row) -> Value {
        let obtained = &row.obtained;
        let mut plain = row.clone();
        plain.obtained = crate::Obtained::default();
        let Ok(Value::Object(mut shown)) = serde_json::to_value(&plain) else {
            unreachable!("a row is an object")
        };
        for field in ["about", "source"] {
            if let Some(Value::String(text)) = shown.get(field).cloned() {
                shown.insert(field.to_owned(), self.strings.index(text).into());
            }
        }
        let mut put = |name: &str, value: Option<Value>| {
            shown.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("how", Some(obtained.how.as_str().into()));
        put("limit", obtained.limit.map(Value::from));
        put("weakest", Some(obtained.weakest.clone().into()));
        put(
            "histogram",
            obtained.histogram.as_ref().map(|histogram| json!(histogram)),
        );
        let program = obtained.program.as_deref();
        put(
            "program",
            program.map(|program| self.programs.index(program.clone()).into()),
        );
        let [worst, best] = [&obtained.worst, &obtained.best]
            .map(|timeline| timeline.as_deref().map(|timeline| self.timeline(timeline)));
        put("worst", worst);
        put("best", best);
        Value::Object(shown)
    }

    fn timeline(&mut self, timeline: &Timeline) -> Value {
        // Windows after the kept ones are shown by their sums only.
        let (mut used, mut steps): (Table<u32>, Table<[i64; 3]>) = Default::default();
        let mut step =
            |&(context, code, _, cost): &Window| steps.index([used.index(code), cost.into(), context.into()]);
        let windows: Vec<i64> = timeline.windows.iter().map(&mut step).collect();
        let new: Vec<i64> = timeline.rest.steps.iter().map(&mut step).collect();
        let part = |&(back, number): &(u32, u32)| match back {
            0 => [0, new[number as usize]],
            _ => [back.into(), number.into()],
        };
        let parts: Vec<i64> = timeline.rest.parts.iter().flat_map(part).collect();
        let code: Vec<i64> = used
            .all
            .iter()
            .map(|&code| self.code(&timeline.code[code as usize], timeline))
            .collect();
        let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
        for &(rule, cycles) in timeline.code.iter().flat_map(|code| &code.cost) {
            *sums.entry(rule).or_default() += cycles;
        }
        let turns = timeline
            .turns
            .iter()
            .flat_map(|&(context, cycle)| [u64::from(context), cycle]);
        let value = json!({
            "began": timeline.began, "ended": timeline.ended, "lead": timeline.lead, "tail": timeline.tail,
            "number": timeline.number,
            "contexts": self.all(&timeline.contexts),
            "rules": self.all(&timeline.rules),
            "code": code,
            "sums": flat(&sums.into_iter().collect::<Vec<_>>()),
            "costs": timeline.costs.iter().map(|cost| flat(cost)).collect::<Vec<_>>(),
            "steps": steps.all.concat(),
            "windows": windows,
            "parts": parts,
            "omitted": timeline.omitted,
            "turns": turns.collect::<Vec<_>>(),
        });
        self.timelines.push(value);
        Value::from(self.timelines.len() - 1)
    }

    fn all(&mut self, texts: &[String]) -> Vec<i64> {
        texts
            .iter()
            .map(|text| self.strings.index(text.clone()))
            .collect()
    }

    fn code(&mut self, code: &Code, timeline: &Timeline) -> i64 {
        let mut name = |text: Option<&str>| text.map_or(-1, |text| self.strings.index(text.to_owned()));
        let entry = [
            code.pc.map_or(-1, i64::from),
            name(Some(&code.text)),
            name(timeline.name(code.function)),
            name(timeline.name(code.inlined)),
            name(timeline.name(code.file).map(tail)),
            code.line.into(),
        ];
        self.codes.index(entry)
    }
}

fn flat(cost: &[(u32, u64)]) -> Vec<u64> {
    cost.iter()
        .flat_map(|&(rule, cycles)| [u64::from(rule), cycles])
        .collect()
}

/// The last components of a path.
fn tail(path: &str) -> &str {
    let at = path.rmatch_indices(['/', '\\']).nth(PARTS - 1);
    at.map_or(path, |(at, _)| &path[at + 1..])
}
