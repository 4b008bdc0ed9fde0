//! What the masters of I2C make of a target that holds the clock, and that refuses a byte of data.

use bus::Bus;
use machine::Board;

/// Its address takes 1,000 cycles more, each byte that it sends 2,000; it refuses 0x55, and says how many bytes came.
const SCRIPT: &str = r"
fn reset() { this.came = 0; }
fn address(reads) { stretch(1000); true }
fn write(byte) { this.came += 1; byte != 0x55 }
fn read() { stretch(2000); this.came }
";
const MEMORY: u8 = 0x50;
const TARGET: u8 = 0x48;

/// A master on its board, from its registers on.
struct Master {
    bus: Bus,
    base: u32,
    now: u64,
}

impl Master {
    /// The peripheral of a board of ours, with those targets on its bus.
    fn of(board: &str, base: u32, description: &str) -> Master {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rhai"), SCRIPT).unwrap();
        let file = folder.path().join("mine.toml");
        let text = format!(
            "like = \"{board}\"\nname = \"mine\"\ndescription = \"d\"\n[[peripheral]]\nbase = {base}\nsize = 0x1000\n{description}\n\
             targets = [{MEMORY}, {{ address = {TARGET}, script = \"a.rhai\" }}]\n"
        );
        std::fs::write(&file, text).unwrap();
        let bus = Board::find(file.to_str().unwrap()).unwrap().bus(&[]);
        Master { bus, base, now: 10 }
    }

    fn write(&mut self, register: u32, value: u32) {
        self.bus.write(self.base + register, 4, value, self.now).unwrap();
        self.poll();
    }

    fn read(&mut self, register: u32) -> u32 {
        let value = self.bus.read(self.base + register, 4, self.now).unwrap();
        self.poll();
        value
    }

    fn poll(&mut self) {
        self.bus.poll(self.now, &mut |_, _| {});
    }

    /// Lets time pass until one of those bits of a register is set; the register.
    fn wait(&mut self, register: u32, bits: u32) -> u32 {
        let most = self.now + 200_000;
        loop {
            let value = self.read(register);
            if value & bits != 0 {
                return value;
            }
            self.now += 1;
            self.poll();
            assert!(self.now < most, "{bits:#x} of {register:#x}: {value:#x}");
        }
    }
}

/// How a master of each kind writes and reads. A write ends with the flags of its errors, a read with its byte.
trait Drives {
    const NACK: u32;

    fn on() -> Master;
    fn send(master: &mut Master, address: u8, bytes: &[u8]) -> u32;
    fn fetch(master: &mut Master, address: u8) -> u32;
}

/// The cycles that something takes, and what comes of it.
fn timed(master: &mut Master, what: impl FnOnce(&mut Master) -> u32) -> (u64, u32) {
    let from = master.now;
    let came = what(master);
    (master.now - from, came)
}

fn holds_and_refuses<D: Drives>() {
    let master = &mut D::on();
    let send = |to, bytes: &'static [u8]| move |master: &mut Master| D::send(master, to, bytes);
    let fetch = |from| move |master: &mut Master| D::fetch(master, from);
    let (memory, target) = (
        timed(master, send(MEMORY, &[1, 2])),
        timed(master, send(TARGET, &[1, 2])),
    );
    assert_eq!((memory.1, target.1), (0, 0), "acknowledged");
    assert_eq!(target.0, memory.0 + 1000);
    let (memory, target) = (timed(master, fetch(MEMORY)), timed(master, fetch(TARGET)));
    assert_eq!((memory.1, target.1), (0, 2));
    assert_eq!(target.0, memory.0 + 1000 + 2000);
    // The second byte is refused: no third one goes.
    assert_eq!(D::send(master, TARGET, &[3, 0x55, 4]), D::NACK);
    assert_eq!(D::fetch(master, TARGET), 4);
    // Refused as the last one.
    assert_eq!(D::send(master, TARGET, &[0x55]), D::NACK);
    assert_eq!(
        D::send(master, TARGET, &[9]),
        0,
        "an error is over with its transfer"
    );
    assert_eq!(D::fetch(master, TARGET), 6);
}

struct Older;

impl Drives for Older {
    /// SR1's AF.
    const NACK: u32 = 1 << 10;

    fn on() -> Master {
        let mut master = Master::of(
            "stm32f407",
            0x4000_5400,
            "name = \"I2C1\"\nkind = \"stm32-i2c\"\nirq = 31\nclock = \"pclk1\"",
        );
        master.bus.write(0x4002_3840, 4, 1 << 21, 1).unwrap();
        for (register, value) in [(4, 16), (0x1c, 80), (0x00, 1)] {
            master.write(register, value);
        }
        master
    }

    fn send(master: &mut Master, address: u8, bytes: &[u8]) -> u32 {
        master.write(0x00, 0x101);
        master.wait(0x14, 1);
        master.write(0x10, u32::from(address) << 1);
        master.wait(0x14, 2);
        master.read(0x18);
        let mut flags = 0;
        for &byte in bytes {
            flags = master.wait(0x14, 0x480);
            if flags & Self::NACK != 0 {
                break;
            }
            master.write(0x10, byte.into());
        }
        if flags & Self::NACK == 0 {
            flags = master.wait(0x14, 0x404);
        }
        assert!(flags & 0x404 != 0x404, "no BTF behind a byte that was refused");
        master.write(0x14, 0);
        master.write(0x00, 0x201);
        assert_eq!(master.read(0x00) & 0x200, 0, "the stop is made");
        flags & Self::NACK
    }

    fn fetch(master: &mut Master, address: u8) -> u32 {
        master.write(0x00, 0x101);
        master.wait(0x14, 1);
        master.write(0x10, u32::from(address) << 1 | 1);
        master.wait(0x14, 2);
        master.read(0x18);
        master.write(0x00, 0x201);
        master.wait(0x14, 0x40);
        master.read(0x10)
    }
}

struct Later;

impl Drives for Later {
    /// ISR's NACKF.
    const NACK: u32 = 1 << 4;

    fn on() -> Master {
        let mut master = Master::of(
            "stm32l432",
            0x4000_5400,
            "name = \"I2C1\"\nkind = \"stm32-i2c-isr\"\nirq = 31\nclock = \"i2c1\"",
        );
        master.bus.write(0x4002_1058, 4, 1 << 21, 1).unwrap();
        for (register, value) in [(0x10, 0x0910), (0x00, 1)] {
            master.write(register, value);
        }
        master
    }

    fn send(master: &mut Master, address: u8, bytes: &[u8]) -> u32 {
        let count = bytes.len() as u32;
        // AUTOEND, START.
        master.write(0x04, 1 << 25 | count << 16 | 1 << 13 | u32::from(address) << 1);
        for &byte in bytes {
            if master.wait(0x18, 0x22) & 0x20 != 0 {
                break;
            }
            master.write(0x28, byte.into());
        }
        let flags = master.wait(0x18, 0x20);
        assert_eq!(flags & 0x8001, 1, "not busy, and nothing is left in TXDR");
        master.write(0x1c, 0x30);
        flags & Self::NACK
    }

    fn fetch(master: &mut Master, address: u8) -> u32 {
        master.write(
            0x04,
            1 << 25 | 1 << 16 | 1 << 13 | 1 << 10 | u32::from(address) << 1,
        );
        master.wait(0x18, 4);
        let byte = master.read(0x24);
        master.wait(0x18, 0x20);
        master.write(0x1c, 0x30);
        byte
    }
}

struct Synopsys;

impl Drives for Synopsys {
    /// `TX_ABRT_SOURCE`'s `ABRT_TXDATA_NOACK`.
    const NACK: u32 = 1 << 3;

    fn on() -> Master {
        let mut master = Master::of(
            "rp2040",
            0x4004_4000,
            "name = \"I2C0\"\nkind = \"dw-i2c\"\nirq = 23\nclock = \"core\"",
        );
        master.bus.write(0x4000_f000, 4, 1 << 3, 1).unwrap();
        for (register, value) in [(0x1c, 100), (0x20, 150), (0x6c, 1)] {
            master.write(register, value);
        }
        master
    }

    fn send(master: &mut Master, address: u8, bytes: &[u8]) -> u32 {
        commands(master, address, bytes.iter().map(|&byte| byte.into()));
        let why = master.read(0x80);
        master.read(0x54);
        why & 0x3f_ffff
    }

    fn fetch(master: &mut Master, address: u8) -> u32 {
        commands(master, address, [1 << 8].into_iter());
        master.read(0x10)
    }
}

/// Gives an I2C of the RP2040 commands, of which the last one stops, and waits for that.
fn commands(master: &mut Master, address: u8, commands: impl ExactSizeIterator<Item = u32>) {
    for (register, value) in [(0x6c, 0), (0x04, address.into()), (0x6c, 1)] {
        master.write(register, value);
    }
    let last = commands.len() - 1;
    for (place, command) in commands.enumerate() {
        master.write(0x10, command | u32::from(place == last) << 9);
    }
    master.wait(0x34, 1 << 9);
    master.read(0x60);
}

struct Nordic;

const BUFFER: u32 = 0x2000_0100;

impl Drives for Nordic {
    /// ERRORSRC's DNACK.
    const NACK: u32 = 1 << 2;

    fn on() -> Master {
        let mut master = Master::of(
            "nrf52840",
            0x4000_3000,
            "name = \"SPIM0\"\nkind = \"nrf-spim-twim\"\nirq = 3",
        );
        for (register, value) in [(0x500, 6), (0x544, BUFFER), (0x534, BUFFER + 0x80)] {
            master.write(register, value);
        }
        master
    }

    fn send(master: &mut Master, address: u8, bytes: &[u8]) -> u32 {
        for (place, &byte) in (0..).zip(bytes) {
            master
                .bus
                .write(BUFFER + place, 1, byte.into(), master.now)
                .unwrap();
        }
        master.write(0x588, address.into());
        master.write(0x548, bytes.len() as u32);
        // LASTTX to STOP; STARTTX.
        for (register, value) in [(0x200, 1 << 9), (0x124, 0), (0x104, 0), (0x008, 1)] {
            master.write(register, value);
        }
        while master.read(0x104) + master.read(0x124) == 0 {
            master.now += 1;
            master.poll();
        }
        let error = master.read(0x4c4);
        if error != 0 {
            let sent = bytes.iter().position(|&byte| byte == 0x55).unwrap() + 1;
            assert_eq!(
                master.read(0x54c),
                sent as u32,
                "AMOUNT has the byte that was refused"
            );
            master.write(0x4c4, error);
            master.write(0x014, 1);
            master.wait(0x104, 1);
        }
        error
    }

    fn fetch(master: &mut Master, address: u8) -> u32 {
        master.write(0x588, address.into());
        master.write(0x538, 1);
        // LASTRX to STOP; STARTRX.
        for (register, value) in [(0x200, 1 << 12), (0x104, 0), (0x000, 1)] {
            master.write(register, value);
        }
        master.wait(0x104, 1);
        master.bus.read(BUFFER + 0x80, 1, master.now).unwrap()
    }
}

#[test]
fn the_older_i2c_of_an_stm32_waits_for_its_target_and_hears_its_refusal() {
    holds_and_refuses::<Older>();
}

#[test]
fn the_later_i2c_of_an_stm32_waits_for_its_target_and_hears_its_refusal() {
    holds_and_refuses::<Later>();
}

#[test]
fn the_i2c_of_an_rp2040_waits_for_its_target_and_hears_its_refusal() {
    holds_and_refuses::<Synopsys>();
}

#[test]
fn the_twim_of_an_nrf52840_waits_for_its_target_and_hears_its_refusal() {
    holds_and_refuses::<Nordic>();
}
