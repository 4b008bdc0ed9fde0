//! SysTick against a counter that is counted tick by tick.

use proptest::prelude::*;

use super::{COUNT_FLAG, SysTick, SysTickRegister};
use crate::testing::config;

/// The manual's description, a tick at a time.
#[derive(Default)]
struct Naive {
    control: u32,
    reload: u32,
    value: u32,
    flag: bool,
    /// The first cycle since the last look in which the exception became pending.
    pended: Option<u64>,
}

impl Naive {
    fn cycle(&mut self, cycle: u64) {
        let tick = self.control & 4 != 0 || cycle.is_multiple_of(8);
        if self.control & 1 == 0 || !tick {
            return;
        }
        if self.value == 0 {
            self.value = self.reload;
            return;
        }
        self.value -= 1;
        if self.value == 0 {
            self.flag = true;
            if self.control & 2 != 0 {
                self.pended.get_or_insert(cycle);
            }
        }
    }

    fn read(&mut self, register: SysTickRegister) -> u32 {
        match register {
            SysTickRegister::Control => {
                self.control
                    | if std::mem::take(&mut self.flag) {
                        COUNT_FLAG
                    } else {
                        0
                    }
            }
            SysTickRegister::Reload => self.reload,
            SysTickRegister::Current => self.value,
            SysTickRegister::Calibration => config().systick_calibration,
        }
    }

    fn write(&mut self, register: SysTickRegister, value: u32) {
        match register {
            SysTickRegister::Control => self.control = value & 7,
            SysTickRegister::Reload => self.reload = value & 0xff_ffff,
            SysTickRegister::Current => (self.value, self.flag) = (0, false),
            SysTickRegister::Calibration => {}
        }
    }
}

#[derive(Clone, Debug)]
enum Act {
    Look,
    Read(SysTickRegister),
    Write(SysTickRegister, u32),
}

/// The program's actions, each after a number of cycles.
fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let register = prop_oneof![
        Just(SysTickRegister::Control),
        Just(SysTickRegister::Reload),
        Just(SysTickRegister::Current),
        Just(SysTickRegister::Calibration)
    ];
    let value = prop_oneof![0u32..8, 0u32..40, Just(0xffff_ffff)];
    let act = prop_oneof![
        Just(Act::Look),
        register.clone().prop_map(Act::Read),
        (register, value).prop_map(|(register, value)| Act::Write(register, value)),
    ];
    prop::collection::vec((0u64..70, act), 1..60)
}

proptest! {
    /// Every register read is what counting each tick gives, and `next_event` and `advance` tell of the exception in
    /// exactly the cycle in which it becomes pending.
    #[test]
    fn lazy_and_counted_agree(acts in acts()) {
        let (mut lazy, mut naive, mut cycle) = (SysTick::new(&config()), Naive::default(), 0);
        for (wait, act) in acts {
            for _ in 0..wait {
                cycle += 1;
                naive.cycle(cycle);
            }
            let due = lazy.next_event();
            prop_assert_eq!((due <= cycle).then_some(due), naive.pended);
            prop_assert_eq!(lazy.advance(cycle), naive.pended.take().is_some());
            match act {
                Act::Look => {}
                Act::Read(register) => prop_assert_eq!(lazy.read(register), naive.read(register)),
                Act::Write(register, value) => {
                    lazy.write(register, value, cycle);
                    naive.write(register, value);
                }
            }
        }
    }
}

#[test]
fn a_period_is_reload_plus_one() {
    let mut timer = SysTick::new(&config());
    timer.write(SysTickRegister::Reload, 9, 0);
    timer.write(SysTickRegister::Control, 7, 0);
    assert_eq!(timer.next_event(), 10);
    assert!(timer.advance(10));
    assert_eq!(timer.next_event(), 20);
}

#[test]
fn without_a_reference_the_core_clock_is_forced() {
    let mut timer = SysTick::new(&crate::config::Config {
        systick_reference: 0,
        ..config()
    });
    timer.write(SysTickRegister::Reload, 9, 0);
    timer.write(SysTickRegister::Control, 3, 0);
    assert_eq!(timer.next_event(), 10);
    assert_eq!(timer.read(SysTickRegister::Control), 7);
    assert_eq!(timer.read(SysTickRegister::Calibration) >> 31, 1);
}
