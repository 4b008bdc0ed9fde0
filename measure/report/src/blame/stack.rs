//! Why a call uses more or fewer bytes of stack.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Blame, Item, readable, sort, stable};
use crate::obtained::StackFrame;

/// Explains the difference in bytes between the deepest paths of two samples. The first reason also shows the new path.
pub fn blame_stack(old: &[StackFrame], new: &[StackFrame]) -> Blame {
    let names = |path: &[StackFrame]| {
        path.iter()
            .map(|frame| stable(&frame.function).to_owned())
            .collect::<Vec<_>>()
    };
    let mut items = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &names(old), &names(new)) {
        let (was, is) = (&old[op.old_range()], &new[op.new_range()]);
        if let DiffOp::Equal { .. } = op {
            items.extend(was.iter().zip(is).filter_map(|(was, is)| resized(was, is)));
        } else {
            items.extend(was.iter().map(|frame| {
                item(
                    frame,
                    -frame.bytes,
                    "it is no longer on the deepest path".to_owned(),
                )
            }));
            items.extend(is.iter().map(|frame| {
                let what = format!("it is on the deepest path now, with {} bytes", frame.bytes);
                item(frame, frame.bytes, what)
            }));
        }
    }
    let by = bytes(new) - bytes(old);
    sort(&mut items, by);
    if let Some(first) = items.first_mut() {
        let calls: Vec<String> = new.iter().map(shown).collect();
        first.what = format!("{}; deepest path: {}", first.what, calls.join(" → "));
    }
    Blame { by, items }
}

fn bytes(path: &[StackFrame]) -> i64 {
    path.iter().map(|frame| frame.bytes).sum()
}

/// `filter` (176)
fn shown(frame: &StackFrame) -> String {
    format!("`{}` ({})", readable(&frame.function), frame.bytes)
}

fn resized(was: &StackFrame, is: &StackFrame) -> Option<Item> {
    let by = is.bytes - was.bytes;
    let how = if by > 0 { "grew" } else { "shrank" };
    let what = format!("its frame {how} from {} to {} bytes", was.bytes, is.bytes);
    (by != 0).then(|| item(is, by, what))
}

fn item(frame: &StackFrame, by: i64, what: String) -> Item {
    Item {
        by,
        what,
        function: Some(stable(&frame.function).to_owned()),
        place: frame.place.clone(),
        rules: Vec::new(),
        is_effect: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(frames: &[(&str, i64)]) -> Vec<StackFrame> {
        let frame = |(line, &(function, bytes)): (u32, &(&str, i64))| StackFrame {
            function: function.to_owned(),
            bytes,
            place: Some(("src/main.rs".to_owned(), line)),
        };
        (1..).zip(frames).map(frame).collect()
    }

    #[test]
    fn the_frame_that_grew_comes_first_with_the_path() {
        let old = path(&[("step", 24), ("filter", 16), ("log", 8)]);
        let new = path(&[("step", 32), ("filter", 176), ("send", 4)]);
        let blame = blame_stack(&old, &new);
        assert_eq!(blame.by, 164);
        assert_eq!(blame.items.iter().map(|item| item.by).sum::<i64>(), blame.by);
        let texts: Vec<String> = blame.items.iter().map(Item::text).collect();
        assert_eq!(
            texts,
            [
                "+160 at src/main.rs:2 in filter: its frame grew from 16 to 176 bytes; deepest path: `step` (32) → \
                 `filter` (176) → `send` (4)",
                "+8 at src/main.rs:1 in step: its frame grew from 24 to 32 bytes",
                "+4 at src/main.rs:3 in send: it is on the deepest path now, with 4 bytes",
                "-8 at src/main.rs:3 in log: it is no longer on the deepest path",
            ]
        );
    }
}
