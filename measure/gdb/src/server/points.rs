//! Breakpoints and watchpoints, as GDB sets them.

use super::arguments::{Answered, Arguments, Refusal};
use super::{Answer, Server};
use crate::stops::Watched;

/// A point that GDB set. Setting or removing it twice has no further effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Point {
    kind: u8,
    address: u32,
    /// Bytes watched, or a breakpoint's kind, which is ignored.
    size: u32,
}

impl Point {
    /// Parses `KIND,ADDRESS,SIZE`.
    fn parse(arguments: &mut Arguments<'_>) -> Answered<Point> {
        let kind = arguments.byte()?;
        if !(b'0'..=b'4').contains(&kind) {
            let is_one = kind.is_ascii_digit() && arguments.take(b',');
            return Err(if is_one {
                Refusal::Unknown
            } else {
                Refusal::Malformed
            });
        }
        arguments.expect(b',')?;
        let (address, size) = arguments.range()?;
        arguments.end()?;
        let point = Point {
            kind: kind - b'0',
            address,
            size,
        };
        match point.watched() {
            Some(Watched { size: 0, .. }) => Err(Refusal::Malformed),
            _ => Ok(point),
        }
    }

    /// The watched range; `None` for a breakpoint.
    fn watched(self) -> Option<Watched> {
        let Point { kind, address, size } = self;
        (kind > 1).then_some(Watched {
            address,
            size,
            writes: kind != 3,
            reads: kind != 2,
        })
    }
}

impl Server {
    pub(super) fn insert_point(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let point = Point::parse(&mut arguments)?;
        if self.points.insert(point) {
            match point.watched() {
                Some(watched) => self.session.add_watched(watched),
                None => self.session.add_breakpoint(point.address),
            }
        }
        Ok(Answer::ok())
    }

    pub(super) fn remove_point(&mut self, mut arguments: Arguments<'_>) -> Answered<Answer> {
        let point = Point::parse(&mut arguments)?;
        if self.points.remove(&point) {
            match point.watched() {
                Some(watched) => self.session.remove_watched(watched),
                None => self.session.remove_breakpoint(point.address),
            };
        }
        Ok(Answer::ok())
    }
}
