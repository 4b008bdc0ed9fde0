//! What entering and leaving each exception costs on each core, as a table: `golden/exceptions.txt`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use streams::Trial;
use streams::program::Program;
use streams::setup::{CORES, Core, RAM, RAM_SIZE};
use streams::stream;

/// Where code begins.
const CODE: u32 = 0x200;
/// Where the handler of every exception but faults is, and where that of faults.
const HANDLERS: [u32; 2] = [0x180, 0x1c0];
const NOP: u16 = 0xbf00;
/// movs r0, #0x18; bkpt 0xab: the program ends.
const END: [u16; 2] = [0x2018, 0xbeab];
/// R6 becomes the address of ICSR, and r0 what makes PendSV pending: movs r6, #0xe0; lsls r6, r6, #24; movs r5, #0xed;
/// lsls r5, r5, #8; adds r5, #4; orrs r6, r5; movs r0, #1; lsls r0, r0, #28.
const TO_PEND: [u16; 8] = [0x26e0, 0x0636, 0x25ed, 0x022d, 0x3504, 0x432e, 0x2001, 0x0700];
/// The floating-point unit is enabled, and used: movs r5, #0xed; lsls r5, r5, #8; adds r5, #0x88; movs r1, #0xe0;
/// lsls r1, r1, #24; orrs r5, r1; movs r1, #0xf; lsls r1, r1, #20; str r1, [r5]; vadd.f32 s0, s0, s1.
const FLOAT: [u16; 11] = [
    0x25ed, 0x022d, 0x3588, 0x21e0, 0x0609, 0x430d, 0x210f, 0x0509, 0x6029, 0xee30, 0x0a20,
];

/// A way into an exception and out of it.
struct Case {
    name: &'static str,
    /// What stands before 40 NOPs.
    code: Vec<u16>,
    handler: Vec<u16>,
    /// Cycles in which NMI comes, each in a run of its own.
    nmi: Vec<u64>,
    float: bool,
}

fn cases() -> Vec<Case> {
    let case = |name, code: &[&[u16]], handler: &[u16]| Case {
        name,
        code: code.concat(),
        handler: handler.to_vec(),
        nmi: Vec::new(),
        float: false,
    };
    let (svc, leave, pend) = (&[0xdf00][..], &[0x4770][..], &[0x6030][..]);
    // It makes PendSV pending when it runs for SVC, and not again for PendSV itself.
    let pends = [0x2f00, 0xd101, 0x3701, 0x6030, 0x4770]; // cmp r7, #0; bne; adds r7, #1; str r0, [r6]; bx lr
    vec![
        case("SVC", &[svc], leave),
        case("SVC, left by POP", &[svc], &[0xb500, 0xbd00]),
        case("PendSV", &[&TO_PEND, pend], leave),
        case("PendSV chained to SVC", &[&TO_PEND, &[0x2700], svc], &pends),
        case(
            "PendSV while masked, then CPSIE",
            &[&TO_PEND, &[0xb672, 0x6030, 0xbf00, 0xbf00, 0xb662]],
            leave,
        ),
        case("an undefined instruction", &[&[0xde00]], leave),
        Case {
            nmi: vec![60],
            ..case("NMI among NOPs", &[], leave)
        },
        Case {
            nmi: (0..34).collect(),
            ..case("NMI around SVC", &[svc], leave)
        },
        Case {
            nmi: (0..30).collect(),
            ..case("NMI around PUSH of four", &[&[0xb40f]], leave) // push {r0-r3}
        },
        Case {
            nmi: vec![120],
            ..case("NMI wakes the core", &[&[0xbf30]], leave) // wfi
        },
        Case {
            float: true,
            ..case("SVC with a floating-point context", &[&FLOAT, svc], leave)
        },
        Case {
            float: true,
            ..case(
                "SVC whose handler uses the unit",
                &[&FLOAT, svc],
                &[0xee30, 0x0a20, 0x4770],
            )
        },
    ]
}

impl Case {
    fn program(&self, nmi: Option<u64>) -> Program {
        let fault = |number: u32| (3..=6).contains(&number);
        let vector = |number: u32| {
            if number == 1 {
                CODE
            } else {
                HANDLERS[usize::from(fault(number))]
            }
        };
        let words = std::iter::once(RAM + RAM_SIZE).chain((1..16).map(|number| vector(number) | 1));
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let main = [&[NOP; 4][..], &self.code, &[NOP; 80], &END].concat();
        for (address, code) in [
            (HANDLERS[0], &self.handler[..]),
            (HANDLERS[1], &END[..]),
            (CODE, &main[..]),
        ] {
            bytes.resize(address as usize, 0);
            bytes.extend(code.iter().flat_map(|half| half.to_le_bytes()));
        }
        Program {
            memories: vec![(0, bytes)],
            inputs: nmi.map(|cycle| (cycle, "NMI".to_owned())).into_iter().collect(),
        }
    }

    /// What its entries and exits cost.
    fn row(&self, trial: &Trial, nmi: Option<u64>) -> String {
        let board = stream::board(trial).unwrap();
        let stream = stream::of(trial, &self.program(nmi), &board).unwrap();
        assert!(stream.contains("\nexit "), "{}: {stream}", self.name);
        let shown = |line: &&str| {
            ["enter ", "leave ", "sleep "]
                .iter()
                .any(|word| line.starts_with(word))
        };
        let cost = |line: &str| {
            line.split(" handler")
                .next()
                .and_then(|line| line.split(" to ").next())
                .map(str::to_owned)
        };
        let mut parts: Vec<String> = stream.lines().filter(shown).filter_map(cost).collect();
        parts.extend(
            stream
                .lines()
                .filter(|line| line.contains("lazy-stacking"))
                .map(str::to_owned),
        );
        parts.join("; ")
    }
}

fn table(core: Core) -> String {
    let mut text = String::new();
    let mut setups = ["flash", "wait-states", "unbuffered"].to_vec();
    setups.retain(|name| core.setups().any(|setup| setup.name == *name));
    for name in setups {
        let trial = Trial::of(core, 1).find(|trial| trial.setup.name == name).unwrap();
        let _ = writeln!(text, "{}, {name}", core.name());
        for case in cases().iter().filter(|case| !case.float || core.isa.has_float()) {
            if case.nmi.is_empty() {
                let _ = writeln!(text, "  {}: {}", case.name, case.row(&trial, None));
            }
            let rows = case
                .nmi
                .iter()
                .map(|&cycle| (cycle, case.row(&trial, Some(cycle))));
            let rows: Vec<(u64, String)> = rows.collect();
            for same in rows.chunk_by(|a, b| a.1 == b.1) {
                let (first, last) = (same[0].0, same[same.len() - 1].0);
                let _ = writeln!(text, "  {} in cycle {first} to {last}: {}", case.name, same[0].1);
            }
        }
    }
    text
}

#[test]
fn entries_and_exits_cost_what_the_table_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/exceptions.txt");
    let now: String = CORES.map(table).concat();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, &now).unwrap();
    }
    let before = fs::read_to_string(&file).unwrap();
    let lines = before.lines().zip(now.lines());
    let different = lines
        .filter(|(was, is)| was != is)
        .map(|(was, is)| format!("  was {was}\n  now {is}\n"));
    let different: Vec<String> = different.collect();
    assert!(
        different.is_empty() && before.len() == now.len(),
        "{}",
        different.concat()
    );
}
