//! The mistakes of a plan are found, and reported so that a person can act on them.

use mainspring_core::{Access, Actor, IDLE, Plan, Use, Vector};

const IDLE_LOOP: Actor = Actor {
    name: "idle",
    priority: IDLE,
    vector: None,
    behind: false,
    enabled: true,
    late: false,
    uses: &[],
};

const fn task(name: &'static str, priority: u8, irq: u16, uses: &'static [Use]) -> Actor {
    Actor {
        name,
        priority,
        vector: Some(Vector::Interrupt(irq)),
        behind: false,
        enabled: true,
        late: false,
        uses,
    }
}

const fn behind(task: Actor) -> Actor {
    Actor { behind: true, ..task }
}

const fn used(declared: Option<u8>) -> Use {
    Use {
        name: "Port",
        access: Access::Write,
        late: false,
        declared,
    }
}

fn said(bits: u8, tasks: &'static [Actor]) -> String {
    let plan = Plan {
        bits,
        owns_basepri: true,
        idle: IDLE_LOOP,
        tasks,
        threads: &[],
        waking: 1,
        late: &[],
    };
    plan.problem()
        .map_or_else(String::new, |problem| problem.text().as_str().to_owned())
}

macro_rules! says {
    ($name:ident, $bits:literal, [$($task:expr),*], $text:literal) => {
        #[test]
        fn $name() {
            assert_eq!(said($bits, const { &[$($task),*] }), $text);
        }
    };
}

says!(
    a_sound_plan_has_no_problem,
    4,
    [task("Log", 16, 0, &[const { used(Some(16)) }])],
    ""
);
says!(
    priority_zero,
    4,
    [task("Log", 0, 0, &[])],
    "task `Log` has priority 0, which is that of the idle loop: give it 1 (least urgent) to 16"
);
says!(
    a_priority_that_the_chip_lacks,
    3,
    [task("Log", 9, 0, &[])],
    "task `Log` has priority 9, but this chip has the priorities 1 to 8"
);
says!(
    no_such_width,
    1,
    [task("Log", 1, 0, &[])],
    "a chip has 2 to 7 priority bits, not 1"
);
says!(
    one_name_for_two,
    4,
    [task("Log", 1, 0, &[]), task("Log", 1, 1, &[])],
    "two tasks are called `Log`"
);
says!(
    one_interrupt_for_two,
    4,
    [task("Log", 1, 7, &[]), task("Key", 2, 7, &[])],
    "tasks `Log` and `Key` are bound to the same interrupt: say `Key, behind Log`, and the second runs when the first has"
);
says!(
    one_behind_another,
    4,
    [task("Log", 1, 5, &[]), behind(task("Key", 1, 5, &[]))],
    ""
);
says!(
    one_behind_nobody,
    4,
    [task("Log", 1, 4, &[]), behind(task("Key", 1, 5, &[]))],
    "task `Key` is behind one that is not in this table"
);
says!(
    one_behind_another_at_its_own_priority,
    4,
    [behind(task("Key", 2, 5, &[])), task("Log", 1, 5, &[])],
    "task `Log` is behind `Key`, so it has the same priority, and starts enabled if that one does"
);
says!(
    an_interrupt_that_no_table_has,
    4,
    [task("Log", 1, 240, &[])],
    "task `Log` is bound to interrupt 240, but there are at most 240 (0 to 239)"
);
says!(
    one_thing_listed_twice,
    4,
    [task("Log", 1, 0, &[const { used(None) }, const { used(None) }])],
    "task `Log` lists `Port` twice in its `uses`: once is enough (`Write` includes `Read`)"
);
says!(
    a_ceiling_too_low,
    4,
    [task("Log", 3, 0, &[const { used(Some(2)) }])],
    "resource `Port` states ceiling 2, but task `Log` uses it at priority 3: state that, or leave the ceiling out"
);
says!(
    a_ceiling_too_high,
    4,
    [task("Log", 3, 0, &[const { used(Some(5)) }])],
    "resource `Port` states ceiling 5, but no user of it is above 3: its locks would hold back tasks for nothing"
);
says!(
    a_value_that_nobody_gives,
    4,
    [task(
        "Log",
        3,
        0,
        &[Use {
            name: "Port",
            access: Access::Write,
            late: true,
            declared: None
        }]
    )],
    "nothing gives `Port` its first value: write one in the table, or list it in `App::Late` and return it from `init`"
);
says!(
    a_system_exception_that_starts_disabled,
    4,
    [Actor {
        vector: Some(Vector::SysTick),
        enabled: false,
        ..task("Tick", 3, 0, &[])
    }],
    "task `Tick` is bound to a system exception, which has no enable bit: `enabled false` cannot hold it back"
);
