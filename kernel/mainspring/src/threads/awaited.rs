//! Waits that can never end. They are found when they begin, or when they become so, and stop the program with a panic that names
//! the threads. Only a wait that one thread alone can end can be such a wait: for a mutex, an answer, or a thread's end.
//!
//! All of this is for the rare ways, in the kernel's section. Threads go by their ranks, so that there is one copy of each function.

#![allow(unsafe_code)] // The place of a list.

use core::cell::Cell;
use core::ptr::with_exposed_provenance;

use mainspring_core::threads::{Awaited, top};

use super::state::{self, name_of};
use crate::model::App;

/// A port without the types of its questions and answers.
#[repr(C)] // As `Port`.
pub(super) struct Served {
    /// Where the question is that is being answered; [`IDLE`] while the server waits for one, [`BUSY`] while it does neither.
    pub(super) asked: Cell<usize>,
    /// Who is being answered, while somebody else asks: the exchange has no more of it then.
    pub(super) answered: Cell<u32>,
    /// The rank of the server, once it serves.
    pub(super) server: Cell<u8>,
    /// The next of the ports that are served.
    pub(super) next: Cell<Option<&'static Served>>,
}

impl Served {
    /// The rank of the thread that is being answered. In the kernel's section.
    pub(super) fn client(&self) -> Option<usize> {
        let asked = self.asked.get();
        if asked == IDLE || asked == BUSY {
            return None;
        }
        // SAFETY: whoever is being answered waits, so its exchange is there, and begins with this.
        let client = unsafe { &*with_exposed_provenance::<Cell<u32>>(asked) }.get();
        Some(top(if client == 0 { self.answered.get() } else { client }))
    }
}

/// In [`Served::asked`]: the server waits for a question.
pub(super) const IDLE: usize = 0;
/// In [`Served::asked`]: the server does neither.
pub(super) const BUSY: usize = 1;

/// The ports that are served, the last to be first. One list for all applications: a chip runs one.
struct Ports(Cell<Option<&'static Served>>);

// SAFETY: used in the kernel's section alone.
unsafe impl Sync for Ports {}

// SAFETY: it is zero at first, as that section is. A section of its own keeps it out of what the compiler makes of the program's statics.
#[cfg_attr(target_os = "none", unsafe(link_section = ".bss.mainspring_lists"))]
static PORTS: Ports = Ports(Cell::new(None));

fn ports() -> impl Iterator<Item = &'static Served> {
    core::iter::successors(PORTS.0.get(), |port| port.next.get())
}

fn serves(rank: usize) -> bool {
    ports().any(|port| usize::from(port.server.get()) == rank)
}

/// The thread that alone can end the wait of `rank`, if there is such a one.
fn awaited<A: App>(rank: usize) -> Option<usize> {
    let answers = || ports().find(|port| port.client() == Some(rank));
    let awaited = state::of::<A>().awaited(rank);
    awaited.or_else(|| answers().map(|port| usize::from(port.server.get())))
}

/// Stops the program.
#[cold]
#[inline(never)]
pub(super) fn stop<A: App>(rank: usize, does: &str, other: Option<usize>, which: &str) -> ! {
    let name = |rank| name_of::<A>(rank).unwrap_or("idle");
    match other {
        Some(other) => panic!(
            "thread `{}` {does} thread `{}`, which {which}",
            name(rank),
            name(other)
        ),
        None => panic!("thread `{}` {does}", name(rank)),
    }
}

/// `rank` is about to wait for `other`, without a time limit.
///
/// # Panics
///
/// If that one waits for `rank`, by way of others or not.
#[cold]
#[inline(never)]
pub(super) fn check_circle<A: App>(rank: usize, other: usize) {
    if state::of::<A>().closes_circle(rank, other, awaited::<A>) {
        stop::<A>(
            rank,
            "would wait for ever for",
            Some(other),
            "waits for it: a deadlock",
        );
    }
}

/// `rank` is about to wait for the end of `other`.
///
/// # Panics
///
/// If `other` never returns: it serves a port, or waits for `rank`.
#[cold]
#[inline(never)]
pub(super) fn check_join<A: App>(rank: usize, other: usize) {
    if serves(other) {
        stop::<A>(rank, "would wait for the end of", Some(other), NEVER_RETURNS);
    }
    check_circle::<A>(rank, other);
}

/// `rank` is about to ask `server`, which does not wait for a question.
///
/// # Panics
///
/// If `server` has returned, or waits for `rank`.
#[cold]
#[inline(never)]
pub(super) fn check_call<A: App>(rank: usize, server: usize) {
    if state::of::<A>().is_finished(server) {
        stop::<A>(rank, "asks", Some(server), ANSWERS_NOBODY);
    }
    check_circle::<A>(rank, server);
}

/// `rank` begins to serve `port`, and goes on for ever.
///
/// # Panics
///
/// If it is serving already, so that the question that it is answering would never be answered, or if somebody waits for its end.
#[cold]
#[inline(never)]
pub(super) fn begin_to_serve<A: App>(rank: usize, port: &'static Served) {
    if serves(rank) {
        stop::<A>(
            rank,
            "serves in the midst of an answer, which would never be given",
            None,
            "",
        );
    }
    check_nobody_awaits::<A>(Awaited::End(rank as u8), rank, NEVER_RETURNS);
    port.server.set(rank as u8);
    port.next.set(PORTS.0.replace(Some(port)));
}

/// `rank` has returned, and the threads that waited for that continue.
///
/// # Panics
///
/// If a thread waits for an answer from it.
#[inline(never)]
pub(super) fn check_returned<A: App>(rank: usize) {
    check_nobody_awaits::<A>(Awaited::Answer(rank as u8), rank, ANSWERS_NOBODY);
}

const NEVER_RETURNS: &str = "serves a port and never returns";
const ANSWERS_NOBODY: &str = "has returned and answers nobody";

fn check_nobody_awaits<A: App>(what: Awaited, rank: usize, which: &str) {
    if let Some(who) = state::of::<A>().who_awaits(what) {
        stop::<A>(who, "waits for", Some(rank), which);
    }
}
