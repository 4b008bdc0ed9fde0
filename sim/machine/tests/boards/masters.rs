//! What masters of the bus reach for.

use bus::{BusError, Instead};
use machine::Board;

/// Addresses, or offsets, and values.
type Writes = [(u32, u32)];

/// What the next access is answered with, once a master was set by these writes.
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
        let expected = "a transfer at 0x00001000, in `flash`: EasyDMA reaches RAM alone";
        assert_eq!((&*region, &*what, instead), (name, expected, Instead::Nowhere));
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
    assert_eq!(instead, Instead::At(0x6000_0000));
}
