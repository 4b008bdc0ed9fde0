//! The pprof format: `profile.proto` of <https://github.com/google/pprof>, uncompressed, which pprof accepts too.

use std::collections::HashMap;

use prost::Message;

use super::{Frame, Profile};

#[derive(Clone, PartialEq, Message)]
struct Root {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    label: Vec<Label>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    text: i64,
}

#[derive(Clone, PartialEq, Message)]
#[allow(clippy::struct_excessive_bools)] // As the format has them.
struct Mapping {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    start: u64,
    #[prost(uint64, tag = "3")]
    limit: u64,
    #[prost(int64, tag = "5")]
    filename: i64,
    #[prost(bool, tag = "7")]
    has_functions: bool,
    #[prost(bool, tag = "8")]
    has_filenames: bool,
    #[prost(bool, tag = "9")]
    has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    mapping_id: u64,
    #[prost(uint64, tag = "3")]
    address: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}

/// A pprof file under construction.
struct Builder<'a> {
    profile: &'a Profile,
    root: Root,
    strings: HashMap<String, i64>,
    functions: HashMap<(String, String), u64>,
    locations: HashMap<(Option<u32>, usize), u64>,
}

impl Profile {
    /// pprof samples: instruction stacks with the last instruction's execution count, its cycles, and its cycles by class of causes.
    pub fn pprof(&self) -> Vec<u8> {
        let mut builder = Builder {
            profile: self,
            root: Root::default(),
            strings: HashMap::new(),
            functions: HashMap::new(),
            locations: HashMap::new(),
        };
        builder.head();
        for index in 0..self.nodes.len() {
            builder.node(index);
        }
        builder.root.encode_to_vec()
    }
}

impl Builder<'_> {
    fn head(&mut self) {
        self.string("");
        let (count, cycles) = (self.string("count"), self.string("cycles"));
        let executed = self.string("executed");
        let types = [(executed, count), (cycles, cycles)];
        self.root.sample_type = types.map(|(kind, unit)| ValueType { kind, unit }).to_vec();
        for class in &self.profile.classes {
            let kind = self.string(class);
            self.root.sample_type.push(ValueType { kind, unit: cycles });
        }
        self.root.default_sample_type = cycles;
        self.root.period_type = Some(ValueType {
            kind: cycles,
            unit: cycles,
        });
        self.root.period = 1;
        self.root.duration_nanos = self.profile.nanoseconds as i64;
        let filename = self.string(&self.profile.elf);
        self.root.mapping.push(Mapping {
            id: 1,
            start: 0,
            limit: 1 << 32,
            filename,
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
            has_inline_frames: true,
        });
    }

    fn node(&mut self, index: usize) {
        let profile = self.profile;
        let node = &profile.nodes[index];
        let mut callers: Vec<u64> = Vec::new();
        for below in profile.above(index) {
            let below = &profile.nodes[below];
            let Some(parent) = below.parent else { break };
            let caller = profile.nodes[parent].function;
            // Without a known call site, use the caller as a whole.
            callers.push(self.location(below.call_site, caller));
        }
        let own = (None, &node.own);
        let code = node.code.iter().map(|(pc, tally)| (Some(*pc), tally));
        for (pc, tally) in std::iter::once(own).chain(code) {
            if tally.count == 0 && tally.total() == 0 {
                continue;
            }
            let mut location_id = vec![self.location(pc, node.function)];
            location_id.extend(&callers);
            let figures = [tally.count, tally.total()]
                .into_iter()
                .chain(profile.by_class(tally));
            let value = figures.map(|figure| figure as i64).collect();
            let (key, text) = (
                self.string("context"),
                self.string(&profile.contexts[node.context].name),
            );
            self.root.sample.push(Sample {
                location_id,
                value,
                label: vec![Label { key, text }],
            });
        }
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(&number) = self.strings.get(text) {
            return number;
        }
        let number = self.root.string_table.len() as i64;
        self.root.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), number);
        number
    }

    fn function(&mut self, name: &str, file: &str) -> u64 {
        let key = (name.to_owned(), file.to_owned());
        if let Some(&id) = self.functions.get(&key) {
            return id;
        }
        let id = self.root.function.len() as u64 + 1;
        let (name, filename) = (self.string(name), self.string(file));
        self.root.function.push(Function {
            id,
            name,
            system_name: name,
            filename,
        });
        self.functions.insert(key, id);
        id
    }

    fn location(&mut self, pc: Option<u32>, function: usize) -> u64 {
        if let Some(&id) = self.locations.get(&(pc, function)) {
            return id;
        }
        let profile = self.profile;
        let known = &profile.functions[function];
        let whole = Frame {
            function: Some(known.name.clone()),
            place: known.place.clone(),
        };
        let code = pc.and_then(|pc| profile.code.get(&pc));
        let mut frames = code.map_or_else(Vec::new, |code| code.frames.clone());
        match frames.last_mut() {
            Some(last) => last.function = Some(known.name.clone()),
            None => frames.push(whole),
        }
        let line = frames
            .iter()
            .map(|frame| {
                let (file, line) = frame.place.clone().unwrap_or_default();
                let name = frame.function.as_deref().unwrap_or("?");
                Line {
                    function_id: self.function(name, &file),
                    line: i64::from(line),
                }
            })
            .collect();
        let id = self.root.location.len() as u64 + 1;
        let address = pc.or(known.address).unwrap_or(0);
        self.root.location.push(Location {
            id,
            mapping_id: 1,
            address: u64::from(address),
            line,
        });
        self.locations.insert((pc, function), id);
        id
    }
}
