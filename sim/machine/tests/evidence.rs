//! What a figure relies on, for every memory of every board: code in each, and loads from each and from a peripheral.

mod common;

use std::fmt::Write as _;
use std::sync::Arc;

use common::{HANDLER, Part, STACK, elf, image};
use core_cortex_m::CoreKind;
use core_cortex_m::timing::Rule;
use events::{Event, Mark, RuleSet};
use machine::board::{Memory, MemoryKind};
use machine::{Architecture, Board, Image, Machine, Options};

/// Where the code under test is in its memory, above the vector table and the handler.
const PLACE: u32 = 0x1800;

/// ldr r3, [pc, #8]; ldr r0, [r3]; ldr r1, [r3]; adds r0, r0, r1; str r0, [r3]; b .; and the literal.
fn code(stores: bool, data: u32) -> Vec<u8> {
    let store = if stores { 0x6018 } else { 0xbf00 };
    let halfwords = [0x4b02, 0x6818, 0x6819, 0x1840, store, 0xe7fe];
    let literal = [data as u16, (data >> 16) as u16];
    let words = halfwords.into_iter().chain(literal);
    words.flat_map(u16::to_le_bytes).collect()
}

/// A vector table at `base`, and a jump to `place`.
fn start(base: u32, place: u32) -> Vec<u8> {
    let mut words = vec![STACK, base + 0x41];
    words.resize(16, base + HANDLER + 1);
    // ldr r4, [pc, #0]; bx r4; and the literal.
    words.extend([0x4720_4c00, place | 1]);
    words.resize(HANDLER as usize / 4, 0);
    words.push(0xe7fe_e7fe);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn contains(memory: &Memory, address: u32) -> bool {
    address.wrapping_sub(memory.base) < memory.size
}

/// Where a program's vector table is stored.
fn base(board: &Board) -> u32 {
    let table = board.vector_table().expect("a Cortex-M");
    let mut memories = originals(board);
    let stored = memories.clone().any(|memory| contains(memory, table));
    if stored {
        table
    } else {
        memories.next().expect("a memory").base
    }
}

/// The memories that programs are stored in or write to.
fn originals(board: &Board) -> impl Iterator<Item = &Memory> + Clone {
    let large = |memory: &&Memory| memory.size > 2 * PLACE && memory.alias_of().is_none();
    board.memories().iter().filter(large)
}

fn program(board: &Board, place: u32, (stores, data): (bool, u32)) -> Arc<Image> {
    let base = base(board);
    let parts = [
        Part::code(base, start(base, place)),
        Part {
            flags: 7,
            ..Part::ram(place, code(stores, data))
        },
    ];
    image(&elf(&parts))
}

/// The rules that the instructions at `place` relied on; `None` if they did not come to their end.
fn relied(board: &Board, place: u32, data: (bool, u32)) -> Option<RuleSet> {
    let program = program(board, place, data);
    let name = board.name();
    let mut machine =
        Machine::new(board, &program, Options::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut events = Vec::new();
    machine.run(2_000, &mut events);
    let rules = events.iter().filter_map(|event| match event {
        Event::Retire(retire) if retire.pc.wrapping_sub(place) < 12 => Some(retire.rules.union(retire.since)),
        _ => None,
    });
    let ended = rules.clone().count() > 5;
    ended.then(|| rules.fold(RuleSet::EMPTY, RuleSet::union))
}

fn boards() -> impl Iterator<Item = Board> {
    let all = Board::names().map(|name| Board::find(name).unwrap());
    all.filter(|board| board.core().architecture() == Architecture::Arm && !board.memories().is_empty())
}

#[test]
fn a_figure_is_as_well_known_as_the_memories_it_relied_on() {
    let mut table = String::new();
    for board in boards() {
        let book = board.rule_book();
        for code in originals(&board) {
            for data in originals(&board) {
                let place = code.base + PLACE;
                let stores = data.kind == MemoryKind::Ram;
                let rules = relied(&board, place, (stores, data.base + 2 * PLACE - 0x100));
                let rules = rules.expect("it runs to its end");
                let mark = book.weakest(rules).expect("rules");
                let stated = [code, data].iter().filter_map(|memory| memory.evidence()).max();
                assert!(
                    stated <= Some(mark),
                    "{}, {} and {}: {mark:?}",
                    board.name(),
                    code.name,
                    data.name
                );
                let weakest: Vec<&str> = book
                    .of(rules)
                    .filter(|rule| rule.mark == mark)
                    .map(|rule| rule.id)
                    .collect();
                let (name, by) = (board.name(), weakest.join(", "));
                writeln!(
                    table,
                    "{name}: code in {}, data in {}: {} ({by})",
                    code.name,
                    data.name,
                    mark.name()
                )
                .unwrap();
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn an_access_to_a_peripheral_is_inferred() {
    let mut tried = 0;
    for board in boards() {
        let peripherals = board.device_ranges().map(|range| range.0);
        let mut on_bus = peripherals.filter(|base| (0x4000_0000..0x6000_0000).contains(base));
        let place = base(&board) + PLACE;
        // The first that lets itself be read there.
        let Some(rules) = on_bus.find_map(|base| relied(&board, place, (false, base))) else {
            continue;
        };
        tried += 1;
        assert!(rules.contains(Rule::PeripheralAccess), "{}", board.name());
        assert_eq!(
            board.rule_book().weakest(rules),
            Some(Mark::D),
            "{}",
            board.name()
        );
    }
    assert!(tried > 10, "{tried}");
}

/// Whether published figures are of this chip, or of one with the same memories.
fn is_measured(board: &Board) -> bool {
    let names = CoreKind::ALL
        .iter()
        .flat_map(|core| core.chips())
        .map(|silicon| silicon.chip);
    let name = board.name().split('-').next().unwrap().to_uppercase();
    names.into_iter().any(|chip| chip.contains(&name))
}

#[test]
fn memories_that_nobody_measured_state_their_evidence() {
    for board in boards().filter(|board| !is_measured(board)) {
        for memory in board.memories() {
            assert!(memory.evidence().is_some(), "{}: {}", board.name(), memory.name);
        }
    }
}
