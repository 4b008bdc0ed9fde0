//! The reach of bus masters.

use bus::{BusError, SuggestedStub};
use machine::Board;

/// Addresses, or offsets, and values.
type Writes = [(u32, u32)];

/// The error of the next access, after these writes set up a master.
fn refused(board: &str, writes: &Writes) -> BusError {
    let mut bus = Board::find(board).unwrap().bus(&[]);
    for (now, &(address, value)) in writes.iter().enumerate() {
        let now = now as u64;
        bus.poll(now, &mut |_, _| {});
        bus.write(address, 4, value, now).unwrap();
    }
    let last = bus.next_event().clamp(100, 100_000);
    for now in writes.len() as u64..=last {
        bus.poll(now, &mut |_, _| {});
    }
    bus.read(0x4000_0000, 4, 100_001).unwrap_err()
}

/// nRF52840: "may result in a `HardFault` or RAM corruption", which is no answer to give; whatever is allowed there, it is none either.
#[test]
fn easy_dma_reaches_ram_alone() {
    const UARTE0: u32 = 0x4000_2000;
    const SPIM0: u32 = 0x4000_3000;
    const SAADC: u32 = 0x4000_7000;
    const PWM0: u32 = 0x4001_c000;
    let cases: [(&str, u32, &Writes); 4] = [
        (
            "UARTE0",
            UARTE0,
            &[(0x500, 8), (0x544, 0x1000), (0x548, 1), (0x008, 1)],
        ),
        (
            "SPIM0",
            SPIM0,
            &[(0x500, 7), (0x544, 0x1000), (0x548, 1), (0x010, 1)],
        ),
        (
            "SAADC",
            SAADC,
            &[
                (0x500, 1),
                (0x510, 1),
                (0x62c, 0x1000),
                (0x630, 1),
                (0x000, 1),
                (0x004, 1),
            ],
        ),
        (
            "PWM0",
            PWM0,
            &[(0x500, 1), (0x508, 100), (0x520, 0x1000), (0x524, 1), (0x008, 1)],
        ),
    ];
    for (name, base, writes) in cases {
        let writes = writes.iter().map(|&(offset, value)| (base + offset, value));
        let error = refused("nrf52840", &writes.collect::<Vec<_>>());
        let BusError::NotModelled {
            region,
            what,
            instead,
        } = error
        else {
            panic!("{name}: {error:?}");
        };
        let expected = "a transfer at 0x00001000, in `flash`, which it does not reach; the manual does not say what it does then";
        assert_eq!(
            (&*region, &*what, instead),
            (name, expected, SuggestedStub::Nowhere)
        );
    }
}

/// Something can be allowed where a controller found nothing.
#[test]
fn a_transfer_to_nowhere_says_where_something_could_answer() {
    const DMA2_S0: u32 = 0x4002_6410;
    let writes = [
        (0x4002_3830, 1 << 22),
        (DMA2_S0 + 4, 1),
        (DMA2_S0 + 8, 0x6000_0000),
        (DMA2_S0 + 12, 0x2000_0000),
        // Memory to memory.
        (DMA2_S0, 2 << 6 | 1),
    ];
    let error = refused("stm32f407", &writes);
    let BusError::NotModelled { what, instead, .. } = error else {
        panic!("{error:?}");
    };
    assert!(what.contains("a transfer at 0x60000000"), "{what}");
    assert_eq!(instead, SuggestedStub::At(0x6000_0000));
}

/// What the bus matrix of each board does not connect: a master's port, and a memory or a place that it does not reach. A board that gets a master
/// belongs here.
const NOT_REACHED: &[(&str, &[(&str, &str)])] = &[
    ("nrf52840", &[("", "flash"), ("", "UICR")]),
    ("rp2040", &[]),
    ("stm32f100rb", &[]),
    (
        "stm32f407",
        &[
            ("", "CCM data RAM"),
            ("DMA1.peripheral", "flash"),
            ("DMA1.peripheral", "SRAM1"),
            ("DMA1.peripheral", "SRAM2"),
            ("DMA1.peripheral", "backup SRAM"),
        ],
    ),
    (
        "stm32f411",
        &[("DMA1.peripheral", "flash"), ("DMA1.peripheral", "SRAM")],
    ),
    ("stm32g491", &[]),
    ("stm32l432", &[]),
];

#[test]
fn what_each_master_reaches_is_data_of_its_board() {
    let mut with_masters = Vec::new();
    for name in Board::names() {
        let board = Board::find(name).unwrap();
        let masters = board.masters();
        let family = name.rsplit_once('-').filter(|(_, clock)| clock.ends_with("mhz"));
        if masters.is_empty() || family.is_some() {
            continue;
        }
        with_masters.push(name);
        let (_, expected) = NOT_REACHED
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("{name} has masters"));
        for (master, reach) in masters {
            let reach = reach.unwrap_or_else(|| panic!("{name}: no `[[reach]]` for {master}"));
            for memory in board
                .memories()
                .iter()
                .filter(|memory| !memory.name.ends_with(" at 0"))
            {
                let cut = expected
                    .iter()
                    .any(|&(of, what)| (of.is_empty() || of == master) && what == memory.name);
                let reached = reach.memories.contains(&memory.base);
                assert_eq!(reached, !cut, "{name}: {master}, {}", memory.name);
            }
        }
    }
    let known: Vec<_> = NOT_REACHED.iter().map(|&(name, _)| name).collect();
    assert_eq!(with_masters, known);
}

const F4_DMA1: u32 = 0x4002_6000;
const F4_DMA2: u32 = 0x4002_6400;
const F4_SRAM: u32 = 0x2000_0000;
const F4_CCM: u32 = 0x1000_0000;
const GPIOA_ODR: u32 = 0x4002_0014;
const TIM2_ARR: u32 = 0x4000_002c;
/// LISR of stream 0: error, complete.
const TEIF: u32 = 1 << 3;
const TCIF: u32 = 1 << 5;

/// Moves a word by stream 0 of a controller of the F407: its flags, CR.EN, and what was told.
fn moved(controller: u32, mode: u32, peripheral: u32, memory: u32) -> (u32, u32, Vec<String>) {
    let mut bus = Board::find("stm32f407").unwrap().bus(&[]);
    bus.write(0x4002_3830, 4, 1 << 21 | 1 << 22 | 1, 0).unwrap();
    bus.write(0x4002_3840, 4, 1, 1).unwrap();
    bus.write(F4_SRAM, 4, 0x1234, 2).unwrap();
    let stream = controller + 0x10;
    // Words, on request or at once.
    for (offset, value) in [
        (4, 1),
        (8, peripheral),
        (12, memory),
        (0, mode << 6 | 2 << 13 | 2 << 11 | 1),
    ] {
        bus.write(stream + offset, 4, value, 3).unwrap();
    }
    for now in 4..1000 {
        bus.poll(now, &mut |_, _| {});
    }
    let (mut notes, flags) = (Vec::new(), bus.read(controller, 4, 1001).unwrap());
    bus.drain_notes(&mut |_, note| notes.push(note.to_owned()));
    (
        flags & (TEIF | TCIF),
        bus.read(stream, 4, 1002).unwrap() & 1,
        notes,
    )
}

/// RM0090: "DMA cannot reach the CCM"; only DMA2 moves from memory to memory (10.3.1).
#[test]
fn a_transfer_that_the_matrix_does_not_connect_is_a_transfer_error() {
    const COPY: u32 = 2;
    assert_eq!(moved(F4_DMA2, COPY, F4_SRAM, F4_SRAM + 64), (TCIF, 0, vec![]));
    let (flags, on, notes) = moved(F4_DMA2, COPY, F4_SRAM, F4_CCM);
    assert_eq!((flags, on), (TEIF, 0));
    let told = "DMA2: a transfer at 0x10000000, in `CCM data RAM`, which its memory port does not reach: a bus error";
    assert_eq!(notes, [told]);
    assert_eq!(moved(F4_DMA2, COPY, F4_CCM, F4_SRAM).0, TEIF);
    assert_eq!(moved(F4_DMA1, COPY, F4_SRAM, F4_SRAM + 64).0, TEIF);
    assert_eq!(
        moved(F4_DMA1, COPY, GPIOA_ODR, F4_SRAM + 64).0,
        TEIF,
        "a port of the AHB"
    );
    assert_eq!(
        moved(F4_DMA1, COPY, TIM2_ARR, F4_SRAM + 64).0,
        TCIF,
        "a register on APB1"
    );
    assert_eq!(moved(F4_DMA2, COPY, GPIOA_ODR, F4_SRAM + 64).0, TCIF);
}

#[test]
fn the_dma_of_an_rp2040_does_not_reach_sio() {
    const DMA: u32 = 0x5000_0000;
    let mut bus = Board::find("rp2040").unwrap().bus(&[]);
    bus.write(0x4000_f000, 4, 1 << 2, 0).unwrap();
    for (offset, value) in [
        (0, 0xd000_0000),
        (4, 0x2000_0000),
        (8, 1),
        (12, 0x3f << 15 | 2 << 2 | 1),
    ] {
        bus.write(DMA + offset, 4, value, 1).unwrap();
    }
    for now in 2..100 {
        bus.poll(now, &mut |_, _| {});
    }
    let control = bus.read(DMA + 12, 4, 101).unwrap();
    assert_eq!(control >> 29, 0b110, "AHB_ERROR, READ_ERROR");
}
