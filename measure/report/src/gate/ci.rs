//! Output for machines: `JUnit`, SARIF, GitHub annotations, and Bencher's format.
//!
//! SARIF is written as JSON values: `serde-sarif` makes its 60 types from the schema in each build (with `schemafy`, `syn` and
//! `typed-builder`) for the ten objects used here, which a test checks against the schema.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};

use super::{Judged, Judgement, Verdict};
use crate::blame::Item;

impl Judgement {
    /// `JUnit` XML: a suite for each group of each board, with a test case for each row. A failed hard limit is a failure; a soft one is
    /// reported in the case's output.
    ///
    /// # Panics
    ///
    /// Never in practice: it panics if a name cannot be written as XML, but control characters are removed first.
    pub fn to_junit(&self) -> String {
        let mut suites: BTreeMap<String, TestSuite> = BTreeMap::new();
        for row in &self.rows {
            let name = clean(&format!("{} on {}", row.row.group(), row.row.board));
            let suite = suites.entry(name.clone()).or_insert_with(|| TestSuite::new(name));
            suite.add_test_case(case(row));
        }
        let mut report = Report::new("cyclescope");
        report.add_test_suites(suites.into_values());
        report.to_string().expect("names without control characters")
    }

    /// SARIF 2.1.0: a result for each exceeded limit, located in the file that sets the limit.
    pub fn to_sarif(&self, version: &str) -> String {
        let result = |row: &Judged, reason: &String| {
            let at = |(item, file, line): (&Item, &str, u32)| {
                json!({
                    "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": { "startLine": line } },
                    "message": { "text": item.text() },
                })
            };
            // The most expensive source line where it is known, otherwise the limit.
            let mut lines = row.lines().map(at);
            let limits = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&self.limits) } } });
            let first = lines.next().unwrap_or(limits);
            json!({
                "ruleId": row.row.id,
                "level": if row.verdict == Verdict::Failed { "error" } else { "warning" },
                "message": { "text": format!("{}: {reason}", row.name()) },
                "locations": [first],
                "relatedLocations": lines.collect::<Vec<_>>(),
                "partialFingerprints": { "row/v1": row.name() },
            })
        };
        let results: Vec<Value> = self
            .rows
            .iter()
            .flat_map(|row| row.reasons.iter().map(move |reason| result(row, reason)))
            .collect();
        let broken = self.rows.iter().filter(|row| !row.reasons.is_empty());
        let rules: BTreeMap<&str, Value> = broken
            .map(|row| {
                let text = format!("the limits of {}", row.row.id);
                let rule = json!({ "id": row.row.id, "shortDescription": { "text": text } });
                (row.row.id.as_str(), rule)
            })
            .collect();
        let rules: Vec<Value> = rules.into_values().collect();
        let driver = json!({ "name": "cyclescope", "version": version, "rules": rules });
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{ "tool": { "driver": driver }, "results": results }],
        });
        format!("{log:#}\n")
    }

    /// GitHub workflow commands: an annotation for each exceeded limit, and for each difference other than the program.
    pub fn to_annotations(&self) -> String {
        let mut text = String::new();
        for change in &self.changed {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "::notice::{}", escaped(change));
        }
        for row in &self.rows {
            let kind = if row.verdict == Verdict::Failed {
                "error"
            } else {
                "warning"
            };
            for reason in &row.reasons {
                let property = |text: &str| escaped(text).replace(',', "%2C").replace(':', "%3A");
                let line = row.lines().next();
                let (file, line, why) = match line {
                    Some((item, file, line)) => (file, format!(",line={line}"), format!("; {}", item.text())),
                    None => (self.limits.as_str(), String::new(), String::new()),
                };
                let _ = writeln!(
                    text,
                    "::{kind} file={}{line}::{}",
                    property(file),
                    escaped(&format!("{}: {reason}{why}", row.name()))
                );
            }
        }
        text
    }

    /// Bencher's metric format: minimum, mean and maximum of each row.
    pub fn to_bencher(&self) -> String {
        let mut all: BTreeMap<String, Value> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.value.is_some()) {
            let metric =
                json!({ "value": row.row.mean, "lower_value": row.row.min, "upper_value": row.row.max });
            let unit = row.row.unit.to_string();
            all.insert(row.name(), json!({ unit: metric }));
        }
        format!("{:#}\n", json!(all))
    }
}

fn case(row: &Judged) -> TestCase {
    let status = match row.verdict {
        Verdict::Failed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_message(clean(&row.reasons.join("; ")))
                .set_type("limit");
            status
        }
        Verdict::Passed | Verdict::Warned => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(clean(&row.name()), status);
    case.set_classname(clean(row.row.group()));
    let said = [
        vec![format!("{} {}", row.change(), row.row.unit)],
        row.reasons.clone(),
        row.because(),
    ]
    .concat();
    case.set_system_out(clean(&said.join("\n")));
    case
}

/// Removes the characters that XML cannot hold.
fn clean(text: &str) -> String {
    text.chars()
        .filter(|letter| {
            !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}') || *letter == '\n'
        })
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A path as an RFC 3986 reference, which SARIF requires. A path outside the folder gets a scheme, since a reference without one may not
/// begin with a slash (SARIF1004).
fn uri(path: &str) -> String {
    let is_on_drive =
        matches!(path.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    if is_on_drive {
        let (drive, rest) = path.split_at(2);
        return format!("file:///{drive}{}", reference(rest));
    }
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", reference(path))
}

fn reference(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let byte = |byte: u8| match byte {
        b'\\' => "/".to_owned(),
        _ if plain(byte) => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_references() {
        let cases = [
            ("src/main.c", "src/main.c"),
            ("src\\my main.c", "src/my%20main.c"),
            ("/home/me/main.c", "file:///home/me/main.c"),
            ("C:\\me\\main.c", "file:///C:/me/main.c"),
        ];
        for (path, expected) in cases {
            assert_eq!(uri(path), expected);
        }
    }
}
