//! Requests for DMA that fall before a transfer was made for them: none is made then.

use bus::{Bus, Incoming};
use machine::Board;

const BUFFER: u32 = 0x2000_0100;

/// A UART that requests a transfer for each byte that it receives, and the channel that serves it.
struct Chip {
    board: &'static str,
    uart: &'static str,
    /// Turn on clocks and the UART, without its request.
    begin: &'static [(u32, u32)],
    /// Its register of received bytes.
    data: u32,
    /// Turns the request off, and on.
    request: [(u32, u32); 2],
    /// A channel for two items, on at last.
    channel: &'static [(u32, u32)],
    /// Items that are left, in the lower bits.
    left: u32,
}

const CHIPS: [Chip; 5] = [
    Chip {
        board: "stm32f407",
        uart: "USART2",
        begin: &[
            (0x4002_3830, 1 << 21),
            (0x4002_3840, 1 << 17),
            (0x4000_4408, 16),
            (0x4000_440c, 0x2004),
        ],
        data: 0x4000_4404,
        request: [(0x4000_4414, 0), (0x4000_4414, 1 << 6)],
        channel: &[
            (0x4002_608c, 2),
            (0x4002_6090, 0x4000_4404),
            (0x4002_6094, BUFFER),
            (0x4002_6088, 4 << 25 | 0x401),
        ],
        left: 0x4002_608c,
    },
    Chip {
        board: "stm32f100rb",
        uart: "USART2",
        begin: &[
            (0x4002_1014, 1),
            (0x4002_101c, 1 << 17),
            (0x4000_4408, 16),
            (0x4000_440c, 0x2004),
        ],
        data: 0x4000_4404,
        request: [(0x4000_4414, 0), (0x4000_4414, 1 << 6)],
        channel: &[
            (0x4002_0070, 2),
            (0x4002_0074, 0x4000_4404),
            (0x4002_0078, BUFFER),
            (0x4002_006c, 0x81),
        ],
        left: 0x4002_0070,
    },
    Chip {
        board: "stm32l432",
        uart: "USART2",
        begin: &[
            (0x4002_1048, 1),
            (0x4002_1058, 1 << 17),
            (0x4000_440c, 16),
            (0x4000_4400, 5),
            (0x4002_00a8, 2 << 20),
        ],
        data: 0x4000_4424,
        request: [(0x4000_4408, 0), (0x4000_4408, 1 << 6)],
        channel: &[
            (0x4002_0070, 2),
            (0x4002_0074, 0x4000_4424),
            (0x4002_0078, BUFFER),
            (0x4002_006c, 0x81),
        ],
        left: 0x4002_0070,
    },
    // By way of the DMAMUX.
    Chip {
        board: "stm32g491",
        uart: "USART2",
        begin: &[
            (0x4002_1048, 5),
            (0x4002_1058, 1 << 17),
            (0x4000_440c, 16),
            (0x4000_4400, 5),
            (0x4002_0800, 26),
        ],
        data: 0x4000_4424,
        request: [(0x4000_4408, 0), (0x4000_4408, 1 << 6)],
        channel: &[
            (0x4002_000c, 2),
            (0x4002_0010, 0x4000_4424),
            (0x4002_0014, BUFFER),
            (0x4002_0008, 0x81),
        ],
        left: 0x4002_000c,
    },
    Chip {
        board: "rp2040",
        uart: "UART0",
        begin: &[
            (0x4000_f000, 1 << 22 | 1 << 2),
            (0x4003_4024, 1),
            (0x4003_402c, 0x70),
            (0x4003_4030, 0x201),
        ],
        data: 0x4003_4000,
        request: [(0x4003_4048, 0), (0x4003_4048, 1)],
        channel: &[
            (0x5000_0000, 0x4003_4000),
            (0x5000_0004, BUFFER),
            (0x5000_0008, 2),
            (0x5000_000c, 21 << 15 | 0x21),
        ],
        left: 0x5000_0008,
    },
];

/// The chip, with its UART on, a byte that it has received, and its request.
struct Run {
    bus: Bus,
    now: u64,
}

impl Run {
    fn new(chip: &Chip) -> Run {
        let bus = Board::find(chip.board).unwrap().bus(&[]);
        let mut run = Run { bus, now: 10 };
        run.write(chip.begin);
        run.write(&chip.request[1..]);
        run.receive(chip, b'a');
        run
    }

    fn write(&mut self, all: &[(u32, u32)]) {
        for &(address, value) in all {
            self.bus.write(address, 4, value, self.now).unwrap();
            self.poll(1);
        }
    }

    fn poll(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.now += 1;
            self.bus.poll(self.now, &mut |_, _| {});
        }
    }

    fn receive(&mut self, chip: &Chip, byte: u8) {
        let bytes = Incoming::Bytes(vec![byte]);
        self.bus.schedule(chip.uart, self.now + 1, bytes).unwrap();
        self.poll(10_000);
    }

    fn left(&mut self, chip: &Chip) -> u32 {
        self.bus.read(chip.left, 4, self.now).unwrap() & 0xffff
    }

    fn memory(&mut self) -> u32 {
        self.bus.read(BUFFER, 1, self.now).unwrap()
    }
}

#[test]
fn a_byte_that_the_program_took_itself_is_not_transferred() {
    for chip in &CHIPS {
        let mut run = Run::new(chip);
        assert_eq!(
            run.bus.read(chip.data, 4, run.now).unwrap() & 0xff,
            b'a'.into(),
            "{}",
            chip.board
        );
        run.poll(1);
        run.write(chip.channel);
        run.poll(1000);
        assert_eq!((run.left(chip), run.memory()), (2, 0), "{}", chip.board);
        run.receive(chip, b'b');
        assert_eq!((run.left(chip), run.memory()), (1, b'b'.into()), "{}", chip.board);
    }
}

#[test]
fn a_request_that_is_turned_off_moves_nothing_until_it_is_on_again() {
    for chip in &CHIPS {
        let mut run = Run::new(chip);
        run.write(&chip.request[..1]);
        run.write(chip.channel);
        run.poll(1000);
        assert_eq!((run.left(chip), run.memory()), (2, 0), "{}", chip.board);
        run.write(&chip.request[1..]);
        run.poll(100);
        assert_eq!((run.left(chip), run.memory()), (1, b'a'.into()), "{}", chip.board);
    }
}

/// What still waits for its transfer goes with the reset of its peripheral.
#[test]
fn a_request_falls_with_the_reset_of_its_peripheral() {
    let chip = &CHIPS[0];
    let mut run = Run::new(chip);
    run.write(&[(0x4002_3820, 1 << 17), (0x4002_3820, 0)]);
    run.write(chip.channel);
    run.poll(1000);
    assert_eq!((run.left(chip), run.memory()), (2, 0));
}
