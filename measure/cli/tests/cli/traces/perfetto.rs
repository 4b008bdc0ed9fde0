//! Timelines for Perfetto: contexts, calls, arrows, and what threads wait for.

use std::collections::BTreeMap;
use std::sync::Arc;

use lab::trace::{Format, Trace, Tracing};
use machine::target::Until;
use machine::{Board, Console, Debugger, Image, Machine, Options, Target};
use serde_json::Value;

use super::{desk, events, signal, trace};
use crate::Desk;

/// A field of a message: its number, and what it holds.
type Field = (u64, Result<u64, Vec<u8>>);

/// A message of protocol buffers: its fields, by number. Varints and fixed numbers are values, the rest is bytes.
fn message(mut bytes: &[u8]) -> Vec<Field> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        value
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Ok(varint(&mut bytes)),
            1 => {
                let (value, rest) = bytes.split_first_chunk().unwrap();
                bytes = rest;
                Ok(u64::from_le_bytes(*value))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                Err(value.to_vec())
            }
            other => panic!("wire type {other}"),
        };
        fields.push((key >> 3, value));
    }
    fields
}

fn bytes(fields: &[Field], number: u64) -> Option<Vec<u8>> {
    fields.iter().find(|(known, _)| *known == number)?.1.clone().err()
}

fn value(fields: &[Field], number: u64) -> Option<u64> {
    fields.iter().find(|(known, _)| *known == number)?.1.clone().ok()
}

/// An event on a track: when, kind (1 begins, 2 ends, 3 instant, 4 counter), name or value, the arrows that begin and end there.
pub(super) type Mark = (u64, u64, String, Option<u64>, Option<u64>);

/// What happened on each track of a file of Perfetto.
pub(super) type Tracks = BTreeMap<String, Vec<Mark>>;

/// Reads packets by the numbers of `perfetto_trace.proto`.
pub(super) fn tracks(file: &[u8]) -> Tracks {
    let (mut names, mut tracks, mut interned) = (BTreeMap::new(), Tracks::new(), BTreeMap::new());
    let text = |bytes: Option<Vec<u8>>| String::from_utf8(bytes.unwrap_or_default()).unwrap();
    for (number, packet) in message(file) {
        assert_eq!(number, 1, "a trace consists of packets");
        let packet = message(&packet.unwrap_err());
        if let Some(track) = bytes(&packet, 60) {
            let track = message(&track);
            let again = names.insert(value(&track, 1).unwrap(), text(bytes(&track, 2)));
            assert_eq!(again, None, "a track is described once");
        }
        if let Some(data) = bytes(&packet, 12) {
            let name = message(&bytes(&message(&data), 2).unwrap());
            interned.insert(value(&name, 1).unwrap(), text(bytes(&name, 2)));
        }
        if let Some(event) = bytes(&packet, 11) {
            let event = message(&event);
            let name = value(&event, 10).map_or(String::new(), |iid| interned[&iid].clone());
            let name = value(&event, 30).map_or(name, |counter| counter.to_string());
            let track = tracks
                .entry(names[&value(&event, 11).unwrap()].clone())
                .or_default();
            track.push((
                value(&packet, 8).unwrap(),
                value(&event, 9).unwrap(),
                name,
                value(&event, 47),
                value(&event, 48),
            ));
        }
    }
    tracks
}

#[test]
fn a_timeline_has_contexts_with_their_calls_and_arrows_to_handlers() {
    let desk = desk();
    trace(&desk, "t.jsonl", "");
    trace(&desk, "t.perfetto", "");
    let file = std::fs::read(desk.path("t.perfetto")).unwrap();
    let tracks = tracks(&file);
    let names: Vec<&str> = tracks.keys().map(String::as_str).collect();
    assert_eq!(names, ["EXTI0", "PRIMASK", "clock", "stack", "thread 0"]);
    for (track, marks) in &tracks {
        let mut open = 0;
        for (_, kind, ..) in marks {
            open += match kind {
                1 => 1,
                2 => -1,
                _ => 0,
            };
            assert!(open >= 0, "{track}: {marks:?}");
        }
        assert_eq!(open, 0, "{track}: every slice ends");
    }
    let begun: Vec<&str> = tracks["thread 0"]
        .iter()
        .filter(|mark| mark.1 == 1)
        .map(|mark| mark.2.as_str())
        .collect();
    assert_eq!(begun, ["thread 0", "main", "work", "work"]);
    let events = events(&desk, "t.jsonl");
    let enter = events.iter().find(|event| event["event"] == "enter").unwrap();
    let handler = &tracks["EXTI0"][0];
    assert_eq!(
        (handler.0, handler.2.as_str()),
        (enter["cycle"].as_u64().unwrap(), "EXTI0")
    );
}

/// The slices of a track: first cycle, name, the arrows that begin and end there.
pub(super) fn slices(track: &[Mark]) -> Vec<(u64, &str, Option<u64>, Option<u64>)> {
    let begun = track.iter().filter(|mark| mark.1 == 1);
    begun
        .map(|mark| (mark.0, mark.2.as_str(), mark.3, mark.4))
        .collect()
}

#[test]
fn threads_have_the_names_that_a_profile_has_and_say_what_they_wait_for() {
    let Some(elf) = crate::profile::repository_program("threads-freertos-apart.elf") else {
        return;
    };
    let image = Arc::new(Image::parse("app.elf", &elf).unwrap());
    let board = Board::find("stm32f100rb").unwrap();
    let desk = Desk::new().with("app.elf", elf);
    desk.run("profile app.elf --board stm32f100rb --json p.json")
        .code(0);
    // It has breakpoints, which only a debugger lets it pass.
    let options = Options {
        debugger: Debugger::Attached,
        console: Console::none(),
        ..Options::default()
    };
    let mut machine = Machine::new(&board, &image, options).unwrap();
    let file = desk.path("t.perfetto");
    let mut trace = Trace::create(&file, &image, &board, Tracing::whole(Format::Perfetto)).unwrap();
    Target::run(&mut machine, Until::Cycle(1_000_000), &mut trace).unwrap();
    trace.finish().unwrap();
    let profile: Value = serde_json::from_str(&desk.read("p.json")).unwrap();
    let tracks = tracks(&std::fs::read(desk.path("t.perfetto")).unwrap());
    let contexts = profile["contexts"].as_array().unwrap();
    let mut named = 0;
    for context in contexts {
        let (name, entry) = (context["name"].as_str().unwrap(), context["entry"].as_str());
        let name = match entry {
            Some(entry) if name != "thread 0" => format!("{entry} ({name})"),
            _ => name.to_owned(),
        };
        named += u32::from(entry.is_some() && tracks.contains_key(&name));
    }
    assert_eq!(named, 7, "{contexts:?} {:?}", tracks.keys());
    // Every slice ends, also those of a thread's state.
    for (track, marks) in &tracks {
        let count = |kind: u64| marks.iter().filter(|mark| mark.1 == kind).count();
        assert_eq!(count(1), count(2), "{track}");
    }
    let of = |entry: &str| {
        let state = |(name, _): &(&String, &Vec<Mark>)| name.starts_with(entry) && name.ends_with(": state");
        slices(tracks.iter().find(state).unwrap().1)
    };
    assert!(
        of("sleeps")
            .iter()
            .any(|slice| slice.1 == "waits in xQueueSemaphoreTake"),
        "{:?}",
        of("sleeps")
    );
    // A thread that an interrupt makes leave does not wait.
    let states = tracks.iter().filter(|(name, _)| name.ends_with(": state"));
    let mut all = states.flat_map(|(_, marks)| slices(marks));
    assert!(all.any(|slice| slice.1 == "ready"));
    // An arrow leads from a call that gives to the thread that then goes on, later, elsewhere.
    let begun: BTreeMap<u64, (u64, &str, &str)> = tracks
        .iter()
        .flat_map(|(track, marks)| slices(marks).into_iter().map(move |slice| (track, slice)))
        .filter_map(|(track, (cycle, name, from, _))| Some((from?, (cycle, name, track.as_str()))))
        .collect();
    let ended = of("awaits").into_iter().find(|slice| slice.3.is_some());
    let (cycle, _, _, arrow) = ended.unwrap_or_else(|| panic!("no arrow: {:?}", of("awaits")));
    let (given, function, _) = begun[&arrow.unwrap()];
    assert!(
        given < cycle && function.starts_with('x'),
        "{function} {given} {cycle}"
    );
}

#[test]
fn an_arrow_leads_from_an_edge_to_its_handler() {
    let desk = desk();
    trace(&desk, "t.perfetto", "--raise IRQ6@40");
    trace(&desk, "t.vcd", "--raise IRQ6@40");
    let tracks = tracks(&std::fs::read(desk.path("t.perfetto")).unwrap());
    let [(cycle, 3, name, Some(arrow), None)] = &tracks["interrupt inputs"][..] else {
        panic!("one edge: {tracks:?}")
    };
    assert_eq!((*cycle, name.as_str()), (40, "EXTI0"));
    let led: Vec<u64> = tracks["EXTI0"]
        .iter()
        .filter(|mark| mark.4 == Some(*arrow))
        .map(|mark| mark.0)
        .collect();
    assert_eq!(led.len(), 1);
    assert!(led[0] >= 40, "{led:?}");
    let line = signal(&desk, "t.vcd", "EXTI0");
    assert_eq!((line[0], line[1]), ((0, 0), (40, 1)));
}
