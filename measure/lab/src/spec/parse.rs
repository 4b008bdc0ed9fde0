//! Parses a spec.

use std::collections::HashSet;
use std::sync::Arc;

use machine::Stimulus;
use report::{Reference, Series, Unit};
use toml::de::DeTable;

use super::elsewhere;
use super::reader::{NumberOrText, Reader};
use super::{Ends, ImageName, Located, MAX_PHASES, Measured, Point, Program, Raise, SpanSpec, Spec, When};
use crate::diagnostic::{Diagnostic, Result, Source};
use crate::nearest::did_you_mean;

const TOP: &[&str] = &[
    "elf",
    "board",
    "boards",
    "limit",
    "group",
    "kernel",
    "about",
    "section",
    "source",
    "conditions",
    "because",
    "reference",
    "rtl",
    "span",
    "raise",
    "stimulus",
    "program",
    "elsewhere",
];
const PROGRAM: &[&str] = &[
    "name",
    "builds",
    "elf",
    "board",
    "boards",
    "except",
    "limit",
    "kernel",
    "needs",
    "about",
    "section",
    "source",
    "conditions",
    "because",
    "reference",
    "span",
    "raise",
    "stimulus",
];
const SPAN: &[&str] = &[
    "id",
    "from",
    "to",
    "function",
    "value",
    "unit",
    "kernel",
    "skip",
    "count",
    "published",
    "source",
    "conditions",
    "because",
    "reference",
    "max",
    "minus",
    "series",
    "use_of",
];
const SERIES: &[&str] = &["name", "at"];
const RAISE: &[&str] = &["irq", "at", "after", "delay", "phases"];
const UNITS: [(&str, Unit); 4] = [
    ("cycles", Unit::Cycles),
    ("bytes", Unit::Bytes),
    ("percent", Unit::Percent),
    ("count", Unit::Count),
];

/// The keys of each table of a spec, for its documentation.
pub fn keys() -> [(&'static str, &'static [&'static str]); 6] {
    [
        ("a spec", TOP),
        ("[[program]]", PROGRAM),
        ("[[span]]", SPAN),
        ("series", SERIES),
        ("[[raise]]", RAISE),
        (elsewhere::NAME, elsewhere::ELSEWHERE),
    ]
}

/// The values at the top of a spec that programs inherit.
#[derive(Clone, Default)]
struct Defaults {
    group: Option<String>,
    boards: Vec<Located<String>>,
    limit: Option<u64>,
    kernel: Option<String>,
    about: Option<String>,
    section: Option<String>,
    origin: Option<String>,
    conditions: Option<String>,
    because: Option<String>,
    reference: Option<Reference>,
}

/// Parses a spec.
///
/// # Errors
///
/// The first thing that is wrong with it.
pub fn parse(path: &str, text: &str) -> Result<Spec> {
    let source = Arc::new(Source {
        path: path.to_owned(),
        text: text.to_owned(),
    });
    let table = DeTable::parse(text).map_err(|error| syntax(&source, &error))?;
    let top = Reader::new(&source, "a spec", table.get_ref(), 0..0, TOP)?;
    let programs = programs(&top)?;
    check_ids(&source, &programs)?;
    let rtl = top.text("rtl")?;
    let elsewhere = elsewhere::elsewhere(&top)?;
    Ok(Spec {
        source,
        rtl,
        programs,
        elsewhere,
    })
}

fn syntax(source: &Arc<Source>, error: &toml::de::Error) -> Diagnostic {
    let range = error.span().unwrap_or(0..0);
    Diagnostic::mistake(format!("not TOML: {}", error.message())).at(source, range, "")
}

fn programs(top: &Reader<'_>) -> Result<Vec<Program>> {
    let defaults = Defaults::default().overridden(top)?;
    let defaults = Defaults {
        group: top.text("group")?.map(|group| group.value),
        ..defaults
    };
    let listed = top.tables("program", "[[program]]", PROGRAM)?;
    if listed.is_empty() {
        let image = top.text("elf")?.map_or(ImageName::None, ImageName::Path);
        return Ok(on_each_board(program(top, image, &defaults)?, &defaults));
    }
    for key in ["elf", "span", "raise", "stimulus"] {
        if let Some(range) = top.value_range(key) {
            let title = format!("`{key}` stands beside [[program]]");
            let help = format!("write it into the [[program]] that it belongs to: [[program.{key}]]");
            return Err(top.mistake(title, range, "belongs to no program").help(help));
        }
    }
    let read = |reader: &Reader<'_>| {
        let defaults = defaults.clone().overridden(reader)?;
        Ok(on_each_board(
            program(reader, image(reader)?, &defaults)?,
            &defaults,
        ))
    };
    let each: Vec<Vec<Program>> = listed.iter().map(read).collect::<Result<_>>()?;
    Ok(each.into_iter().flatten().collect())
}

/// The program once for each of its boards, or once if no board is named.
fn on_each_board(program: Program, defaults: &Defaults) -> Vec<Program> {
    if defaults.boards.is_empty() {
        return vec![program];
    }
    let on = |board: &Located<String>| Program {
        board: Some(board.clone()),
        ..program.clone()
    };
    defaults.boards.iter().map(on).collect()
}

impl Defaults {
    fn overridden(self, reader: &Reader<'_>) -> Result<Defaults> {
        let text = |key| Ok(reader.text(key)?.map(|text| text.value));
        Ok(Defaults {
            group: self.group,
            boards: without_some(reader, boards(reader)?.unwrap_or(self.boards))?,
            limit: reader.count("limit", 1)?.or(self.limit),
            kernel: text("kernel")?.or(self.kernel),
            about: text("about")?.or(self.about),
            section: text("section")?.or(self.section),
            origin: text("source")?.or(self.origin),
            conditions: text("conditions")?.or(self.conditions),
            because: text("because")?.or(self.because),
            reference: reference(reader)?.or(self.reference),
        })
    }
}

/// The boards that a table names, one or several.
fn boards(reader: &Reader<'_>) -> Result<Option<Vec<Located<String>>>> {
    match (reader.text("board")?, reader.texts("boards")?) {
        (Some(_), Some(_)) => {
            let range = reader.value_range("boards").unwrap_or_default();
            let title = format!("{} has both `board` and `boards`", reader.what());
            Err(reader.mistake(title, range, "one is enough"))
        }
        (Some(board), None) => Ok(Some(vec![board])),
        (None, boards) => {
            each_once(reader, boards.as_deref().unwrap_or_default())?;
            Ok(boards)
        }
    }
}

/// Rejects a list with a duplicate board.
fn each_once(reader: &Reader<'_>, boards: &[Located<String>]) -> Result<()> {
    let mut seen = HashSet::new();
    match boards.iter().find(|board| !seen.insert(&board.value)) {
        Some(again) => {
            let title = format!("board `{}` is listed twice", again.value);
            Err(reader.mistake(title, again.range.clone(), "the second time"))
        }
        None => Ok(()),
    }
}

/// The boards that are not in `except`.
fn without_some(reader: &Reader<'_>, mut boards: Vec<Located<String>>) -> Result<Vec<Located<String>>> {
    for except in reader.texts("except")?.unwrap_or_default() {
        let before = boards.len();
        boards.retain(|board| board.value != except.value);
        if boards.len() == before {
            let title = format!("`{}` is not one of its boards", except.value);
            return Err(reader.mistake(title, except.range, ""));
        }
    }
    Ok(boards)
}

fn image(reader: &Reader<'_>) -> Result<ImageName> {
    match (reader.text("name")?, reader.text("elf")?) {
        (Some(name), None) => Ok(ImageName::Program(name)),
        (None, Some(path)) => Ok(ImageName::Path(path)),
        (None, None) => Err(reader.mistake_here("[[program]] has no `name`")),
        (Some(_), Some(path)) => Err(reader.mistake(
            "[[program]] has both `name` and `elf`",
            path.range,
            "one is enough",
        )),
    }
}

fn program(reader: &Reader<'_>, image: ImageName, defaults: &Defaults) -> Result<Program> {
    let in_list = reader.what() == "[[program]]";
    let (span_name, raise_name) = if in_list {
        ("[[program.span]]", "[[program.raise]]")
    } else {
        ("[[span]]", "[[raise]]")
    };
    let spans = reader.tables("span", span_name, SPAN)?;
    if spans.is_empty() {
        let title = format!("{} measures nothing", reader.what());
        return Err(reader.mistake_here(title).help(format!("add a {span_name}")));
    }
    let raises = reader.tables("raise", raise_name, RAISE)?;
    let needs = if in_list { reader.text("needs")? } else { None };
    let builds = if in_list {
        builds(reader, &image)?
    } else {
        Vec::new()
    };
    let program = Program {
        builds,
        image,
        needs: needs.map(|needs| needs.value),
        board: None,
        limit: defaults.limit,
        spans: spans
            .iter()
            .map(|reader| span(reader, defaults))
            .collect::<Result<_>>()?,
        raises: raises.iter().map(raise).collect::<Result<_>>()?,
        stimuli: stimuli(reader)?,
    };
    check_phases(&program, &raises)?;
    Ok(program)
}

/// Names of other builds of the program.
fn builds(reader: &Reader<'_>, image: &ImageName) -> Result<Vec<Located<String>>> {
    let builds = reader.texts("builds")?.unwrap_or_default();
    match builds.first() {
        Some(first) if image.name().is_none() => {
            let range = first.range.clone();
            Err(reader.mistake("`builds` are those of a program with a `name`", range, ""))
        }
        _ => Ok(builds),
    }
}

/// External input, as on the command line.
fn stimuli(reader: &Reader<'_>) -> Result<Vec<Stimulus>> {
    let listed = reader.texts("stimulus")?.unwrap_or_default();
    let read = |text: &Located<String>| {
        let stimulus = text.value.parse::<Stimulus>();
        stimulus.map_err(|message| reader.mistake(message, text.range.clone(), ""))
    };
    listed.iter().map(read).collect()
}

/// Rejects phases together with other interrupts that wait for points, or with figures that the program measures itself: those would
/// differ in each phase.
fn check_phases(program: &Program, raises: &[Reader<'_>]) -> Result<()> {
    let phased = program
        .raises
        .iter()
        .zip(raises)
        .find(|(raise, _)| raise.phases > 1);
    let Some((_, reader)) = phased else {
        return Ok(());
    };
    let range = reader.value_range("phases").unwrap_or_default();
    if raises.len() > 1 {
        return Err(reader.mistake("`phases` beside another interrupt", range, "must be the only one"));
    }
    if program
        .spans
        .iter()
        .any(|span| matches!(span.what, Measured::Value(..)))
    {
        let title = "`phases` beside a figure that the program measures itself";
        return Err(reader.mistake(title, range, "each of the runs has its own"));
    }
    Ok(())
}

fn span(reader: &Reader<'_>, defaults: &Defaults) -> Result<SpanSpec> {
    let text = |key| Ok(reader.text(key)?.map(|text| text.value));
    let (what, unit) = (measured(reader)?, unit(reader)?);
    if let (Unit::Percent | Unit::Count, Measured::Span(_) | Measured::Calls(_)) = (unit, &what) {
        return Err(reader
            .mistake_here("between two points, and in a call, there are cycles or bytes")
            .help("`percent` and `count` are for what a program worked out itself: `value`"));
    }
    Ok(SpanSpec {
        id: id(reader, defaults)?,
        what,
        unit,
        kernel: text("kernel")?
            .or(defaults.kernel.clone())
            .unwrap_or_else(|| "none".to_owned()),
        about: defaults.about.clone(),
        section: defaults.section.clone(),
        series: series(reader)?,
        use_of: reader.text("use_of")?,
        skip: reader.count("skip", 0)?.unwrap_or(0),
        count: reader.count("count", 1)?,
        published: reader.figure("published")?,
        reference: reference(reader)?.or(defaults.reference).unwrap_or_default(),
        origin: text("source")?.or(defaults.origin.clone()),
        conditions: text("conditions")?.or(defaults.conditions.clone()),
        because: text("because")?.or(defaults.because.clone()),
        max: reader.whole("max", i64::MIN)?,
        minus: reader.text("minus")?,
    })
}

fn series(reader: &Reader<'_>) -> Result<Option<Series>> {
    let Some(series) = reader.table("series", "`series`", SERIES)? else {
        return Ok(None);
    };
    let name = series.required_text("name")?.value;
    let Some(at) = series.whole("at", 0)? else {
        return Err(series
            .mistake_here("`series` has no `at`")
            .help("the number of wait states"));
    };
    let out = |_| {
        series.mistake(
            "`at` must be a number of wait states",
            at.range.clone(),
            "out of range",
        )
    };
    let at = u32::try_from(at.value).map_err(out)?;
    Ok(Some(Series { name, at }))
}

fn id(reader: &Reader<'_>, defaults: &Defaults) -> Result<Located<String>> {
    let id = reader.required_text("id")?;
    let wrong = |title: String| Err(reader.mistake(title, id.range.clone(), ""));
    if id.value.contains(char::is_control) {
        return wrong("an id is one line of letters".to_owned());
    }
    match id.value.split_once('/') {
        Some((group, name)) if !group.is_empty() && !name.is_empty() => match &defaults.group {
            Some(wanted) if wanted != group => {
                wrong(format!("`{}` is not of the spec's group `{wanted}`", id.value))
            }
            _ => Ok(id),
        },
        _ => wrong(format!("the id `{}` is not `group/measurement`", id.value)),
    }
}

fn measured(reader: &Reader<'_>) -> Result<Measured> {
    let (value, ends) = (reader.text("value")?, ends(reader)?);
    match (reader.text("function")?, value, ends) {
        (Some(function), None, None) => Ok(Measured::Calls(function)),
        (Some(function), ..) => {
            let title = format!("{} has a `function` and another thing to measure", reader.what());
            Err(reader.mistake(title, function.range, "one is enough"))
        }
        (None, Some(symbol), ends) => Ok(Measured::Value(symbol, ends)),
        (None, None, Some(ends)) => Ok(Measured::Span(ends)),
        (None, None, None) => {
            let title = format!("{} has neither points nor a function nor a value", reader.what());
            Err(reader.mistake_here(title))
        }
    }
}

fn ends(reader: &Reader<'_>) -> Result<Option<Ends>> {
    let missing = |end| Err(reader.mistake_here(format!("{} has no `{end}`", reader.what())));
    match (reader.text("from")?, reader.text("to")?) {
        (Some(from), Some(to)) => Ok(Some(Ends {
            from: point(reader, &from)?,
            to: point(reader, &to)?,
        })),
        (None, None) => Ok(None),
        (None, Some(_)) => missing("from"),
        (Some(_), None) => missing("to"),
    }
}

fn point(reader: &Reader<'_>, text: &Located<String>) -> Result<Located<Point>> {
    match Point::parse(&text.value) {
        Ok(value) => Ok(Located {
            value,
            range: text.range.clone(),
        }),
        Err((title, help)) => Err(reader.mistake(title, text.range.clone(), "").help(help)),
    }
}

fn unit(reader: &Reader<'_>) -> Result<Unit> {
    let Some(text) = reader.text("unit")? else {
        return Ok(Unit::Cycles);
    };
    if let Some((_, unit)) = UNITS.iter().find(|(name, _)| *name == text.value) {
        return Ok(*unit);
    }
    let hint = did_you_mean(&text.value, UNITS.map(|(name, _)| name));
    let hint = hint.unwrap_or_else(|| "the units are `cycles`, `bytes` and `percent`".to_owned());
    let title = format!("no unit is called `{}`", text.value);
    Err(reader.mistake(title, text.range, "").help(hint))
}

/// The chip and program of the published figures.
fn reference(reader: &Reader<'_>) -> Result<Option<Reference>> {
    let Some(text) = reader.text("reference")? else {
        return Ok(None);
    };
    if let Some((_, reference)) = Reference::NAMED.iter().find(|(name, _)| *name == text.value) {
        return Ok(Some(*reference));
    }
    let names = Reference::NAMED.map(|(name, _)| name);
    let hint = did_you_mean(&text.value, names);
    let hint = hint.unwrap_or_else(|| "it is `same`, `other-chip` or `other-program`".to_owned());
    let title = format!("`{}` does not say what a published figure is of", text.value);
    Err(reader.mistake(title, text.range, "").help(hint))
}

fn raise(reader: &Reader<'_>) -> Result<Raise> {
    let irq = irq(reader)?;
    let (at, after) = (reader.count("at", 0)?, reader.text("after")?);
    let delay = reader.count("delay", 0)?;
    let when = match (at, after) {
        (Some(_), None) if delay.is_some() => {
            return Err(reader
                .mistake_here("`delay` needs `after`")
                .help("add the delay to `at`"));
        }
        (Some(cycle), None) => When::At(cycle),
        (None, Some(after)) => When::After(point(reader, &after)?, delay.unwrap_or(0)),
        (Some(_), Some(after)) => {
            return Err(reader.mistake("an interrupt has both `at` and `after`", after.range, ""));
        }
        (None, None) => {
            let help = "`at = CYCLE`, or `after = POINT` and perhaps `delay = CYCLES`";
            return Err(reader.mistake_here("the interrupt is never raised").help(help));
        }
    };
    let phases = phases(reader)?;
    Ok(Raise { irq, when, phases })
}

fn phases(reader: &Reader<'_>) -> Result<u64> {
    let phases = reader.count("phases", 1)?.unwrap_or(1);
    if phases > MAX_PHASES {
        let range = reader.value_range("phases").unwrap_or_default();
        let title = format!("`phases` must be at most {MAX_PHASES}");
        let help = "sweep the rest from another spec, with a greater `at` or `delay`";
        return Err(reader.mistake(title, range, "each is a run").help(help));
    }
    Ok(phases)
}

fn irq(reader: &Reader<'_>) -> Result<Located<String>> {
    let Some(irq) = reader.number_or_text("irq")? else {
        return Err(reader.mistake_here(format!("{} has no `irq`", reader.what())));
    };
    let value = match irq.value {
        NumberOrText::Number(number) => format!("IRQ{number}"),
        NumberOrText::Text(name) => name,
    };
    Ok(Located {
        value,
        range: irq.range,
    })
}

/// Checks that no two rows share id, kernel and board, and that rows named by `minus` and `use_of` come earlier, so that they are
/// measured by then.
fn check_ids(source: &Arc<Source>, programs: &[Program]) -> Result<()> {
    let mut seen = HashSet::new();
    let spans = programs
        .iter()
        .flat_map(|program| program.spans.iter().map(move |span| (program, span)));
    for (program, span) in spans {
        let board = program.board.as_ref().map(|board| &board.value);
        let bases = [
            (&span.minus, "cannot be subtracted"),
            (&span.use_of, "the latency to use of nothing"),
        ];
        for (base, label) in bases {
            if let Some(base) = base
                && !seen.contains(&(&base.value, &span.kernel, board))
            {
                let title = format!(
                    "no span before this one is called `{}`, of this kernel and board",
                    base.value
                );
                return Err(Diagnostic::mistake(title).at(source, base.range.clone(), label));
            }
        }
        if !seen.insert((&span.id.value, &span.kernel, board)) {
            let title = format!("two spans are called `{}`", span.id.value);
            return Err(Diagnostic::mistake(title).at(source, span.id.range.clone(), "the second one"));
        }
    }
    Ok(())
}
