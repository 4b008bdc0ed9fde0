//! Interprets the XML of a CMSIS-SVD file: expands derived elements and arrays to registers.
//!
//! A file may be malicious, so each step draws on a budget far beyond any real chip.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use roxmltree::{Document, Node, NodeId};

use super::{Cpu, Field, Peripheral, Register, Svd};
use crate::board::BoardError;
use crate::nearest::{did_you_mean, nearest};

/// Elements visited, counting repetitions; the largest chips need a twentieth.
const BUDGET: u64 = 20_000_000;
/// The budget for one element of an array, for which a name is built.
const ONE_OF_SEVERAL: u64 = 16;
/// The most registers of all peripherals; derived peripherals share theirs.
const MOST_REGISTERS: usize = 200_000;
/// The most peripherals.
const MOST_PERIPHERALS: usize = 2_000;
/// The most elements of one array.
const MOST_OF_ONE: u64 = 4096;
/// The deepest nesting of clusters, and the longest chain of derivations.
const DEEPEST: usize = 16;
/// The most characters kept of a description.
const LONGEST: usize = 60;

type Element<'a> = Node<'a, 'a>;
type Wrong<'a> = (Element<'a>, String);
type Read<'a, T> = Result<T, Wrong<'a>>;

pub(super) fn device(file: &str, text: &str) -> Result<Svd, BoardError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let wrong = |line: u32, message: String| BoardError::Wrong {
        file: file.into(),
        line: line as usize,
        message,
        hint: Some("a chip's CMSIS-SVD file comes from its maker, or with the crate of its registers".into()),
    };
    let document = Document::parse(text).map_err(|error| {
        let message = error.to_string();
        let message = message.split(" at ").next().unwrap_or(&message);
        wrong(error.pos().row, format!("no XML: {message}"))
    })?;
    let reader = Reader::new(&document);
    reader
        .svd(file, document.root_element())
        .map_err(|(place, message)| {
            let line = document.text_pos_at(place.range().start).row;
            wrong(line, message)
        })
}

/// Properties that registers inherit from enclosing elements.
#[derive(Clone, Copy)]
struct Properties {
    bits: u64,
    access: Access,
    reset: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadOnly,
    Others,
}

/// A node, the node it derives from, and so on.
type Chain<'a> = Vec<Element<'a>>;

struct Reader<'a> {
    /// Elements to derive from, by parent element and name.
    named: HashMap<(NodeId, &'a str), Element<'a>>,
    peripherals: Option<Element<'a>>,
    budget: Cell<u64>,
}

impl<'a> Reader<'a> {
    fn new(document: &'a Document<'a>) -> Reader<'a> {
        let root = document.root_element();
        let mut named = HashMap::new();
        for node in root.descendants().filter(Node::is_element) {
            let is_named = ["peripheral", "cluster", "register"].contains(&node.tag_name().name());
            if let (true, Some(parent), Some(name)) = (is_named, node.parent(), text(node, "name")) {
                named.entry((parent.id(), name)).or_insert(node);
            }
        }
        Reader {
            named,
            peripherals: child(root, "peripherals"),
            budget: Cell::new(BUDGET),
        }
    }

    fn pay(&self, node: Element<'a>) -> Read<'a, ()> {
        self.pay_for(node, 1 + node.children().count() as u64)
    }

    fn pay_for(&self, node: Element<'a>, cost: u64) -> Read<'a, ()> {
        match self.budget.get().checked_sub(cost) {
            Some(left) => {
                self.budget.set(left);
                Ok(())
            }
            None => Err((node, "this file describes more than any chip has".into())),
        }
    }

    fn svd(&self, file: &str, root: Element<'a>) -> Read<'a, Svd> {
        if root.tag_name().name() != "device" {
            let message = format!(
                "a CMSIS-SVD file begins with <device>, not with <{}>",
                root.tag_name().name()
            );
            return Err((root, message));
        }
        let list = self
            .peripherals
            .ok_or_else(|| (root, "<device> has no <peripherals>".to_owned()))?;
        let outer = properties(
            root,
            Properties {
                bits: 32,
                access: Access::Others,
                reset: 0,
            },
        )?;
        let mut svd = Svd {
            file: file.to_owned(),
            name: text(root, "name").unwrap_or("the chip").to_owned(),
            description: line(text(root, "description")),
            cpu: child(root, "cpu").map(cpu).transpose()?,
            peripherals: Vec::new(),
            interrupts: Vec::new(),
        };
        // Derived peripherals share the registers of others, which are built once.
        let mut made: HashMap<NodeId, (Arc<[Register]>, u32)> = HashMap::new();
        let mut count = 0;
        for node in elements(list, "peripheral") {
            let chain = self.chain(node)?;
            let key = key(&chain);
            if !made.contains_key(&key) || chain.iter().any(|node| has_properties(*node)) {
                let registers = self.registers_of(&chain, outer)?;
                count += registers.0.len();
                if count > MOST_REGISTERS {
                    return Err((
                        node,
                        format!("more than {MOST_REGISTERS} registers, which no chip has"),
                    ));
                }
                made.insert(key, registers);
            }
            let (registers, end) = &made[&key];
            let blocks = extent(&chain)?.max(*end).max(1);
            self.peripheral(&chain, registers, blocks, &mut svd.peripherals)?;
            for interrupt in elements(node, "interrupt") {
                let value = wanted_number(interrupt, "value")?;
                let value = u32::try_from(value).ok().filter(|&value| value < 1024);
                let value =
                    value.ok_or_else(|| (interrupt, "an interrupt's number is below 1024".to_owned()))?;
                svd.interrupts
                    .push((value, wanted(interrupt, "name")?.to_owned()));
            }
        }
        svd.interrupts.sort();
        svd.interrupts.dedup_by_key(|interrupt| interrupt.0);
        Ok(svd)
    }

    fn peripheral(
        &self,
        chain: &[Element<'a>],
        registers: &Arc<[Register]>,
        size: u32,
        into: &mut Vec<Peripheral>,
    ) -> Read<'a, ()> {
        let node = chain[0];
        let base = wanted_number(node, "baseAddress")?;
        let name = wanted(node, "name")?;
        let description = line(first(chain, "description"));
        for (index, offset) in self.instances(chain)? {
            let begin = base.checked_add(offset);
            let begin = begin.filter(|begin| begin + u64::from(size) <= 1 << 32);
            let begin =
                begin.ok_or_else(|| (node, "this peripheral lies beyond 32 bits of address".to_owned()))?;
            into.push(Peripheral {
                name: indexed(name, &index),
                description: description.clone(),
                base: begin as u32,
                size,
                registers: Arc::clone(registers),
            });
            if into.len() > MOST_PERIPHERALS {
                return Err((node, format!("more than {MOST_PERIPHERALS} peripherals")));
            }
        }
        Ok(())
    }

    /// The registers of a peripheral by offset, and the end of the last one.
    fn registers_of(&self, chain: &[Element<'a>], outer: Properties) -> Read<'a, (Arc<[Register]>, u32)> {
        let inner = inherited(chain, outer)?;
        let mut registers = Vec::new();
        let list = chain.iter().find_map(|node| child(*node, "registers"));
        if let Some(list) = list {
            self.registers(list, 0, "", inner, 0, &mut registers)?;
        }
        registers.sort_by_key(|register| register.offset);
        let ends = registers
            .iter()
            .map(|register| register.offset.saturating_add(register.bytes));
        let end = ends.max().unwrap_or(0);
        Ok((registers.into(), end))
    }

    fn registers(
        &self,
        list: Element<'a>,
        base: u64,
        prefix: &str,
        outer: Properties,
        depth: usize,
        into: &mut Vec<Register>,
    ) -> Read<'a, ()> {
        self.pay(list)?;
        for node in list.children().filter(Node::is_element) {
            let is_cluster = node.has_tag_name("cluster");
            if !is_cluster && !node.has_tag_name("register") {
                continue;
            }
            if depth > DEEPEST {
                return Err((
                    node,
                    format!("clusters stand in clusters, more than {DEEPEST} of them"),
                ));
            }
            let chain = self.chain(node)?;
            let inner = inherited(&chain, outer)?;
            let offset = wanted_number(node, "addressOffset")?;
            let name = wanted(node, "name")?;
            let body = chain
                .iter()
                .find(|node| child(**node, "register").is_some() || child(**node, "cluster").is_some());
            let register = (!is_cluster).then(|| self.register(&chain, inner)).transpose()?;
            for (index, step) in self.instances(&chain)? {
                let name = format!("{prefix}{}", indexed(name, &index));
                let begin = base.saturating_add(offset).saturating_add(step);
                let Some(register) = &register else {
                    if let Some(body) = body {
                        self.registers(*body, begin, &format!("{name}."), inner, depth + 1, into)?;
                    }
                    continue;
                };
                let begin = u32::try_from(begin).map_err(|_| (node, "it lies beyond 32 bits".to_owned()))?;
                into.push(Register {
                    name,
                    offset: begin,
                    ..register.clone()
                });
                if into.len() > MOST_REGISTERS {
                    return Err((
                        node,
                        format!("more than {MOST_REGISTERS} registers, which no chip has"),
                    ));
                }
            }
        }
        Ok(())
    }

    /// A register, without name and offset.
    fn register(&self, chain: &[Element<'a>], properties: Properties) -> Read<'a, Register> {
        let bytes = match properties.bits {
            1..=8 => 1,
            9..=16 => 2,
            17..=32 => 4,
            33..=64 => 8,
            _ => return Err((chain[0], "a register has 1 to 64 bits".into())),
        };
        let all = u64::MAX >> (64 - 8 * bytes);
        let list = chain.iter().find_map(|node| child(*node, "fields"));
        let mut fields = Vec::new();
        let (mut writable, mut clears) = (0, 0);
        if let Some(list) = list {
            self.pay(list)?;
            for node in elements(list, "field") {
                self.fields(node, properties, (&mut fields, &mut writable, &mut clears))?;
            }
        } else if properties.access != Access::ReadOnly {
            writable = all;
        }
        fields.sort_by_key(|field| std::cmp::Reverse(field.low));
        Ok(Register {
            name: String::new(),
            description: line(first(chain, "description")),
            offset: 0,
            bytes,
            reset: properties.reset & all,
            writable: writable & all,
            clears: clears & all,
            fields: fields.into(),
        })
    }

    fn fields(
        &self,
        node: Element<'a>,
        properties: Properties,
        (fields, writable, clears): (&mut Vec<Field>, &mut u64, &mut u64),
    ) -> Read<'a, ()> {
        self.pay(node)?;
        let (low, width) = bits(node)?;
        let access = access(node)?.unwrap_or(properties.access);
        let clearing = text(node, "modifiedWriteValues") == Some("oneToClear");
        let chain = vec![node];
        for (index, step) in self.instances(&chain)? {
            let low = low.saturating_add(step);
            let Some(width) = 64u64.checked_sub(low).map(|most| width.min(most)) else {
                continue;
            };
            if width == 0 {
                continue;
            }
            let mask = u64::MAX >> (64 - width) << low;
            match (access, clearing) {
                (Access::ReadOnly, _) => {}
                (_, true) => *clears |= mask,
                _ => *writable |= mask,
            }
            fields.push(Field {
                name: indexed(wanted(node, "name")?, &index),
                low: low as u32,
                width: width as u32,
            });
        }
        Ok(())
    }

    /// The derivation chain of a node: siblings are found by name, others by path.
    fn chain(&self, node: Element<'a>) -> Read<'a, Chain<'a>> {
        let mut chain = vec![node];
        let mut last = node;
        while let Some(of) = last.attribute("derivedFrom") {
            self.pay(last)?;
            let found = last
                .parent()
                .and_then(|parent| self.named.get(&(parent.id(), of)).copied())
                .or_else(|| self.path(of));
            let Some(next) = found else {
                return Err((last, format!("it is derived from `{of}`, which is not there")));
            };
            if chain.len() > DEEPEST || chain.contains(&next) {
                return Err((
                    last,
                    format!("it is derived from `{of}`, and that from itself in the end"),
                ));
            }
            chain.push(next);
            last = next;
        }
        Ok(chain)
    }

    /// Resolves `TIM1.CH0.CTRL`: a register in a cluster of a peripheral.
    fn path(&self, path: &str) -> Option<Element<'a>> {
        let mut words = path.split('.');
        let mut at = *self.named.get(&(self.peripherals?.id(), words.next()?))?;
        for word in words {
            let list = child(at, "registers").unwrap_or(at);
            at = *self.named.get(&(list.id(), word))?;
        }
        Some(at)
    }

    /// The indices and offsets of all elements of an array.
    fn instances(&self, chain: &[Element<'a>]) -> Read<'a, Vec<(String, u64)>> {
        let Some(node) = chain.iter().find(|node| child(**node, "dim").is_some()) else {
            return Ok(vec![(String::new(), 0)]);
        };
        let count = wanted_number(*node, "dim")?;
        if !(1..=MOST_OF_ONE).contains(&count) {
            return Err((*node, format!("`dim` is 1 to {MOST_OF_ONE}")));
        }
        self.pay_for(*node, count * ONE_OF_SEVERAL)?;
        let step = wanted_number(*node, "dimIncrement")?;
        let names = text(*node, "dimIndex").map(|text| indices(text, count as usize));
        Ok((0..count)
            .map(|number| {
                let name = names
                    .as_ref()
                    .and_then(|names| names.get(number as usize).cloned());
                let name = name.unwrap_or_else(|| number.to_string());
                (name, step.saturating_mul(number))
            })
            .collect())
    }
}

/// Identifies the register list that a peripheral uses.
fn key(chain: &[Element<'_>]) -> NodeId {
    let own = chain.iter().find(|node| child(**node, "registers").is_some());
    own.or(chain.first()).map_or(NodeId::new(0), Node::id)
}

/// The end of a peripheral's address blocks.
fn extent<'a>(chain: &[Element<'a>]) -> Read<'a, u32> {
    let mut end = 0;
    let own = chain.iter().find(|node| child(**node, "addressBlock").is_some());
    for block in own.into_iter().flat_map(|node| elements(*node, "addressBlock")) {
        let block_end = number(block, "offset")?
            .unwrap_or(0)
            .saturating_add(wanted_number(block, "size")?);
        end = end.max(block_end);
    }
    Ok(u32::try_from(end).unwrap_or(u32::MAX))
}

/// The first `most` indices of `0-3`, `A-D` or `A,B,C`.
fn indices(text: &str, most: usize) -> Vec<String> {
    if let Some((first, last)) = text.split_once('-') {
        let numbers = first
            .trim()
            .parse::<u64>()
            .ok()
            .zip(last.trim().parse::<u64>().ok());
        if let Some((first, last)) = numbers {
            return (first..=last)
                .take(most)
                .map(|number| number.to_string())
                .collect();
        }
        let letters = first.trim().chars().next().zip(last.trim().chars().next());
        if let Some((first, last)) = letters {
            return (first..=last).take(most).map(String::from).collect();
        }
    }
    text.split(',')
        .take(most)
        .map(|word| word.trim().to_owned())
        .collect()
}

fn indexed(name: &str, index: &str) -> String {
    name.replace("[%s]", index).replace("%s", index)
}

fn cpu(node: Element<'_>) -> Read<'_, Cpu> {
    let flag = |tag| text(node, tag).is_some_and(|word| word == "true" || word == "1");
    Ok(Cpu {
        name: text(node, "name").unwrap_or_default().to_owned(),
        revision: text(node, "revision").unwrap_or_default().to_owned(),
        priority_bits: number(node, "nvicPrioBits")?,
        interrupts: number(node, "deviceNumInterrupts")?,
        mpu: flag("mpuPresent"),
        fpu: flag("fpuPresent"),
    })
}

fn has_properties(node: Element<'_>) -> bool {
    ["size", "access", "resetValue"]
        .iter()
        .any(|tag| child(node, tag).is_some())
}

fn inherited<'a>(chain: &[Element<'a>], outer: Properties) -> Read<'a, Properties> {
    chain
        .iter()
        .rev()
        .try_fold(outer, |outer, node| properties(*node, outer))
}

fn properties(node: Element<'_>, outer: Properties) -> Read<'_, Properties> {
    Ok(Properties {
        bits: number(node, "size")?.unwrap_or(outer.bits),
        access: access(node)?.unwrap_or(outer.access),
        reset: number(node, "resetValue")?.unwrap_or(outer.reset),
    })
}

/// Parses CMSIS-SVD's `accessType` in any case, with or without hyphens, since makers vary. It only decides which bits a stub stores.
fn access(node: Element<'_>) -> Read<'_, Option<Access>> {
    let Some(word) = text(node, "access") else {
        return Ok(None);
    };
    let letters = word.chars().filter(char::is_ascii_alphabetic);
    let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    match plain.as_str() {
        "readonly" | "read" | "ro" | "r" => Ok(Some(Access::ReadOnly)),
        "writeonly" | "write" | "wo" | "w" | "readwrite" | "rw" | "writeonce" | "readwriteonce" => {
            Ok(Some(Access::Others))
        }
        _ => {
            let known = [
                "read-only",
                "write-only",
                "read-write",
                "writeOnce",
                "read-writeOnce",
            ];
            let near =
                did_you_mean(&nearest(word, known, 1)).map_or(String::new(), |near| format!("; {near}"));
            let short: String = word.chars().take(LONGEST).collect();
            Err((node, format!("`{short}` is not an access of a register{near}")))
        }
    }
}

/// The lowest bit of a field, and the number of bits.
fn bits(node: Element<'_>) -> Read<'_, (u64, u64)> {
    let wrong = || {
        (
            node,
            "a field has its bits: `[7:4]`, or `lsb` and `msb`, or `bitOffset`".to_owned(),
        )
    };
    let (low, high) = if let Some(range) = text(node, "bitRange") {
        let inside = range.trim_matches(['[', ']']);
        let (high, low) = inside.split_once(':').ok_or_else(wrong)?;
        let word = |word: &str| word.trim().parse::<u64>().map_err(|_| wrong());
        (word(low)?, word(high)?)
    } else if let Some(low) = number(node, "bitOffset")? {
        let width = number(node, "bitWidth")?.unwrap_or(1);
        (low, low.saturating_add(width).saturating_sub(1))
    } else {
        let (Some(low), Some(high)) = (number(node, "lsb")?, number(node, "msb")?) else {
            return Err(wrong());
        };
        (low, high)
    };
    if low > high || high > 63 {
        return Err(wrong());
    }
    Ok((low, high - low + 1))
}

fn elements<'a>(node: Element<'a>, tag: &'static str) -> impl Iterator<Item = Element<'a>> {
    node.children().filter(move |child| child.has_tag_name(tag))
}

fn child<'a>(node: Element<'a>, tag: &str) -> Option<Element<'a>> {
    node.children().find(|child| child.has_tag_name(tag))
}

fn text<'a>(node: Element<'a>, tag: &str) -> Option<&'a str> {
    child(node, tag)?
        .text()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// The value of the nearest element in the chain that has this tag.
fn first<'a>(chain: &[Element<'a>], tag: &str) -> Option<&'a str> {
    chain.iter().find_map(|node| text(*node, tag))
}

fn wanted<'a>(node: Element<'a>, tag: &str) -> Read<'a, &'a str> {
    text(node, tag).ok_or_else(|| (node, format!("<{}> has no <{tag}>", node.tag_name().name())))
}

fn wanted_number<'a>(node: Element<'a>, tag: &str) -> Read<'a, u64> {
    wanted(node, tag)?;
    number(node, tag).map(Option::unwrap_or_default)
}

/// Parses a number in SVD syntax: `0x1F`, `12`, `#01x0`, `0b01`.
fn number<'a>(node: Element<'a>, tag: &str) -> Read<'a, Option<u64>> {
    let Some(word) = text(node, tag) else {
        return Ok(None);
    };
    let lower = word.to_ascii_lowercase();
    let parsed = match (
        lower.strip_prefix("0x"),
        lower.strip_prefix('#'),
        lower.strip_prefix("0b"),
    ) {
        (Some(digits), ..) => u64::from_str_radix(digits, 16),
        (_, Some(digits), _) | (.., Some(digits)) => u64::from_str_radix(&digits.replace('x', "0"), 2),
        _ => lower.parse(),
    };
    let short: String = word.chars().take(LONGEST).collect();
    let wrong = |_| (node, format!("<{tag}> is `{short}`, which is not a number"));
    parsed.map(Some).map_err(wrong)
}

/// The first sentence of a description, in one line.
fn line(text: Option<&str>) -> String {
    let words: Vec<&str> = text.unwrap_or_default().split_whitespace().take(20).collect();
    let whole = words.join(" ");
    let whole = whole.trim_end_matches('.');
    if whole.chars().count() <= LONGEST {
        return whole.to_owned();
    }
    let cut: String = whole.chars().take(LONGEST).collect();
    format!("{}…", cut.trim_end())
}
