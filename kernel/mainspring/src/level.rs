//! Where the running code stands, as a type.
//!
//! A task is itself a level: the one at its own priority. Inside a lock the level is [`Locked`], inside
//! [`Context::atomic`](crate::Context::atomic) it is [`Atomic`]. So the compiler knows at every point how much is held
//! back already, and a section adds only what is missing.

use core::marker::PhantomData;

use mainspring_core::{Action, Level as Facts};

use crate::model::{Actor, App, PlanOf};
use crate::threads::GiveWay;
use crate::uses::Section;

/// A level: a task, [`Locked`] or [`Atomic`].
pub trait Level: private::Sealed {
    /// The application.
    type App: App;
    #[doc(hidden)]
    const FACTS: Facts;
    /// Whether a section of the same task is under way.
    #[doc(hidden)]
    const IN_SECTION: bool = true;
    /// The name of the running task, thread or idle loop.
    #[doc(hidden)]
    const ACTOR: &'static str;
    /// The action of a thread here that has woken a more urgent one; none where the switch has to wait.
    #[doc(hidden)]
    const GIVES_WAY: Option<GiveWay> = None;
}

/// A user of an enable bit.
#[cfg_attr(not(all(enable_bits, target_arch = "arm")), allow(dead_code))] // Elsewhere less of it matters.
pub(crate) struct By {
    /// A task that a system exception starts.
    pub(crate) system: bool,
    pub(crate) level: Facts,
    pub(crate) in_section: bool,
}

/// Code at the level `L`.
pub(crate) const fn by<L: Level>() -> By {
    By {
        system: PlanOf::<L::App>::PLAN.is_started_by_system(L::ACTOR),
        level: L::FACTS,
        in_section: L::IN_SECTION,
    }
}

/// Inside a lock of `S` that was taken at level `L`.
pub struct Locked<L, S>(PhantomData<(L, S)>);

/// Inside a section that holds back everything, begun at level `L`.
pub struct Atomic<L>(PhantomData<L>);

impl<T: Actor> private::Sealed for T {}
impl<T: Actor> Level for T {
    type App = T::App;
    const FACTS: Facts = Facts::base(&PlanOf::<T::App>::PLAN, T::PRIORITY);
    const IN_SECTION: bool = false;
    const ACTOR: &'static str = T::NAME;
    const GIVES_WAY: Option<GiveWay> = T::GIVES_WAY;
}

impl<L, S> private::Sealed for Locked<L, S> {}
impl<L: Level, S: Section> Level for Locked<L, S> {
    type App = L::App;
    const FACTS: Facts = L::FACTS.raised(&PlanOf::<L::App>::PLAN, S::CEILING);
    const ACTOR: &'static str = L::ACTOR;
}

impl<L> private::Sealed for Atomic<L> {}
impl<L: Level> Level for Atomic<L> {
    type App = L::App;
    const FACTS: Facts = L::FACTS.global();
    const ACTOR: &'static str = L::ACTOR;
}

/// The transition from one level to another, a constant.
pub(crate) trait Transition {
    type App: App;
    const ACTION: Action;
    /// Where it starts and where it ends, for cores that mask task by task.
    #[cfg_attr(not(target_os = "none"), expect(dead_code))] // The host's sections look at what is so.
    const FROM: Facts;
    const CEILING: u8;
    /// Whether a switch can be wanted at the end that did not happen inside, for cores where nothing else finds it.
    #[cfg_attr(not(target_os = "none"), expect(dead_code))] // There is no switch on the host.
    const ASKS: bool = true;
}

/// From level `L` into a lock of `S`.
pub(crate) struct Into<L, S>(PhantomData<(L, S)>);

impl<L: Level, S: Section> Transition for Into<L, S> {
    type App = L::App;
    const FROM: Facts = L::FACTS;
    const ACTION: Action = L::FACTS.action(&PlanOf::<L::App>::PLAN, S::CEILING);
    const CEILING: u8 = S::CEILING;
}

mod private {
    pub trait Sealed {}
}
