//! Breakpoints by line, function and address, and watched data.

use std::fmt::Display;

use dap::requests::{
    BreakpointLocationsArguments, DataBreakpointInfoArguments, SetBreakpointsArguments,
    SetDataBreakpointsArguments, SetFunctionBreakpointsArguments, SetInstructionBreakpointsArguments,
};
use dap::types::{DataBreakpointAccessType, Source};
use machine::Image;
use machine::image::LineError;
use serde_json::{Value, json};

use super::requests::parsed;
use super::state::{Breakpoint, Kind};
use super::{Adapter, Answered, Refusal};
use crate::stops::Watched;

/// Where a breakpoint of a line lies: its addresses, and the line.
fn line_addresses(image: &Image, path: &str, line: u32) -> Result<(Vec<u32>, u32), LineError> {
    let mut path = path;
    loop {
        match image.line_addresses(path, line) {
            Ok(addresses) => return Ok((addresses, line)),
            // A line without code means the next one that has some.
            Err(LineError::NoCode { ref nearest, .. }) if nearest.iter().any(|near| *near > line) => {
                let next = nearest.iter().copied().find(|near| *near > line).unwrap_or(line);
                return image
                    .line_addresses(path, next)
                    .map(|addresses| (addresses, next));
            }
            // The compiler may have recorded a path relative to another folder.
            Err(error @ LineError::UnknownFile { .. }) => match path.split_once(['/', '\\']) {
                Some((_, rest)) => path = rest,
                None => return Err(error),
            },
            Err(error) => return Err(error),
        }
    }
}

/// A message with a hint.
fn hinted(error: &impl Display, hint: Option<String>) -> String {
    match hint {
        Some(hint) => format!("{error}; {hint}"),
        None => error.to_string(),
    }
}

/// Why a breakpoint with a condition is not set; the adapter does not offer conditions.
fn unconditional(condition: Option<&String>, hits: Option<&String>) -> Result<(), String> {
    match condition.or(hits) {
        Some(_) => Err("conditions are not supported".to_owned()),
        None => Ok(()),
    }
}

/// The addresses of a breakpoint and the line that it has there, or why it cannot be set.
type Found = Result<(Vec<u32>, Option<i64>), String>;

impl Adapter {
    pub(super) fn set_breakpoints(&mut self, arguments: Value) -> Answered {
        let arguments: SetBreakpointsArguments = parsed(arguments)?;
        let path = path_of(&arguments.source)?;
        let image = self.session()?.target().image().clone();
        let (first, mut set) = (self.first, Vec::new());
        for wanted in arguments.breakpoints.unwrap_or_default() {
            let line = from_editor(wanted.line, first);
            let found =
                unconditional(wanted.condition.as_ref(), wanted.hit_condition.as_ref()).and_then(|()| {
                    line_addresses(&image, &path, line).map_err(|error| {
                        let hint = error.hint();
                        hinted(&error, hint)
                    })
                });
            set.push(found.map(|(addresses, line)| (addresses, Some(i64::from(line) + first - 1))));
        }
        self.replace(&Kind::Source(path), set)
    }

    pub(super) fn set_function_breakpoints(&mut self, arguments: Value) -> Answered {
        let arguments: SetFunctionBreakpointsArguments = parsed(arguments)?;
        let image = self.session()?.target().image().clone();
        let set = arguments.breakpoints.iter().map(|wanted| {
            unconditional(wanted.condition.as_ref(), wanted.hit_condition.as_ref())?;
            let symbol = image.symbol(&wanted.name).map_err(|error| {
                let hint = error.hint();
                hinted(&error, hint)
            })?;
            Ok((vec![symbol.address], None))
        });
        self.replace(&Kind::Function, set.collect())
    }

    pub(super) fn set_instruction_breakpoints(&mut self, arguments: Value) -> Answered {
        let arguments: SetInstructionBreakpointsArguments = parsed(arguments)?;
        let set = arguments.breakpoints.iter().map(|wanted| {
            unconditional(wanted.condition.as_ref(), wanted.hit_condition.as_ref())?;
            let address = super::memory::address(&wanted.instruction_reference, wanted.offset);
            address
                .map(|address| (vec![address & !1], None))
                .map_err(|Refusal(message)| message)
        });
        self.replace(&Kind::Instruction, set.collect())
    }

    /// Replaces the breakpoints of a kind.
    fn replace(&mut self, kind: &Kind, set: Vec<Found>) -> Answered {
        self.breakpoints.known.retain(|known| known.kind != *kind);
        let mut answer = Vec::new();
        for found in set {
            let id = self.breakpoints.new_id();
            answer.push(match found {
                Ok((addresses, line)) => {
                    let first = format!("{:#010x}", addresses.first().copied().unwrap_or(0));
                    let mut told = json!({ "id": id, "verified": true, "instructionReference": first });
                    if let Some(line) = line {
                        told["line"] = line.into();
                    }
                    let kind = kind.clone();
                    self.breakpoints.known.push(Breakpoint { id, kind, addresses });
                    told
                }
                Err(message) => json!({ "id": id, "verified": false, "message": message }),
            });
        }
        self.set_points()?;
        Ok(json!({ "breakpoints": answer }))
    }

    /// Gives the session all breakpoints and watched ranges.
    fn set_points(&mut self) -> Answered<()> {
        let known = &self.breakpoints.known;
        let mut addresses: Vec<u32> = known.iter().flat_map(|one| one.addresses.clone()).collect();
        let mut watched: Vec<Watched> = self
            .breakpoints
            .watched
            .iter()
            .map(|(_, watched)| *watched)
            .collect();
        if self.breakpoints.are_off {
            addresses.clear();
            watched.clear();
        }
        let session = self.session()?;
        session.points.breakpoints = addresses;
        session.points.watched = watched;
        Ok(())
    }

    /// Says whether an expression can be watched; its id is `ADDRESS,SIZE`.
    pub(super) fn data_breakpoint_info(&mut self, arguments: Value) -> Answered {
        let arguments: DataBreakpointInfoArguments = parsed(arguments)?;
        let name = self.full_name(arguments.variables_reference, &arguments.name);
        let found = self
            .value_of(&name)
            .ok()
            .and_then(|value| Some((value.address?, value.size)));
        Ok(match found {
            Some((address, size)) => json!({
                "dataId": format!("{address:#010x},{size}"),
                "description": format!("{name} ({size} bytes at {address:#010x})"),
                "accessTypes": ["read", "write", "readWrite"],
                "canPersist": true,
            }),
            None => json!({ "dataId": null, "description": format!("`{name}` is not in memory") }),
        })
    }

    pub(super) fn set_data_breakpoints(&mut self, arguments: Value) -> Answered {
        let arguments: SetDataBreakpointsArguments = parsed(arguments)?;
        self.breakpoints.watched.clear();
        let mut answer = Vec::new();
        for wanted in &arguments.breakpoints {
            let id = self.breakpoints.new_id();
            let range = wanted.data_id.split_once(',').and_then(|(address, size)| {
                let size = size.parse().ok().filter(|size| *size > 0)?;
                Some((super::memory::address(address, None).ok()?, size))
            });
            let condition = unconditional(wanted.condition.as_ref(), wanted.hit_condition.as_ref());
            answer.push(match (range, condition) {
                (Some((address, size)), Ok(())) => {
                    let access = wanted.access_type.as_ref();
                    let watched = Watched {
                        address,
                        size,
                        reads: !matches!(access, None | Some(DataBreakpointAccessType::Write)),
                        writes: !matches!(access, Some(DataBreakpointAccessType::Read)),
                    };
                    self.breakpoints.watched.push((id, watched));
                    json!({ "id": id, "verified": true })
                }
                (_, Err(message)) => json!({ "id": id, "verified": false, "message": message }),
                (None, _) => {
                    let message = format!("`{}` is no address and size", wanted.data_id);
                    json!({ "id": id, "verified": false, "message": message })
                }
            });
        }
        self.set_points()?;
        Ok(json!({ "breakpoints": answer }))
    }

    /// The lines of a range that have code.
    pub(super) fn breakpoint_locations(&mut self, arguments: Value) -> Answered {
        let arguments: BreakpointLocationsArguments = parsed(arguments)?;
        let path = path_of(&arguments.source)?;
        let last = arguments.end_line.unwrap_or(arguments.line);
        let first = self.first;
        let image = self.session()?.target().image().clone();
        let lines = (arguments.line..=last).take(MOST_LINES).filter(|line| {
            let wanted = from_editor(*line, first);
            line_addresses(&image, &path, wanted).is_ok_and(|(_, found)| found == wanted)
        });
        let lines: Vec<Value> = lines.map(|line| json!({ "line": line })).collect();
        Ok(json!({ "breakpoints": lines }))
    }
}

/// A line as the compiler counts, from 1, of one that counts from `first`; 0 if it is none.
fn from_editor(line: i64, first: i64) -> u32 {
    let counted = line.checked_sub(first).and_then(|line| line.checked_add(1));
    counted.and_then(|line| u32::try_from(line).ok()).unwrap_or(0)
}

/// The most lines of which one request asks.
const MOST_LINES: usize = 1 << 10;

fn path_of(source: &Source) -> Answered<String> {
    let path = source.path.clone().or_else(|| source.name.clone());
    path.ok_or_else(|| Refusal::new("the source has no path"))
}
