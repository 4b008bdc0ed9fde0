//! Threads and their calls.

use std::path::Path;

use dap::requests::StackTraceArguments;
use machine::image::SourcePlace;
use serde_json::{Value, json};

use super::requests::parsed;
use super::state::Level;
use super::{Adapter, Answered, Refusal};
use crate::threads::Thread;

/// The source of a place, as the editor opens it.
pub(super) fn source(place: &SourcePlace) -> Value {
    let path = Path::new(&*place.file);
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    json!({ "name": place.file_name(), "path": path.display().to_string() })
}

impl Adapter {
    pub(super) fn threads(&mut self, _: Value) -> Answered {
        let threads = self.session()?.threads()?;
        let threads = threads
            .iter()
            .map(|(number, thread)| json!({ "id": number, "name": thread.name }));
        Ok(json!({ "threads": threads.collect::<Vec<_>>() }))
    }

    /// The thread with this number.
    pub(super) fn thread(&mut self, number: i64) -> Answered<(u32, Thread)> {
        let threads = self.session()?.threads()?;
        let found = threads.into_iter().find(|(known, _)| i64::from(*known) == number);
        found.ok_or_else(|| Refusal(format!("there is no thread {number}")))
    }

    pub(super) fn stack_trace(&mut self, arguments: Value) -> Answered {
        let arguments: StackTraceArguments = parsed(arguments)?;
        let (number, thread) = self.thread(arguments.thread_id)?;
        let first = self.first;
        let mut frames = Vec::new();
        for frame in self.session()?.backtrace(Some(&thread)) {
            let functions = &frame.site.functions;
            let unknown = frame
                .site
                .symbol
                .clone()
                .unwrap_or_else(|| format!("{:#010x}", frame.site.pc));
            let levels = functions.iter().map(|function| {
                let name = function.function.clone().unwrap_or_else(|| unknown.clone());
                (name, function.place.as_ref())
            });
            let mut levels: Vec<_> = levels.collect();
            if levels.is_empty() {
                levels.push((unknown, None));
            }
            for (name, place) in levels {
                let mut told = json!({
                    "name": name, "line": 0, "column": 0,
                    "instructionPointerReference": format!("{:#010x}", frame.site.pc),
                });
                match place {
                    Some(place) => {
                        told["source"] = source(place);
                        told["line"] = (i64::from(place.line.max(1)) - 1 + first).into();
                        told["column"] = (i64::from(place.column.max(1)) - 1 + first).into();
                    }
                    None => told["presentationHint"] = "subtle".into(),
                }
                frames.push(told);
            }
        }
        let (total, start) = (frames.len(), arguments.start_frame.unwrap_or(0));
        let levels = arguments.levels.filter(|levels| *levels > 0);
        let levels = levels.map_or(usize::MAX, |levels| usize::try_from(levels).unwrap_or(usize::MAX));
        let start = usize::try_from(start).unwrap_or(0);
        let mut shown: Vec<Value> = frames.into_iter().skip(start).take(levels).collect();
        for frame in &mut shown {
            self.levels.push(Level { thread: number });
            frame["id"] = self.levels.len().into();
        }
        Ok(json!({ "stackFrames": shown, "totalFrames": total }))
    }
}
