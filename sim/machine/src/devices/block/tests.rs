use super::*;
use bus::Device;

registers! { Sample;
    CR     = 0x00 .reset(0x30).write(0x0f).refuse(0x100, ": a break");
    SR     = 0x04 .reset(0xff).clear(0x0f).strobe(0x40);
    ID     = 0x08 .reset(0x1234);
    DATA   = 0x0c .shows(|sample, _| sample.data).taken(|sample, _| sample.data = 0).then(|sample, write| sample.data = write.value);
    CC     = 0x10 .times(3, 8).write(!0);
    KEY    = 0x2c .hidden().drops();
    MODE   = 0x30 .write(!0).tries(|_, write| if write.value < 3 { Ok(()) } else { not_modelled("MODE: there are three") });
}

#[derive(Clone, Default)]
struct Sample {
    regs: Regs<Self>,
    data: u32,
    settled: u32,
}

impl Peripheral for Sample {
    fn settle(&mut self, _now: u64) {
        self.settled += 1;
    }
}

fn refusal<T: std::fmt::Debug>(result: Result<T, DeviceError>) -> String {
    match result {
        Err(DeviceError::NotModelled(what)) => what,
        other => panic!("not refused by name: {other:?}"),
    }
}

#[test]
fn a_register_is_what_its_row_says() {
    let mut sample = Sample::default();
    sample.write(CR, 4, 0xff, 0).unwrap();
    assert_eq!(sample.read(CR, 4, 0), Ok(0x3f & !0x30 | 0x30));
    sample.write(SR, 4, 0x33, 0).unwrap();
    assert_eq!((sample.read(SR, 4, 0), sample.regs[SR]), (Ok(0xfc), 0xfc));
    sample.write(CC + 16, 4, 7, 0).unwrap();
    assert_eq!([0, 8, 16].map(|n| sample.regs[CC + n]), [0, 0, 7]);
    assert_eq!(sample.register_name(CC + 8).as_deref(), Some("CC1"));
    assert_eq!(sample.register_name(0x14), None);
}

#[test]
fn what_a_row_does_not_allow_is_refused_by_name() {
    let mut sample = Sample::default();
    assert_eq!(
        refusal(sample.write(CR, 4, 0x101, 0)),
        "CR, a write of 0x101: a break"
    );
    assert_eq!(refusal(sample.write(ID, 4, 1, 0)), "a write of 0x1 to offset 0x8");
    assert_eq!(refusal(sample.read(KEY, 4, 0)), "a read of offset 0x2c");
    assert_eq!(refusal(sample.read(0x1000, 4, 0)), "a read of offset 0x1000");
    assert!(refusal(sample.write(MODE, 4, 3, 0)).contains("three"));
    assert_eq!(
        (sample.read(MODE, 4, 0), sample.settled),
        (Ok(0), 0),
        "and nothing comes of it"
    );
}

/// In the words that a block of a board file has for it.
#[test]
fn a_write_of_bits_that_are_not_there_is_told_once() {
    let mut sample = Sample::default();
    sample.set_name("UART0");
    let mut told = |offset, value| {
        sample.write(offset, 4, value, 0).unwrap();
        sample.note()
    };
    assert_eq!(told(CR, 0x3f), None, "what it reads, and bits that it has");
    assert_eq!(told(CR, 0x31), None);
    let note = "UART0 CR: the chip does not have bits 6, 7: a write of 0xc1 leaves them 0";
    assert_eq!(told(CR, 0xc1).as_deref(), Some(note));
    assert_eq!(told(CR, 0xc1), None, "once");
    assert_eq!(told(SR, 0x40), None, "it does something");
    assert_eq!(told(KEY, 0x55), None, "a key");
}

#[test]
fn a_look_has_none_of_the_effects_of_a_read() {
    let mut sample = Sample::default();
    sample.write(DATA, 4, 5, 0).unwrap();
    assert_eq!((sample.peek(DATA, 0), sample.peek(DATA, 0)), (Some(5), Some(5)));
    assert_eq!((sample.read(DATA, 4, 0), sample.peek(DATA, 0)), (Ok(5), Some(0)));
    assert_eq!((sample.peek(KEY, 0), sample.peek(0x100, 0)), (None, None));
}

/// The same registers by hand.
#[derive(Clone, Default)]
struct ByHand {
    control: u32,
    status: u32,
    data: u32,
}

impl Device for ByHand {
    fn read(&mut self, offset: u32, _size: u32, _now: u64) -> Result<u32, DeviceError> {
        match offset & !3 {
            CR => Ok(self.control),
            SR => Ok(self.status),
            DATA => Ok(std::mem::take(&mut self.data)),
            register => not_modelled(format!("a read of offset {register:#x}")),
        }
    }

    fn write(&mut self, offset: u32, _size: u32, value: u32, _now: u64) -> Result<(), DeviceError> {
        match offset & !3 {
            CR => self.control = value & 0xf,
            SR => self.status &= !value,
            DATA => self.data = value,
            register => return not_modelled(format!("a write of {value:#x} to offset {register:#x}")),
        }
        Ok(())
    }
}

/// What an access costs on the host, by table and by hand: `cargo test -p cyclescope-machine --lib access_costs -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn access_costs() {
    let mut devices: [(&str, Box<dyn Device>); 2] = [
        ("by table", Box::new(Sample::default())),
        ("by hand", Box::new(ByHand::default())),
    ];
    for (name, device) in &mut devices {
        let (mut sum, start) = (0_u32, std::time::Instant::now());
        for now in 0..10_000_000 {
            let (offset, value) = (std::hint::black_box(CR), std::hint::black_box(5));
            device.write(offset, 4, value, now).unwrap();
            sum = sum.wrapping_add(device.read(std::hint::black_box(SR), 4, now).unwrap());
        }
        let each = start.elapsed().as_nanos() / 20_000_000;
        println!("{name}: {each} ns an access ({sum})");
    }
}
