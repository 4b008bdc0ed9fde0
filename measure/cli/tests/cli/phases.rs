//! Phases of an interrupt: one that gives no sample, or fails, keeps nothing from the others, and is told.

use report::{Results, Row};

use crate::firmware::{EXIT, Firmware, NOP, RAM};
use crate::{Desk, golden};

/// movs r1, #0x40; movw r0, #0xe100; movt r0, #0xe000; str r1, [r0]: IRQ6 is enabled by `NVIC_ISER0`.
const ENABLE: [u16; 6] = [0x2140, 0xf24e, 0x1000, 0xf2ce, 0x0000, 0x6001];

/// movw r0, #0; movt r0, #0x2000; ldr r1, [r0]; adds r1, #1; str r1, [r0]; bx lr
const COUNT: [u16; 8] = [0xf240, 0x0000, 0xf2c2, 0x0000, 0x6801, 0x3101, 0x6001, 0x4770];

/// `work` reads what IRQ6 counts twice: if both are equal, `met` is next, and `end` comes behind it; if an interrupt came between
/// them, `lost` is, and then `end`.
fn torn(lost: [u16; 2]) -> Firmware {
    // movw r0, #0; movt r0, #0x2000; ldr r1, [r0]; NOPs; ldr r2, [r0]; cmp r1, r2; beq met
    let read = [
        0xf240, 0x0000, 0xf2c2, 0x0000, 0x6801, NOP, NOP, NOP, NOP, NOP, 0x6802, 0x4291, 0xd002,
    ];
    // lost: …; b end. It stands in front of `met`, and `beq` leads over it.
    Firmware::new(&[&ENABLE])
        .function("work", &[&read, &lost, &[NOP]])
        .function("met", &[&[NOP; 4]])
        .function("end", &[EXIT])
        .handler(22, "IRQ6", &[&COUNT])
        .object("count", RAM)
}

/// b end: over the NOP behind it, and `met`.
const GIVE_UP: [u16; 2] = [0xe005, NOP];
/// udf
const CRASH: [u16; 2] = [0xde00, NOP];
/// NOP; b to it
const HANG: [u16; 2] = [NOP, 0xe7fd];

const SPAN: &str = "[[span]]\nid = \"t/met\"\nfrom = \"work\"\nto = \"met\"\n";

fn desk(app: &Firmware, rest: &str) -> Desk {
    let spec = format!("elf = \"app.elf\"\nboard = \"stm32f100rb\"\nlimit = 5000\n{rest}");
    Desk::new().with("app.elf", app.elf()).with("spec.toml", spec)
}

fn raise(delay: u64, phases: u64) -> String {
    format!("[[raise]]\nirq = 6\nafter = \"work\"\ndelay = {delay}\nphases = {phases}\n")
}

/// What is measured, and what is said of it.
fn measured(desk: &Desk, code: i32) -> (Vec<Row>, String) {
    let run = desk
        .run("measure spec.toml --timeline --json out.json")
        .code(code);
    let rows = Results::from_json(&desk.read("out.json"))
        .expect("results")
        .results;
    (
        rows,
        String::from_utf8_lossy(&run.get_output().stderr).into_owned(),
    )
}

/// The greatest sample of a run with the interrupt in one cycle; nothing if `met` was not reached.
fn single(app: &Firmware, delay: u64) -> Option<i64> {
    let desk = desk(app, &format!("{SPAN}{}", raise(delay, 1)));
    desk.run("measure spec.toml --json out.json");
    let results = Results::from_json(&desk.read("out.json")).expect("results");
    results.results.first().map(|row| row.max)
}

const PHASES: u64 = 24;

/// In the middle, and so for the first one too where the sweep begins there.
#[test]
fn a_phase_without_a_sample_is_told_and_keeps_none_from_the_others() {
    let app = torn(GIVE_UP);
    let each: Vec<Option<i64>> = (0..2 * PHASES).map(|delay| single(&app, delay)).collect();
    let lost: Vec<usize> = (0..each.len()).filter(|&at| each[at].is_none()).collect();
    let (first, last) = (lost[0], lost[lost.len() - 1]);
    assert!(first > 0 && last < each.len() - 1 && lost.len() > 3, "{each:?}");
    for begin in [0, first] {
        let each = &each[begin..][..PHASES as usize];
        let desk = desk(&app, &format!("{SPAN}{}", raise(begin as u64, PHASES)));
        let (rows, told) = measured(&desk, 0);
        let missed = each.iter().filter(|max| max.is_none()).count() as u64;
        let [row] = &rows[..] else {
            panic!("one row: {told}")
        };
        assert_eq!((row.count, row.obtained.missed), (PHASES - missed, missed));
        assert_eq!(Some(row.max), each.iter().copied().flatten().max());
        assert_eq!(Some(row.min), each.iter().copied().flatten().min());
        // The worst sample is looked at in the run that it is of.
        let worst = row.obtained.worst.as_ref().expect("a timeline");
        assert_eq!((worst.ended - worst.began) as i64, row.max, "{told}");
        let which = each.iter().position(Option::is_none).expect("one misses") + 1;
        assert!(
            told.contains(&format!(
                "warning: {missed} of {PHASES} phases have no sample of `t/met`"
            )),
            "{told}"
        );
        assert!(
            told.contains(&format!(
                "the first is phase {which}, with the interrupt in cycle "
            )),
            "{told}"
        );
        assert!(told.contains("`met` was never reached"), "{told}");
    }
}

#[test]
fn phases_that_all_give_none_measure_nothing() {
    let spec = format!("{}{}", SPAN.replace("\"met\"", "\"never\""), raise(0, 3));
    let app = torn(GIVE_UP).function("never", &[&[NOP]]);
    let (rows, told) = measured(&desk(&app, &spec), 2);
    assert!(
        rows.is_empty() && told.contains("`never` was never reached") && !told.contains("phases have"),
        "{told}"
    );
}

/// The last ones are behind the exit, where nothing can be interrupted any more.
#[test]
fn phases_behind_the_end_are_told() {
    let latency = "[[span]]\nid = \"t/latency\"\nfrom = \"raise:IRQ6\"\nto = \"exception:IRQ6\"\n";
    desk(&torn(GIVE_UP), &format!("{latency}{}", raise(4, 100)))
        .run("measure spec.toml")
        .code(0)
        .stderr_eq(golden("phases-missed.txt"));
}

#[test]
fn a_phase_that_fails_keeps_nothing_from_the_others() {
    let count = format!("{SPAN}count = 1\n");
    for (lost, span, says) in [
        (CRASH, SPAN, "udf"),
        (HANG, SPAN, "the limit of 5000 cycles is reached"),
        (HANG, count.as_str(), "the limit of 5000 cycles is reached"),
    ] {
        let desk = desk(&torn(lost), &format!("{span}{}", raise(0, 2 * PHASES)));
        let (rows, told) = measured(&desk, 3);
        let [row] = &rows[..] else {
            panic!("one row: {told}")
        };
        assert!(
            row.obtained.missed > 3 && row.count + row.obtained.missed == 2 * PHASES,
            "{row:?}"
        );
        assert!(
            told.contains(says) && told.contains("= note: in phase "),
            "{told}"
        );
        assert!(
            told.contains(&format!(
                "{} of 48 phases failed, this one first",
                row.obtained.missed
            )),
            "{told}"
        );
    }
}

/// What never ends is not tried again for each phase.
#[test]
fn without_a_number_of_samples_a_program_that_never_ends_is_run_twice() {
    let endless = Firmware::new(&[&ENABLE])
        .function("work", &[&HANG])
        .handler(22, "IRQ6", &[&COUNT]);
    let endless = endless.object("count", RAM);
    let span = "[[span]]\nid = \"t/entry\"\nfrom = \"raise:IRQ6\"\nto = \"exception:IRQ6\"\n";
    let (rows, told) = measured(&desk(&endless, &format!("{span}{}", raise(12, 1_000_000))), 3);
    assert_eq!(rows[0].count, 2);
    assert!(told.contains("`count = N` in every span ends the run"), "{told}");
    assert!(told.contains("999998 of 1000000 phases were not run"), "{told}");
}

/// Nothing happens any more behind the handler; the return is known all the same, and the run ends for it.
#[test]
fn a_phase_ends_with_the_return_that_its_span_ends_with() {
    let idle = Firmware::new(&[&ENABLE])
        .function("work", &[&[NOP; 4], &HANG])
        .handler(22, "IRQ6", &[&COUNT])
        .object("count", RAM);
    let span = "[[span]]\nid = \"t/whole\"\nfrom = \"raise:IRQ6\"\nto = \"exception:IRQ6:exit\"\ncount = 1\n";
    let (rows, told) = measured(&desk(&idle, &format!("{span}{}", raise(100, 8))), 0);
    let [row] = &rows[..] else {
        panic!("one row: {told}")
    };
    let program = row.obtained.program.as_ref().expect("it was run");
    assert_eq!(
        (row.count, program.outcome.as_str(), told.as_str()),
        (8, "all measured", "")
    );
}
