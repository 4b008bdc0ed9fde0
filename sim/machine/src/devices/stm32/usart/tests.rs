use super::*;
use bus::Incoming;

const CLOCK: ClockId = ClockId(2);
const UE_OLDER: u32 = 1 << 13;

/// At 100 ticks a bit, and as many core cycles.
fn older() -> Usart {
    let mut usart = Usart::new(Layout::Older, Some(Irq::External(38)), CLOCK);
    clock(&mut usart);
    usart.write(0x08, 4, 100, 0).unwrap();
    usart.write(0x0c, 4, UE_OLDER | TE, 0).unwrap();
    usart
}

fn with_fifo() -> Usart {
    let mut usart = Usart::new(Layout::LaterWithFifo, Some(Irq::External(38)), CLOCK);
    clock(&mut usart);
    usart.write(0x0c, 4, 100, 0).unwrap();
    usart.write(0x00, 4, 1 | TE | FIFO, 0).unwrap();
    usart
}

fn clock(usart: &mut Usart) {
    usart.hear(Effect::Clock(ClockId::CORE, 50_000_000), 0).unwrap();
    usart.hear(Effect::Clock(CLOCK, 50_000_000), 0).unwrap();
}

fn sent(usart: &mut Usart) -> String {
    let mut sent = Vec::new();
    usart.drain_output(&mut |bytes| sent.extend_from_slice(bytes));
    String::from_utf8(sent).unwrap()
}

#[test]
fn a_byte_takes_its_frame() {
    let mut usart = older();
    usart.write(0x04, 1, u32::from(b'a'), 0).unwrap();
    assert_eq!(usart.read(0x00, 4, 0), Ok(TXE), "it is in the shift register");
    usart.write(0x04, 1, u32::from(b'b'), 10).unwrap();
    assert_eq!(usart.read(0x00, 4, 999), Ok(0), "the next one waits");
    assert_eq!(usart.read(0x00, 4, 1_000), Ok(TXE), "ten bits");
    assert_eq!(usart.read(0x00, 4, 1_999), Ok(TXE));
    assert_eq!(usart.read(0x00, 4, 2_000), Ok(TXE | TC));
    assert_eq!(sent(&mut usart), "ab");
}

#[test]
fn a_frame_has_as_many_bits_as_are_set() {
    let mut usart = older();
    usart.write(0x0c, 4, UE_OLDER | TE | M0, 0).unwrap();
    usart.write(0x10, 4, 0b10 << 12, 0).unwrap();
    usart.write(0x04, 4, 0, 0).unwrap();
    assert_eq!(usart.read(0x00, 4, 1_199), Ok(TXE));
    assert_eq!(
        usart.read(0x00, 4, 1_200),
        Ok(TXE | TC),
        "nine bits of data, two stop bits"
    );
}

#[test]
fn its_interrupt_follows_the_flags() {
    let mut usart = older();
    let level = |usart: &mut Usart, now| {
        let mut level = false;
        usart.poll(now, &mut |_, high| level = high);
        level
    };
    usart.write(0x04, 4, 0, 0).unwrap();
    usart.write(0x0c, 4, UE_OLDER | TE | TC, 0).unwrap();
    assert_eq!(usart.next_event(), 1_000);
    assert!(!level(&mut usart, 999));
    assert!(level(&mut usart, 1_000));
    usart.write(0x00, 4, !TC, 1_000).unwrap();
    assert!(!level(&mut usart, 1_000));
}

#[test]
fn eight_bytes_wait_in_a_fifo() {
    let mut usart = with_fifo();
    for byte in b"123456789" {
        assert_ne!(usart.read(0x1c, 4, 0).unwrap() & TXE, 0);
        usart.write(0x28, 4, u32::from(*byte), 0).unwrap();
    }
    assert_eq!(usart.read(0x1c, 4, 0).unwrap() & (TXE | TXFE | TC), 0);
    assert_eq!(
        usart.read(0x1c, 4, 8_000).unwrap() & (TXE | TXFE | TC),
        TXE | TXFE
    );
    assert_eq!(usart.read(0x1c, 4, 9_000).unwrap() & TC, TC);
    assert_eq!(sent(&mut usart), "123456789");
}

#[test]
fn the_prescaler_stretches_a_bit() {
    let mut usart = with_fifo();
    usart.write(0x2c, 4, 2, 0).unwrap();
    usart.write(0x28, 4, 0, 0).unwrap();
    assert_eq!(usart.read(0x1c, 4, 3_999).unwrap() & TC, 0);
    assert_eq!(usart.read(0x1c, 4, 4_000).unwrap() & TC, TC, "divided by 4");
}

#[test]
fn mistakes_and_what_is_not_modelled_are_refused() {
    let mut usart = older();
    usart.write(0x0c, 4, 0, 0).unwrap();
    assert!(usart.write(0x04, 4, 0, 0).is_err(), "the transmitter is off");
    assert!(usart.write(0x0c, 4, 1 << 13 | 1, 0).is_err(), "a break");
    let mut later = Usart::new(Layout::LaterWithFifo, None, CLOCK);
    for watches in [1 << 20, 1 << 23] {
        assert!(later.write(0x04, 4, watches, 0).is_err(), "CR2 {watches:#x}");
    }
    let mut without_fifo = Usart::new(Layout::Later, None, CLOCK);
    assert!(without_fifo.write(0x2c, 4, 0, 0).is_err(), "it has no prescaler");
}

#[test]
fn dma_is_requested_while_there_is_room_or_a_byte() {
    let mut usart = older();
    usart.requester = Requester::new([1, 2]);
    usart.write(0x0c, 4, UE_OLDER | TE | RE, 0).unwrap();
    usart.write(0x14, 4, DMAT | DMAR, 0).unwrap();
    let wire = |number, level| Some(Effect::Wire { number, level });
    assert_eq!(usart.take_effect(), wire(2, true));
    for byte in [1, 2] {
        usart.write(0x04, 4, byte, 0).unwrap();
    }
    assert_eq!(usart.take_effect(), wire(2, false));
    assert_eq!(
        usart.next_event(),
        1000,
        "the shift register is free for the second one"
    );
    usart.stimulate(&Incoming::Bytes(vec![7]), 0).unwrap();
    usart.poll(1000, &mut |_, _| {});
    assert_eq!(
        (usart.take_effect(), usart.take_effect()),
        (wire(1, true), wire(2, true))
    );
    usart.read(0x04, 4, 1000).unwrap();
    assert_eq!(usart.take_effect(), wire(1, false));
}

#[test]
fn a_frame_without_a_byte_is_an_idle_line() {
    let mut usart = older();
    usart.write(0x0c, 4, UE_OLDER | TE | RE | IDLE, 0).unwrap();
    usart.stimulate(&Incoming::Bytes(vec![7, 8]), 0).unwrap();
    let high = |usart: &mut Usart, now| {
        let mut high = false;
        usart.poll(now, &mut |_, level| high = level);
        high
    };
    assert!(!high(&mut usart, 1000));
    usart.read(0x04, 4, 1000).unwrap();
    assert!(!high(&mut usart, 2000), "the second byte came");
    assert_eq!(usart.next_event(), 3000);
    assert!(high(&mut usart, 3000));
    usart.read(0x04, 4, 3000).unwrap();
    assert!(high(&mut usart, 3000), "nobody has seen the flag in SR");
    usart.read(0x00, 4, 3000).unwrap();
    usart.read(0x04, 4, 3000).unwrap();
    assert!(!high(&mut usart, 3000));
}

/// Gives bytes in cycle 0 of which nobody reads one; in cycle 5000 all have come.
fn overrun(usart: &mut Usart, bytes: &[u8]) {
    usart.stimulate(&Incoming::Bytes(bytes.to_vec()), 0).unwrap();
    usart.poll(5000, &mut |_, _| {});
}

fn is_high(usart: &mut Usart, now: u64) -> bool {
    let mut high = false;
    usart.poll(now, &mut |_, level| high = level);
    high
}

/// RM0090 30.6.1: ORE stays until SR and then DR were read; DR has the byte that came first.
#[test]
fn a_byte_that_finds_the_last_one_unread_is_lost_and_sets_ore() {
    let mut usart = older();
    usart.write(0x0c, 4, UE_OLDER | TE | RE | RXNE, 0).unwrap();
    overrun(&mut usart, b"ab");
    assert!(is_high(&mut usart, 5000));
    assert_eq!(usart.read(0x00, 4, 5000).unwrap() & (RXNE | ORE), RXNE | ORE);
    usart.write(0x00, 4, 0, 5000).unwrap();
    assert_eq!(usart.read(0x04, 4, 5000), Ok(b'a'.into()));
    assert_eq!(usart.read(0x00, 4, 5000).unwrap() & (RXNE | ORE), 0);
    assert!(!is_high(&mut usart, 5000));
    assert_eq!(usart.unreceived(), [(1, "its receiver was full (overrun)")]);
    overrun(&mut usart, b"cd");
    usart.read(0x04, 4, 10_000).unwrap();
    assert!(is_high(&mut usart, 10_000), "DR alone does not clear it");
}

#[test]
fn with_dma_ore_interrupts_by_eie() {
    let mut usart = older();
    usart.write(0x0c, 4, UE_OLDER | TE | RE, 0).unwrap();
    usart.write(0x14, 4, EIE, 0).unwrap();
    overrun(&mut usart, b"ab");
    assert!(
        !is_high(&mut usart, 5000),
        "the older layout's EIE is for DMA alone"
    );
    usart.write(0x14, 4, EIE | DMAR, 5000).unwrap();
    assert!(is_high(&mut usart, 5000));
}

#[test]
fn the_later_layout_clears_ore_by_icr_and_may_overwrite() {
    let mut usart = Usart::new(Layout::Later, Some(Irq::External(38)), CLOCK);
    clock(&mut usart);
    usart.write(0x0c, 4, 100, 0).unwrap();
    usart.write(0x00, 4, 1 | RE, 0).unwrap();
    overrun(&mut usart, b"ab");
    assert_eq!(usart.read(0x1c, 4, 5000).unwrap() & (RXNE | ORE), RXNE | ORE);
    usart.write(0x20, 4, ORE, 5000).unwrap();
    assert_eq!(usart.read(0x1c, 4, 5000).unwrap() & (RXNE | ORE), RXNE);
    assert_eq!(usart.read(0x24, 4, 5000), Ok(b'a'.into()));
    usart.write(0x08, 4, OVRDIS, 5000).unwrap();
    usart.stimulate(&Incoming::Bytes(b"cd".to_vec()), 5000).unwrap();
    assert_eq!(usart.read(0x1c, 4, 9000).unwrap() & (RXNE | ORE), RXNE);
    assert_eq!(usart.read(0x24, 4, 9000), Ok(b'd'.into()));
}

#[test]
fn a_fifo_holds_nine_bytes_before_one_is_lost() {
    let mut usart = with_fifo();
    usart.write(0x00, 4, 1 | TE | RE | FIFO, 0).unwrap();
    usart.write(0x08, 4, RXFTIE | 2 << 25, 0).unwrap();
    usart
        .stimulate(&Incoming::Bytes(b"123456789".to_vec()), 0)
        .unwrap();
    assert!(!is_high(&mut usart, 3999));
    assert!(is_high(&mut usart, 4000), "half of it");
    let status = usart.read(0x1c, 4, 9000).unwrap();
    assert_eq!(status & (RXNE | RXFF | RXFT | ORE), RXNE | RXFF | RXFT);
    usart.stimulate(&Incoming::Bytes(b"!".to_vec()), 9000).unwrap();
    assert_eq!(usart.read(0x1c, 4, 10_000).unwrap() & ORE, ORE);
    let read: Vec<_> = (0..9)
        .map(|_| usart.read(0x24, 4, 10_000).unwrap() as u8)
        .collect();
    assert_eq!(read, b"123456789");
    usart.write(0x18, 4, RXFRQ, 10_000).unwrap();
    assert_eq!(usart.read(0x1c, 4, 10_000).unwrap() & RXNE, 0);
}

/// It may then be left as it is: nothing that it drives or tells can be another.
#[test]
fn its_status_is_read_quietly_while_nothing_moves() {
    let mut usart = older();
    let quietly = |usart: &mut Usart, offset, now| {
        usart.read(offset, 4, now).unwrap();
        usart.read_quietly()
    };
    assert!(quietly(&mut usart, 0x00, 0));
    usart.write(0x04, 4, u32::from(b'a'), 0).unwrap();
    assert!(quietly(&mut usart, 0x00, 999));
    assert!(!quietly(&mut usart, 0x00, 1000), "the byte has left");
    assert!(quietly(&mut usart, 0x00, 1001));
    assert!(!quietly(&mut usart, 0x04, 1002), "what was received is taken");
    usart.write(0x0c, 4, UE_OLDER | TE | RE, 1003).unwrap();
    usart.stimulate(&Incoming::Bytes(vec![b'b']), 1003).unwrap();
    assert!(!quietly(&mut usart, 0x00, 3000), "a byte was received");
}
