//! Checks chip-specific requirements of sections and startup in the executed machine code.

mod built;

use std::sync::Arc;

use events::{Event, Flow, Interest, Mask, Ranges, Retire, Sink};
use every_cycle::sweep;
use machine::{Board, Debugger, Exception, Image, Machine, Options, Outcome};
use xtask::firmware;

/// `NVIC_ICER0`, through which sections on ARMv6-M disable interrupts.
const ICER: u32 = 0xe000_e180;
/// The encoding of ISB.
const ISB: u32 = 0xf3bf_8f6f;

/// Watches sections that clear enable bits, from the clearing to the next ISB.
#[derive(Default)]
struct Begins {
    /// Bits were cleared, and no ISB has executed since.
    on_its_way: bool,
    sections: u32,
    /// Number of times that interrupts were unmasked in that state.
    early: u32,
}

impl Sink for Begins {
    fn interest(&self) -> Interest {
        Interest {
            writes: Ranges::of([(ICER, ICER)]),
            ..Interest::windows()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        match *event {
            Event::Write { address: ICER, .. } => {
                self.on_its_way = true;
                self.sections += 1;
            }
            Event::Retire(Retire { raw: ISB, .. }) => self.on_its_way = false,
            Event::MaskChange {
                mask: Mask::Primask,
                new: 0,
                ..
            } => self.early += u32::from(self.on_its_way),
            _ => {}
        }
        Flow::On
    }
}

/// Options with an attached debugger, since the program's marks are breakpoints.
fn attached() -> Options {
    Options {
        debugger: Debugger::Attached,
        ..Options::default()
    }
}

/// Otherwise a task of the section, whose interrupt was already being taken, could start there and enable a more urgent one that the
/// section has just found disabled and would not hold back.
#[test]
fn on_armv6m_a_section_lets_no_interrupt_through_before_its_bits_are_surely_cleared() {
    firmware::build().expect("the programs compile");
    let program = firmware::folder().join("thumbv6m-none-eabi/alloc-mainspring-ceiling.elf");
    let image = Arc::new(Image::load(&program).expect("an ELF file"));
    let board = Board::find("cortex-m0plus").expect("a board of the repository");
    let mut machine = Machine::new(&board, &image, attached()).expect("fits the board");
    let mut begins = Begins::default();
    let outcome = machine.run(10_000_000, &mut begins);
    assert!(matches!(outcome, Outcome::Exit { code: 0 }), "{outcome:?}");
    assert!(begins.sections > 10, "{} sections", begins.sections);
    assert_eq!(begins.early, 0, "of {} sections", begins.sections);
}

/// A missing priority bit would merge two levels, or turn a section's threshold into none. All these programs are built with
/// optimisations and without debug assertions.
#[test]
fn a_chip_with_fewer_priority_bits_than_the_table_says_does_not_start() {
    let board = built::board();
    let lib = "firmware/scenarios/tasks/mainspring/src/lib.rs";
    let image = built::V7.with_bug("bits", "lock", lib, "lm3s6965::NVIC_PRIO_BITS", "5");
    let mut machine = Machine::new(&board, &image, Options::default()).expect("fits");
    machine.raise(Exception::External(1), 100);
    let mut started = Started(false);
    let outcome = machine.run(100_000, &mut started);
    assert!(
        !matches!(outcome, Outcome::Exit { .. }) && !started.0,
        "it ran to {outcome:?}"
    );
    let image = built::V7.with_bug("bits", "lock", lib, "lm3s6965::NVIC_PRIO_BITS", "4");
    sweep(&board, &image, &[]).expect("the board has four bits");
}

/// Whether any task has started.
struct Started(bool);

impl Sink for Started {
    fn interest(&self) -> Interest {
        Interest {
            control: true,
            ..Interest::none()
        }
    }

    fn event(&mut self, event: &Event) -> Flow {
        self.0 |= matches!(event, Event::Enter(_));
        Flow::On
    }
}
