//! The MPU against the manual's tables, read word by word.

use proptest::prelude::*;

use super::{Mpu, MpuRegister, Want};
use crate::testing::config;

#[derive(Clone, Debug)]
struct Setting {
    base: u32,
    size: u32,
    subregions: u32,
    permission: u32,
    execute_never: bool,
    enabled: bool,
}

impl Setting {
    fn attributes(&self) -> u32 {
        u32::from(self.execute_never) << 28
            | self.permission << 24
            | self.subregions << 8
            | self.size << 1
            | u32::from(self.enabled)
    }

    /// Whether `address` lies in it: in `size` bytes from its aligned base, and in an enabled eighth.
    fn covers(&self, address: u32) -> bool {
        let size = 1u64 << (self.size + 1);
        let base = u64::from(self.base) / size * size;
        let offset = u64::from(address).wrapping_sub(base);
        let eighth = offset / (size / 8).max(1);
        let disabled = size >= 256 && offset < size && self.subregions >> eighth & 1 != 0;
        self.enabled && u64::from(address) >= base && offset < size && !disabled
    }

    /// Table "Access permissions field encoding" (ARMv7-M ARM B3.5.9): reads and writes, privileged or not.
    fn permits(&self, want: Want, privileged: bool) -> bool {
        let table: [(&str, &str); 8] = [
            ("", ""),
            ("rw", ""),
            ("rw", "r"),
            ("rw", "rw"),
            ("?", "?"),
            ("r", ""),
            ("r", "r"),
            ("r", "r"),
        ];
        let (by_privileged, by_user) = table[self.permission as usize];
        let rights = if privileged { by_privileged } else { by_user };
        match want {
            Want::Read => rights.contains('r'),
            Want::Write => rights.contains('w'),
            Want::Execute => rights.contains('r') && !self.execute_never,
        }
    }
}

fn setting() -> impl Strategy<Value = Setting> {
    let permission = prop::sample::select(vec![0u32, 1, 2, 3, 5, 6, 7]);
    let place = prop_oneof![Just(0u32), 0x2000_0000u32..0x2000_4000, any::<u32>()];
    let size = prop_oneof![4u32..14, 4u32..32];
    (
        place,
        size,
        any::<u8>(),
        permission,
        any::<bool>(),
        prop::bool::weighted(0.8),
    )
        .prop_map(
            |(base, size, subregions, permission, execute_never, enabled)| Setting {
                base,
                size,
                subregions: u32::from(subregions),
                permission,
                execute_never,
                enabled,
            },
        )
}

proptest! {
    #[test]
    fn permissions_are_those_of_the_highest_region(
        settings in prop::collection::vec(setting(), 0..=8),
        control in prop::sample::select(vec![0u32, 1, 3, 4, 5, 7]),
        addresses in prop::collection::vec(prop_oneof![0x2000_0000u32..0x2000_4000, any::<u32>()], 1..20),
        privileged: bool,
        below_zero: bool,
    ) {
        let mut mpu = Mpu::new(&config());
        for (number, setting) in (0u32..).zip(&settings) {
            mpu.write(MpuRegister::Regions, 0, setting.base & !31 | 16 | number).unwrap();
            mpu.write(MpuRegister::Regions, 1, setting.attributes()).unwrap();
        }
        mpu.write(MpuRegister::Control, 0, control).unwrap();
        let off = control & 1 == 0 || below_zero && control & 2 == 0;
        for address in addresses {
            let region = settings.iter().rev().find(|setting| setting.covers(address));
            for want in [Want::Read, Want::Write, Want::Execute] {
                let background = privileged && control & 4 != 0;
                let expected = off || region.map_or(background, |region| region.permits(want, privileged));
                prop_assert_eq!(mpu.allows(address, want, privileged, below_zero), expected);
            }
        }
    }
}

#[test]
fn aliases_write_the_region_that_is_selected_with_them() {
    let mut mpu = Mpu::new(&config());
    for number in 4..8 {
        let pair = 2 * (number - 4);
        mpu.write(MpuRegister::Regions, pair, (0x1000 * number) | 16 | number)
            .unwrap();
        mpu.write(MpuRegister::Regions, pair + 1, 3 << 24 | 7 << 1 | 1)
            .unwrap();
    }
    mpu.write(MpuRegister::Number, 0, 5).unwrap();
    assert_eq!(mpu.read(MpuRegister::Regions, 0), 0x5005);
    assert_eq!(mpu.read(MpuRegister::Regions, 3), 3 << 24 | 7 << 1 | 1);
}

#[test]
fn what_the_architecture_leaves_open_is_refused() {
    let mut mpu = Mpu::new(&config());
    assert!(mpu.write(MpuRegister::Number, 0, 8).is_err());
    assert!(mpu.write(MpuRegister::Control, 0, 2).is_err());
    assert!(mpu.write(MpuRegister::Regions, 1, 3 << 24 | 3 << 1 | 1).is_err());
    assert!(mpu.write(MpuRegister::Regions, 1, 4 << 24 | 7 << 1 | 1).is_err());
}

#[test]
fn a_core_without_an_mpu_ignores_writes() {
    let mut mpu = Mpu::new(&crate::config::Config {
        mpu_regions: 0,
        ..config()
    });
    mpu.write(MpuRegister::Control, 0, 1).unwrap();
    assert_eq!((mpu.read(MpuRegister::Type, 0), mpu.enabled()), (0, false));
}

#[test]
fn strongly_ordered_is_tex_c_b_zero() {
    let mut mpu = Mpu::new(&config());
    mpu.write(MpuRegister::Control, 0, 1).unwrap();
    for (attributes, ordered) in [(0, true), (1, false), (2, false), (8, false), (4, true)] {
        mpu.write(MpuRegister::Regions, 1, 3 << 24 | attributes << 16 | 31 << 1 | 1)
            .unwrap();
        assert_eq!(
            mpu.strongly_ordered(0x2000_0000),
            ordered,
            "TEX S C B {attributes:#b}"
        );
    }
}
