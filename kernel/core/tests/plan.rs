//! The plan's arithmetic against what it means: any application, any schedule, and hardware that obeys BASEPRI and
//! PRIMASK alone; or, as on RV32, that obeys the bits of a mask.

use mainspring_core::{Access, Action, Actor, Ceiling, IDLE, Level, Plan, Restore, Use, Vector};
use proptest::prelude::*;

const NAMES: [&str; 4] = ["A", "B", "C", "D"];
const TASKS: [&str; 5] = ["t1", "t2", "t3", "t4", "t5"];

fn used(name: &'static str, access: Access) -> Use {
    Use {
        name,
        access,
        late: false,
        declared: None,
    }
}

fn actor(name: &'static str, priority: u8, vector: Option<Vector>, uses: Vec<Use>) -> Actor {
    Actor {
        name,
        priority,
        vector,
        behind: false,
        enabled: true,
        late: false,
        uses: uses.leak(),
    }
}

fn plan(bits: u8, idle: Vec<Use>, tasks: Vec<(u8, Vec<Use>)>) -> Plan {
    let tasks: Vec<_> = (0..)
        .zip(tasks)
        .map(|(i, (priority, uses))| actor(TASKS[usize::from(i)], priority, Some(Vector::Interrupt(i)), uses))
        .collect();
    Plan {
        bits,
        owns_basepri: true,
        idle: actor("idle", IDLE, None, idle),
        tasks: tasks.leak(),
        threads: &[],
        waking: 1,
        late: &[],
    }
}

fn uses() -> impl Strategy<Value = Vec<Use>> {
    prop::collection::vec(prop::option::of(any::<bool>()), NAMES.len()).prop_map(|accesses| {
        let of = |(name, write): (&&'static str, Option<bool>)| {
            write.map(|write| used(name, if write { Access::Write } else { Access::Read }))
        };
        NAMES.iter().zip(accesses).filter_map(of).collect()
    })
}

fn plans() -> impl Strategy<Value = Plan> {
    (2..=3_u8, uses(), prop::collection::vec((1..=4_u8, uses()), 1..=5))
        .prop_map(|(bits, idle, tasks)| plan(bits, idle, tasks))
}

/// The part of the hardware that decides what runs.
#[derive(Clone, Default)]
struct Core {
    basepri: u8,
    primask: bool,
    /// The running tasks, the innermost last; the idle loop is below them all.
    running: Vec<usize>,
    /// Which task is inside which resource, and whether to write.
    held: Vec<(usize, &'static str, bool)>,
}

const IDLE_INDEX: usize = usize::MAX;

impl Core {
    fn may_start(&self, plan: &Plan, task: usize) -> bool {
        let priority = plan.tasks[task].priority;
        let running = self
            .running
            .iter()
            .map(|&t| plan.tasks[t].priority)
            .max()
            .unwrap_or(0);
        let value = mainspring_core::threshold(priority, plan.bits);
        priority > running && !self.primask && (self.basepri == 0 || value < self.basepri)
    }

    /// Every task that the hardware would let start here runs, with everything that it may do; then what was
    /// interrupted must find BASEPRI as it left it.
    fn interrupt(&mut self, plan: &Plan, depth: u8) {
        for task in 0..plan.tasks.len() {
            if depth > 0 && self.may_start(plan, task) {
                let before = self.basepri;
                self.running.push(task);
                self.run(plan, task, &plan.tasks[task], depth - 1);
                self.running.pop();
                assert_eq!(
                    self.basepri, before,
                    "a task returned with another threshold than it found"
                );
            }
        }
    }

    fn run(&mut self, plan: &Plan, who: usize, actor: &Actor, depth: u8) {
        let level = Level::base(plan, actor.priority);
        for first in actor.uses {
            self.section(plan, who, level, first, depth, |core, inside| {
                for second in actor.uses.iter().filter(|second| second.name != first.name) {
                    core.section(plan, who, inside, second, depth, |_, _| ());
                }
            });
        }
    }

    fn section(
        &mut self,
        plan: &Plan,
        who: usize,
        level: Level,
        what: &Use,
        depth: u8,
        inside: impl FnOnce(&mut Core, Level),
    ) {
        let write = what.access == Access::Write;
        let ceiling = plan.ceiling(what.name, if write { Ceiling::Users } else { Ceiling::Writers });
        let (basepri, primask) = (self.basepri, self.primask);
        match level.action(plan, ceiling) {
            Action::Nothing => (),
            Action::Threshold { raised, restore } => {
                if let Restore::Known(value) = restore {
                    assert_eq!(value, basepri, "the threshold is not what the plan says");
                }
                self.basepri = raised;
            }
            Action::Global => self.primask = true,
        }
        self.hold(who, what.name, write);
        self.interrupt(plan, depth);
        inside(self, level.raised(plan, ceiling));
        self.held.pop();
        (self.basepri, self.primask) = (basepri, primask);
    }

    fn hold(&mut self, who: usize, resource: &'static str, write: bool) {
        let clash = self
            .held
            .iter()
            .find(|held| held.0 != who && held.1 == resource && (held.2 || write));
        assert!(
            clash.is_none(),
            "{resource} is used by two at once, and one of them writes"
        );
        self.held.push((who, resource, write));
    }
}

/// A core without priorities: a task may start when its bit is set, and it is asked for.
struct Masked {
    mask: u32,
    asked: u32,
    runs: [u32; TASKS.len()],
    asks: [u32; TASKS.len()],
    core: Core,
}

impl Masked {
    fn new(plan: &Plan) -> Self {
        Masked {
            mask: plan.enabled(0),
            asked: 0,
            runs: [0; TASKS.len()],
            asks: [0; TASKS.len()],
            core: Core::default(),
        }
    }

    /// Clears bits while `f` runs; then starts the tasks that they held back.
    fn without(&mut self, plan: &Plan, bits: u32, f: impl FnOnce(&mut Masked)) {
        let were = self.mask & bits;
        self.mask &= !bits;
        f(self);
        self.mask |= were;
        self.serve(plan);
    }

    /// Starts all that may start, the most urgent first, by the order that the plan gives them.
    fn serve(&mut self, plan: &Plan) {
        while self.asked & self.mask != 0 {
            let wanted = self.asked & self.mask;
            let first = (0..plan.tasks.len())
                .filter(|i| wanted >> i & 1 == 1)
                .min_by_key(|&i| plan.rank(i));
            let task = first.expect("only tasks have bits");
            let priority = plan.tasks[task].priority;
            let running = self.core.running.iter().map(|&t| plan.tasks[t].priority);
            assert!(
                running.max().is_none_or(|running| running < priority),
                "it pre-empts what is not less urgent"
            );
            self.asked &= !(1 << task);
            self.runs[task] += 1;
            self.core.running.push(task);
            self.without(plan, plan.mask(0, priority, 0), |masked| {
                masked.run(plan, task, &plan.tasks[task]);
                masked.core.running.pop();
            });
        }
    }

    /// Every task is asked for that was not yet, three times in all.
    fn interrupt(&mut self, plan: &Plan) {
        for task in 0..plan.tasks.len() {
            if self.asks[task] < 3 && self.asked >> task & 1 == 0 {
                self.asked |= 1 << task;
                self.asks[task] += 1;
                self.serve(plan);
            }
        }
    }

    fn run(&mut self, plan: &Plan, who: usize, actor: &Actor) {
        let level = Level::base(plan, actor.priority);
        for used in actor.uses {
            let write = used.access == Access::Write;
            let of = if write { Ceiling::Users } else { Ceiling::Writers };
            let ceiling = plan.ceiling(used.name, of);
            self.without(plan, plan.mask(level.priority, ceiling, 0), |masked| {
                masked.core.hold(who, used.name, write);
                masked.interrupt(plan);
                masked.core.held.pop();
            });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_schedule_breaks_exclusion_where_levels_are_bits(plan in plans()) {
        let mut masked = Masked::new(&plan);
        let mask = masked.mask;
        masked.run(&plan, IDLE_INDEX, &plan.idle);
        masked.interrupt(&plan);
        prop_assert_eq!((masked.mask, masked.asked), (mask, 0), "all bits are back, and nobody is forgotten");
        prop_assert_eq!(masked.runs, masked.asks, "each runs as often as it was asked for");
    }

    #[test]
    fn ranks_are_an_order_by_priority_and_then_by_number(plan in plans()) {
        let mut order: Vec<_> = (0..plan.tasks.len()).collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(plan.tasks[i].priority), i));
        for (rank, &task) in order.iter().enumerate() {
            prop_assert_eq!(plan.rank(task), rank);
            let priority = plan.tasks[task].priority;
            let level = plan.tasks.iter().filter(|other| other.priority == priority).count();
            prop_assert_eq!(plan.is_shared(priority), level > 1);
            let next = order.get(rank + 1).map(|&next| plan.tasks[next].priority);
            prop_assert_eq!(plan.is_last_of_level(task), next != Some(priority));
        }
    }

    #[test]
    fn no_schedule_breaks_exclusion_or_a_threshold(plan in plans()) {
        Core::default().run(&plan, IDLE_INDEX, &plan.idle, 3);
        let mut core = Core::default();
        core.interrupt(&plan, 3);
    }

    #[test]
    fn a_ceiling_is_the_highest_user(plan in plans()) {
        for name in NAMES {
            let users = |of: &dyn Fn(Access) -> bool| {
                let uses = |t: &&Actor| t.uses.iter().any(|u| u.name == name && of(u.access));
                plan.tasks.iter().filter(uses).map(|t| t.priority).max().unwrap_or(IDLE)
            };
            prop_assert_eq!(plan.ceiling(name, Ceiling::Users), users(&|_| true));
            prop_assert_eq!(plan.ceiling(name, Ceiling::Writers), users(&|a| a == Access::Write));
        }
    }

    #[test]
    fn a_mask_holds_back_exactly_the_tasks_between(plan in plans(), above in 0..5_u8, to in 0..5_u8) {
        let mask = plan.mask(above, to, 0);
        for (i, task) in plan.tasks.iter().enumerate() {
            prop_assert_eq!(mask >> i & 1 == 1, task.priority > above && task.priority <= to);
        }
    }
}

#[test]
fn the_lowest_task_knows_its_threshold_and_one_above_a_section_does_not() {
    let shared = |tasks: [u8; 3]| {
        plan(
            4,
            vec![],
            tasks
                .map(|p| {
                    (
                        p,
                        if p < 3 {
                            vec![used("A", Access::Write)]
                        } else {
                            vec![]
                        },
                    )
                })
                .into(),
        )
    };
    let plan = shared([1, 2, 3]);
    assert_eq!(Level::base(&plan, 1).threshold, Restore::Known(0));
    assert_eq!(
        Level::base(&plan, 2).threshold,
        Restore::Known(0),
        "held back while `t1` is in its section"
    );
    assert_eq!(
        Level::base(&plan, 3).threshold,
        Restore::Read,
        "pre-empts `t1` in its section"
    );
}

#[test]
fn a_section_costs_nothing_at_its_ceiling_and_masks_all_at_the_highest_level() {
    let write = || vec![used("A", Access::Write)];
    let plan = plan(3, vec![], vec![(2, write()), (8, write())]);
    let ceiling = plan.ceiling("A", Ceiling::Users);
    assert_eq!(Level::base(&plan, 8).action(&plan, ceiling), Action::Nothing);
    assert_eq!(Level::base(&plan, 2).action(&plan, ceiling), Action::Global);
    let inside = Level::base(&plan, 2).raised(&plan, ceiling);
    assert_eq!(inside.action(&plan, ceiling), Action::Nothing);
}

#[test]
fn senders_share_a_ceiling_of_their_own() {
    let plan = plan(
        4,
        vec![used("t2", Access::Post)],
        vec![(5, vec![used("t2", Access::Post)]), (1, vec![])],
    );
    assert_eq!(plan.ceiling("t2", Ceiling::Senders), 5);
    assert_eq!(plan.ceiling("t2", Ceiling::Users), IDLE);
}

#[test]
fn an_enable_bit_is_out_of_reach_while_a_section_may_have_it_cleared() {
    let write = || vec![used("A", Access::Write)];
    let plan = plan(2, vec![], vec![(1, write()), (2, write()), (3, vec![])]);
    let (low, high) = (Level::base(&plan, 1), Level::base(&plan, 3));
    assert!(low.may_use_enable_bit(1, false) && low.may_use_enable_bit(2, false));
    assert!(
        !high.may_use_enable_bit(2, false),
        "it may have pre-empted a section that holds 2 back"
    );
    let locked = low.raised(&plan, plan.ceiling("A", Ceiling::Users));
    assert!(
        !locked.may_use_enable_bit(2, true),
        "its own section holds 2 back"
    );
    assert!(locked.may_use_enable_bit(3, true));
}

#[test]
fn who_does_not_own_basepri_reads_it_at_every_level() {
    let write = || vec![used("A", Access::Write), used("B", Access::Write)];
    let owned = plan(
        4,
        vec![],
        vec![(1, write()), (2, vec![used("A", Access::Write)]), (3, write())],
    );
    let shared = Plan {
        owns_basepri: false,
        ..owned
    };
    let inside = |plan: &Plan| Level::base(plan, 1).raised(plan, 2);
    assert_eq!(
        (Level::base(&owned, 1).threshold, inside(&owned).threshold),
        (Restore::Known(0), Restore::Known(0xe0))
    );
    assert_eq!(
        (Level::base(&shared, 1).threshold, inside(&shared).threshold),
        (Restore::Read, Restore::Read)
    );
}

#[test]
fn a_task_that_a_system_exception_starts_is_held_back_by_no_enable_bit() {
    let tasks = [Vector::SysTick, Vector::PendSv, Vector::Interrupt(7)];
    let tasks = TASKS
        .iter()
        .zip(tasks)
        .map(|(name, vector)| actor(name, 2, Some(vector), vec![]));
    let plan = Plan {
        tasks: tasks.collect::<Vec<_>>().leak(),
        ..plan(2, vec![], vec![])
    };
    assert!(plan.has_system(1, 2) && plan.has_system(0, 3));
    assert!(!plan.has_system(2, 3) && !plan.has_system(0, 1));
    let system = ["t1", "t2", "t3", "idle"].map(|name| plan.is_started_by_system(name));
    assert_eq!(system, [true, true, false, false]);
}
