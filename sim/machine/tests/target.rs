//! The model as a target: one face for both families of cores.

mod common;

use std::sync::Arc;

use common::{CODE, DATA, Part, elf, flash, image, load, machine_on, program, with_literals};
use events::{Event, Flow, Interest, Retire, Silent, Sink};
use machine::target::{Drive, Until};
use machine::{Board, Exception, Machine, Options, Outcome, Target};

/// `ldr r1, =DATA; movs r0, #7; str r0, [r1]; adds r0, #1; b` back to the store, on a Cortex-M3.
fn target() -> Box<dyn Target> {
    let code = with_literals(&[load(1, CODE, 0), 0x2007, 0x6008, 0x3001, 0xe7fc], &[DATA]);
    let board = Board::find("cortex-m3").unwrap();
    Box::new(Machine::new(&board, &program(&code, &[]), Options::default()).unwrap())
}

fn register(target: &mut dyn Target, name: &str) -> u32 {
    target.registers().unwrap().get(name).unwrap()
}

#[test]
fn a_step_is_one_instruction() {
    let mut target = target();
    let mut events: Vec<Event> = Vec::new();
    for steps in 1..=20 {
        let outcome = target.run(Until::Step, &mut events).unwrap();
        assert!(matches!(outcome, Outcome::Paused { .. }), "{outcome:?}");
        assert_eq!(target.instructions(), steps);
    }
    let retired = events.iter().filter(|event| matches!(event, Event::Retire(_)));
    assert_eq!(retired.count(), 20);
}

#[test]
fn steps_take_the_cycles_of_one_run() {
    let (mut stepped, mut whole) = (target(), target());
    for _ in 0..100 {
        stepped.run(Until::Step, &mut Silent).unwrap();
    }
    let mut events: Vec<Event> = Vec::new();
    whole.run(Until::Cycle(1000), &mut events).unwrap();
    let windows = events.iter().filter(|event| matches!(event, Event::Retire(_)));
    let hundredth = windows.filter_map(Event::window).nth(99).unwrap().0;
    assert_eq!(stepped.cycle(), hundredth.to);
}

#[test]
fn a_run_halts_before_an_instruction_and_goes_on_behind_it() {
    let store = CODE + 4;
    let halt = || Until::Halt {
        before: vec![store],
        limit: 10_000,
    };
    let mut target = target();
    for turn in 0..5 {
        let outcome = target.run(halt(), &mut Silent).unwrap();
        assert!(
            matches!(outcome, Outcome::Paused { pc } if pc == store),
            "{outcome:?}"
        );
        assert_eq!(register(&mut *target, "r0"), 7 + turn);
        let mut word = [0; 4];
        assert!(target.memory().unwrap().read(DATA, &mut word));
        let stored = if turn == 0 { 0 } else { 6 + turn };
        assert_eq!(u32::from_le_bytes(word), stored, "not stored yet");
    }
    // Halts take no time.
    let cycle = target.cycle();
    let mut whole = self::target();
    whole.run(Until::Cycle(cycle), &mut Silent).unwrap();
    assert_eq!(
        (whole.cycle(), whole.instructions()),
        (cycle, target.instructions())
    );
}

#[test]
fn registers_and_memory_are_read_and_written() {
    let mut target = target();
    for _ in 0..3 {
        target.run(Until::Step, &mut Silent).unwrap();
    }
    assert_eq!(register(&mut *target, "r0"), 7);
    assert_eq!(register(&mut *target, "pc"), CODE + 6);
    let mut word = [0; 4];
    assert!(target.memory().unwrap().read(DATA, &mut word));
    assert_eq!(word, [7, 0, 0, 0]);
    // Back to the store, with another value.
    assert!(target.registers().unwrap().set("r0", 0x1234));
    assert!(target.registers().unwrap().set("pc", CODE + 4));
    target.run(Until::Step, &mut Silent).unwrap();
    assert!(target.memory().unwrap().read(DATA, &mut word));
    assert_eq!(word, [0x34, 0x12, 0, 0]);
    assert!(target.memory().unwrap().write(DATA, &[9]));
    assert!(target.memory().unwrap().read(DATA, &mut word));
    assert_eq!(word, [9, 0x12, 0, 0]);
    let mut registers = target.registers().unwrap();
    assert!(!registers.set("r16", 0) && registers.get("r16").is_none());
    for name in registers.names() {
        assert!(registers.get(name).is_some(), "{name}");
    }
}

#[test]
fn a_state_is_gone_back_to_and_no_other() {
    let mut target = target();
    target.run(Until::Cycle(100), &mut Silent).unwrap();
    let (state, cycle) = (target.snapshot().unwrap(), target.cycle());
    target.run(Until::Cycle(300), &mut Silent).unwrap();
    let later = (target.cycle(), register(&mut *target, "r0"));
    target.restore(&state).unwrap();
    assert_eq!(target.cycle(), cycle);
    target.run(Until::Cycle(300), &mut Silent).unwrap();
    assert_eq!((target.cycle(), register(&mut *target, "r0")), later);
    let strange = machine::target::State(Box::new(1u8));
    assert!(target.restore(&strange).is_err());
}

#[test]
fn what_cannot_be_driven_is_said() {
    let mut target = target();
    let error = target
        .drive(Exception::External(3), 10, Drive::Level(true))
        .unwrap_err();
    assert_eq!(error.to_string(), "`IRQ3` of cortex-m3 has no level to hold");
    assert!(target.drive(Exception::External(3), 10, Drive::Pulse).is_ok());
}

#[test]
fn an_rv32_core_has_the_same_face() {
    let board = Board::find("vexriscv-full").unwrap();
    let base = board.memories()[0].base;
    // li a0,5; 1: addi a0,a0,1; j 1b
    let code: Vec<u8> = [0x0050_0513_u32, 0x0015_0513, 0xffdf_f06f]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let image = Arc::new(common::rv32(base, code));
    let mut target: Box<dyn Target> = Box::new(Machine::new(&board, &image, Options::default()).unwrap());
    for _ in 0..3 {
        target.run(Until::Step, &mut Silent).unwrap();
    }
    assert_eq!(target.instructions(), 3);
    let before = vec![base + 8];
    for _ in 0..3 {
        let limit = target.cycle() + 1_000;
        let outcome = target.run(
            Until::Halt {
                before: before.clone(),
                limit,
            },
            &mut Silent,
        );
        assert!(
            matches!(outcome, Ok(Outcome::Paused { pc }) if pc == base + 8),
            "{outcome:?}"
        );
    }
    assert!(target.registers().unwrap().set("a0", 100));
    target
        .run(Until::Cycle(target.cycle() + 20), &mut Silent)
        .unwrap();
    assert!(register(&mut *target, "a0") > 100);
    let timer = board.input("MachineTimer").unwrap();
    assert!(target.drive(timer, 50, Drive::Level(true)).is_ok());
}

/// The bytes that came out, each with the instruction behind which it was told and how long behind.
fn told(events: &[Event]) -> Vec<(u8, u32, u64)> {
    let (mut last, mut told) = ((0, 0), Vec::new());
    for event in events {
        match *event {
            Event::Retire(Retire { pc, at, .. }) => last = (pc, at.to),
            Event::Text { cycle, byte, .. } => told.push((byte, last.0, cycle - last.1)),
            _ => {}
        }
    }
    told
}

#[test]
fn what_a_device_sends_is_told_behind_the_store_that_sent_it() {
    // ldr r1, =UART; movs r0, #1; str r0, [r1, #8] (CTRL); movs r0, #'a'; str r0, [r1]; movs r0, #'b'; str r0, [r1]; b .
    let code = [
        load(1, CODE, 0),
        0x2001,
        0x6088,
        0x2061,
        0x6008,
        0x2062,
        0x6008,
        0xe7fe,
    ];
    let image = program(&with_literals(&code, &[0x4000_4000]), &[]);
    let (mut machine, captured) = machine_on("mps2-an385", &image);
    let mut events: Vec<Event> = Vec::new();
    machine.run(100_000, &mut events);
    assert_eq!(captured.text(), "ab");
    assert_eq!(told(&events), [(b'a', CODE + 8, 0), (b'b', CODE + 12, 0)]);
    let (mut silent, _) = machine_on("mps2-an385", &image);
    silent.run(100_000, &mut Silent);
    assert_eq!(silent.cycle(), machine.cycle(), "to tell it takes no time");
}

/// The cycles in which bytes were told, each with its byte.
fn cycles_told(events: &[Event]) -> Vec<(u8, u64)> {
    let told = events.iter().filter_map(|event| match *event {
        Event::Text { cycle, byte, .. } => Some((byte, cycle)),
        _ => None,
    });
    told.collect()
}

/// Three bytes go out by DMA, one for each frame of the line, while the core spins, or sleeps.
#[test]
fn what_dma_sends_is_told_when_it_is_sent() {
    const FLASH: u32 = 0x0800_0000;
    for last in [[0xbf00, 0xe7fd], [0xbf30, 0xe7fd]] {
        let mut code = vec![
            load(1, CODE, 4), // RCC: DMA1's clock, USART1's clock
            0x2215,
            0x614a,
            load(2, CODE + 6, 5),
            0x618a,
            load(3, CODE + 10, 6), // USART1: DMAT, BRR, UE and TE
            0x2280,
            0x615a,
            0x2210,
            0x609a,
            load(2, CODE + 20, 7),
            0x60da,
            load(4, CODE + 24, 8), // channel 4: to DR, from DATA, three bytes
            load(2, CODE + 26, 9),
            0x60a2,
            load(2, CODE + 30, 10),
            0x60e2,
            0x2203,
            0x6062,
            0x2291, // the memory's address moves, it is read, on
            0x6022,
        ];
        code.extend(last);
        code.resize(24, 0xbf00);
        let usart = 0x4001_3800;
        for literal in [0x4002_1000, 1 << 14, usart, 0x2008, 0x4002_0044, usart + 4, DATA] {
            code.extend([literal as u16, (literal >> 16) as u16]);
        }
        let program = image(&elf(&[flash(FLASH, &code), Part::ram(DATA, b"abc\0".to_vec())]));
        let (mut machine, captured) = machine_on("stm32f100rb", &program);
        let mut events: Vec<Event> = Vec::new();
        machine.run(4_000, &mut events);
        assert_eq!(captured.text(), "abc");
        let told = cycles_told(&events);
        assert_eq!(told.iter().map(|(byte, _)| *byte).collect::<Vec<_>>(), b"abc");
        // Two bytes fit into the data register and the shift register; the third waits for a frame of ten bits.
        let [first, second, third] = [told[0].1, told[1].1, told[2].1];
        assert!(first < 100 && second < first + 170, "{told:?}");
        assert!((second + 140..=second + 180).contains(&third), "{told:?}");
    }
}

/// A store to a device of an RV32 core is let go before it is acknowledged.
#[test]
fn what_a_late_store_sends_is_told_when_it_is_sent() {
    let board = Board::find("virt").unwrap();
    let base = board.memories()[0].base;
    // lui t0,0x10000; li t1,'a'; sb t1,0(t0); li t1,'b'; sb t1,0(t0); j .
    let words: [u32; 6] = [
        0x1000_02b7,
        0x0610_0313,
        0x0062_8023,
        0x0620_0313,
        0x0062_8023,
        0x6f,
    ];
    let code = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let (mut machine, captured) = machine_on("virt", &Arc::new(common::rv32(base, code)));
    let mut events: Vec<Event> = Vec::new();
    machine.run(30_000, &mut events);
    assert_eq!(captured.text(), "ab");
    let stores = events.iter().filter_map(|event| match *event {
        Event::Write { cycle, .. } => Some(cycle),
        _ => None,
    });
    let told = cycles_told(&events);
    for (store, (_, told)) in stores.zip(&told) {
        assert!(
            (store..store + 8).contains(told),
            "stored in {store}, told in {told}"
        );
    }
    assert_eq!(told.len(), 2);
}

/// Asks for a pause at each event of a kind.
struct PausesAt(fn(&Event) -> bool, Vec<Event>);

impl Sink for PausesAt {
    fn interest(&self) -> Interest {
        Interest::everything()
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.1.push(*event);
        if self.0(event) { Flow::Pause } else { Flow::On }
    }
}

/// A run pauses behind the event at which that was asked for, also where it would have stopped there for something else: a request of
/// the host, or the places at which it looks up while the core sleeps.
#[test]
fn a_pause_is_kept_beside_what_else_stops_the_run() {
    // movs r0, #3 (SYS_WRITEC); ldr r1, =CODE; bkpt 0xab; wfi; b .
    let code = with_literals(&[0x2003, load(1, CODE + 2, 0), 0xbeab, 0xbf30, 0xe7fe], &[CODE]);
    let image = program(&code, &[]);
    for (is_wanted, paused_at) in [
        (
            (|event| matches!(event, Event::Semihosting { .. })) as fn(&Event) -> bool,
            0..20,
        ),
        (|event| matches!(event, Event::Sleep { .. }), 65_536..65_537),
    ] {
        let (mut machine, _) = machine_on("cortex-m3", &image);
        machine.raise(Exception::NMI, 200_000);
        let mut sink = PausesAt(is_wanted, Vec::new());
        let outcome = machine.run(300_000, &mut sink);
        assert!(matches!(outcome, Outcome::Paused { .. }), "{outcome:?}");
        assert_eq!(sink.1.iter().filter(|event| is_wanted(event)).count(), 1);
        assert!(paused_at.contains(&machine.cycle()), "{}", machine.cycle());
    }
}
