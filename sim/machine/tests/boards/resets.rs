//! The effect of RCC's and RESETS's reset bits on their blocks.

use bus::{Bus, Incoming};
use machine::Board;

fn stm32f407() -> Bus {
    let mut bus = Board::find("stm32f407").unwrap().bus(&[]);
    // RCC: ports A, DMA1; TIM2, USART2, I2C1; SYSCFG.
    for (register, value) in [(0x30, 0x0020_0001), (0x40, 0x0022_0001), (0x44, 0x4000)] {
        bus.write(RCC + register, 4, value, 1).unwrap();
    }
    bus
}

const RCC: u32 = 0x4002_3800;
const AHB1RSTR: u32 = RCC + 0x10;
const APB1RSTR: u32 = RCC + 0x20;
const APB2RSTR: u32 = RCC + 0x24;

/// The interrupts that were told since, with their levels.
fn told(bus: &mut Bus, now: u64) -> Vec<(u16, bool)> {
    let mut told = Vec::new();
    bus.poll(now, &mut |irq, level| {
        told.push((irq.as_external().unwrap(), level));
    });
    told
}

/// Lets time pass.
fn told_at(bus: &mut Bus, times: [u64; 2]) {
    for now in times {
        told(bus, now);
    }
}

#[test]
fn a_reset_timer_lets_its_interrupt_fall_and_counts_no_more() {
    const TIM2: u32 = 0x4000_0000;
    let mut bus = stm32f407();
    // A period of 10, interrupts, on.
    for (register, value) in [(0x2c, 9), (0x0c, 1), (0x00, 1)] {
        bus.write(TIM2 + register, 4, value, 10).unwrap();
    }
    assert!(told(&mut bus, 100).contains(&(28, true)));
    bus.write(APB1RSTR, 4, 1, 101).unwrap();
    assert!(told(&mut bus, 101).contains(&(28, false)));
    assert_eq!(bus.read(TIM2 + 0x2c, 4, 102), Ok(0), "held");
    bus.write(TIM2, 4, 1, 103).unwrap();
    assert!(!told(&mut bus, 500).contains(&(28, true)));
    bus.write(APB1RSTR, 4, 0, 501).unwrap();
    let registers = [0x00, 0x0c, 0x10, 0x24, 0x2c].map(|register| bus.read(TIM2 + register, 4, 502).unwrap());
    assert_eq!(registers, [0, 0, 0, 0, u32::MAX]);
    assert!(!told(&mut bus, 1000).contains(&(28, true)));
}

/// What is outside of the chip stays: a level at a pin, bytes that are still to come, the memory of a target.
#[test]
fn a_reset_port_drives_nothing_and_keeps_what_is_outside() {
    const GPIOA: u32 = 0x4002_0000;
    let mut bus = stm32f407();
    let pin = Incoming::Pin {
        pin: 3,
        level: Some(true),
    };
    bus.schedule("GPIOA", 5, pin).unwrap();
    told(&mut bus, 5);
    let before = bus.read(GPIOA, 4, 6).unwrap();
    bus.write(GPIOA, 4, before | 1 << 10, 6).unwrap();
    bus.write(GPIOA + 0x14, 4, 1 << 5, 7).unwrap();
    assert_eq!(bus.read(GPIOA + 0x10, 4, 8).unwrap() & 0x28, 0x28);
    bus.write(AHB1RSTR, 4, 1, 9).unwrap();
    bus.write(AHB1RSTR, 4, 0, 10).unwrap();
    assert_eq!(bus.read(GPIOA, 4, 11), Ok(before));
    assert_eq!(bus.read(GPIOA + 0x10, 4, 11).unwrap() & 0x28, 0x08);
}

#[test]
fn a_reset_uart_loses_no_byte_that_is_still_to_come() {
    const USART2: u32 = 0x4000_4400;
    let mut bus = stm32f407();
    let on = |bus: &mut Bus, now| {
        bus.write(USART2 + 0x08, 4, 16, now).unwrap();
        bus.write(USART2 + 0x0c, 4, 0x200c, now).unwrap();
    };
    on(&mut bus, 10);
    bus.write(USART2 + 0x04, 4, u32::from(b'x'), 11).unwrap();
    bus.schedule("USART2", 20, Incoming::Waiting(b"ab".to_vec()))
        .unwrap();
    told_at(&mut bus, [20, 5000]);
    assert_eq!(bus.read(USART2, 4, 5000).unwrap() & 0x20, 0x20, "RXNE");
    bus.write(APB1RSTR, 4, 1 << 17, 5001).unwrap();
    bus.write(APB1RSTR, 4, 0, 5002).unwrap();
    assert_eq!(bus.read(USART2, 4, 5003), Ok(0xc0));
    on(&mut bus, 5004);
    told_at(&mut bus, [5004, 9000]);
    assert_eq!(bus.read(USART2 + 0x04, 4, 9001), Ok(u32::from(b'b')));
    let mut sent = Vec::new();
    bus.drain_output(&mut |_, _, bytes| sent.extend_from_slice(bytes));
    assert_eq!(sent, b"x");
}

/// EXTI goes on; which ports its lines belong to is SYSCFG's.
#[test]
fn the_reset_of_syscfg_gives_all_lines_back_to_port_a() {
    const EXTICR1: u32 = 0x4001_3808;
    let mut bus = stm32f407();
    bus.write(EXTICR1, 4, 0x21, 10).unwrap();
    bus.write(0x4001_3c00, 4, 3, 11).unwrap();
    bus.write(APB2RSTR, 4, 1 << 14, 12).unwrap();
    bus.write(APB2RSTR, 4, 0, 13).unwrap();
    assert_eq!(bus.read(EXTICR1, 4, 14), Ok(0));
    assert_eq!(bus.read(0x4001_3c00, 4, 14), Ok(3), "IMR");
}

/// EXTICR while SYSCFG is held: every line is port A's, whatever is written; and without its clock: as before, whatever is written.
#[test]
fn the_ports_of_lines_are_out_of_reach_while_syscfg_is_held_or_has_no_clock() {
    const APB2ENR: u32 = RCC + 0x44;
    const EXTICR1: u32 = 0x4001_3808;
    const PR: u32 = 0x4001_3c14;
    let mut bus = stm32f407();
    bus.write(RCC + 0x30, 4, 3, 2).unwrap();
    // Rising edges of line 0.
    bus.write(0x4001_3c08, 4, 1, 3).unwrap();
    let rises = |bus: &mut Bus, port: &str, now: u64| {
        for (level, now) in [(true, now), (false, now + 1)] {
            let pin = Incoming::Pin {
                pin: 0,
                level: Some(level),
            };
            bus.schedule(port, now, pin).unwrap();
            told(bus, now);
        }
        let pending = bus.read(PR, 4, now + 2).unwrap();
        bus.write(PR, 4, pending, now + 2).unwrap();
        pending == 1
    };
    bus.write(EXTICR1, 4, 1, 10).unwrap();
    assert!(rises(&mut bus, "GPIOB", 20) && !rises(&mut bus, "GPIOA", 30));
    // Without its clock.
    bus.write(APB2ENR, 4, 0, 40).unwrap();
    bus.write(EXTICR1, 4, 0, 41).unwrap();
    assert_eq!(bus.read(EXTICR1, 4, 42), Ok(0));
    assert!(rises(&mut bus, "GPIOB", 50) && !rises(&mut bus, "GPIOA", 60));
    let mut notes = Vec::new();
    bus.drain_notes(&mut |_, note| notes.push(note.to_owned()));
    let expected = "SYSCFG was accessed in cycle 41 (offset 0x8, EXTICR) while RCC has its clock off (APB2ENR[14]): it reads as 0 and takes no writes";
    assert_eq!(notes, [expected]);
    bus.write(APB2ENR, 4, 0x4000, 70).unwrap();
    assert_eq!(bus.read(EXTICR1, 4, 71), Ok(1));
    // Held in reset.
    bus.write(APB2RSTR, 4, 1 << 14, 80).unwrap();
    assert!(!rises(&mut bus, "GPIOB", 90) && rises(&mut bus, "GPIOA", 100));
    bus.write(EXTICR1, 4, 1, 110).unwrap();
    assert!(!rises(&mut bus, "GPIOB", 120) && rises(&mut bus, "GPIOA", 130));
    bus.write(APB2RSTR, 4, 0, 140).unwrap();
    assert_eq!(bus.read(EXTICR1, 4, 141), Ok(0));
    bus.write(EXTICR1, 4, 1, 142).unwrap();
    assert!(rises(&mut bus, "GPIOB", 150));
}

/// Its time begins with the end of its reset, and its alarm rings no more.
#[test]
fn a_reset_timer_of_an_rp2040_counts_from_zero() {
    const TIMER: u32 = 0x4005_4000;
    const RESETS: u32 = 0x4000_c000;
    let mut bus = Board::find("rp2040").unwrap().bus(&[]);
    bus.write(RESETS + 0x3000, 4, 1 << 21, 125_000).unwrap();
    assert_eq!(bus.read(TIMER + 0x28, 4, 250_000), Ok(1000));
    bus.write(TIMER + 0x38, 4, 1, 250_000).unwrap();
    bus.write(TIMER + 0x10, 4, 2000, 250_000).unwrap();
    bus.write(RESETS + 0x2000, 4, 1 << 21, 300_000).unwrap();
    assert_eq!(bus.read(TIMER + 0x28, 4, 300_001), Ok(0));
    bus.write(RESETS + 0x3000, 4, 1 << 21, 375_000).unwrap();
    assert_eq!(bus.read(TIMER + 0x28, 4, 500_000), Ok(1000));
    assert_eq!(bus.read(TIMER + 0x20, 4, 500_000), Ok(0), "ARMED");
    assert!(!told(&mut bus, 1_000_000).contains(&(0, true)));
}
