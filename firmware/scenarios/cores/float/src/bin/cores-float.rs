//! The floating-point instructions: what each costs in front of an instruction that does not need it, and (`…_use`) in
//! front of one that does: VADD, but ADD where the result is in a core register, and VMRS after VCMP. `filler`,
//! `consumer` and `float_consumer` are the code that follows, to be subtracted.

#![no_std]
#![no_main]

use core::arch::global_asm;

use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    cores::run()
}

global_asm!(include_str!("../../../macros.s"), options(raw));

global_asm!(
    r#"
    .section .text.measure, "ax", %progbits
    function measure
    ldr r4, =scratch
    ldr r0, =0x3fc00000         @ 1.5
    ldr r1, =0x40200000         @ 2.5
    movs r5, #0
    movs r6, #0
    vmov s0, r0
    vmov s1, r1
    vmov s2, r0
    vmov s3, r1
    vmov s4, r0
    vmov s5, r1

    from filler
    filler
    to filler

    from consumer
    adds r2, r3, #1
    filler
    to consumer

    from float_consumer
    vadd.f32 s5, s3, s1
    filler
    to float_consumer

    from vadd
    vadd.f32 s2, s0, s1
    filler
    to vadd

    from vadd_use
    vadd.f32 s2, s0, s1
    vadd.f32 s5, s2, s1
    filler
    to vadd_use

    from vmul
    vmul.f32 s2, s0, s1
    filler
    to vmul

    from vmul_use
    vmul.f32 s2, s0, s1
    vadd.f32 s5, s2, s1
    filler
    to vmul_use

    from vnmul
    vnmul.f32 s2, s0, s1
    filler
    to vnmul

    from vnmul_use
    vnmul.f32 s2, s0, s1
    vadd.f32 s5, s2, s1
    filler
    to vnmul_use

    from vmla
    vmla.f32 s2, s0, s1
    filler
    to vmla

    from vmla_use
    vmla.f32 s2, s0, s1
    vadd.f32 s5, s2, s1
    filler
    to vmla_use

    from vfma
    vfma.f32 s2, s0, s1
    filler
    to vfma

    from vfma_use
    vfma.f32 s2, s0, s1
    vadd.f32 s5, s2, s1
    filler
    to vfma_use

    from vdiv
    vdiv.f32 s2, s0, s1
    filler
    to vdiv

    from vdiv_use
    vdiv.f32 s2, s0, s1
    vadd.f32 s5, s2, s1
    filler
    to vdiv_use

    from vsqrt
    vsqrt.f32 s2, s0
    filler
    to vsqrt

    from vsqrt_use
    vsqrt.f32 s2, s0
    vadd.f32 s5, s2, s1
    filler
    to vsqrt_use

    from vabs
    vabs.f32 s2, s0
    filler
    to vabs

    from vabs_use
    vabs.f32 s2, s0
    vadd.f32 s5, s2, s1
    filler
    to vabs_use

    from vneg
    vneg.f32 s2, s0
    filler
    to vneg

    from vneg_use
    vneg.f32 s2, s0
    vadd.f32 s5, s2, s1
    filler
    to vneg_use

    from vmov_register
    vmov.f32 s2, s0
    filler
    to vmov_register

    from vmov_register_use
    vmov.f32 s2, s0
    vadd.f32 s5, s2, s1
    filler
    to vmov_register_use

    from vmov_immediate
    vmov.f32 s2, #1.0
    filler
    to vmov_immediate

    from vmov_immediate_use
    vmov.f32 s2, #1.0
    vadd.f32 s5, s2, s1
    filler
    to vmov_immediate_use

    from vcvt_from_integer
    vcvt.f32.s32 s2, s0
    filler
    to vcvt_from_integer

    from vcvt_from_integer_use
    vcvt.f32.s32 s2, s0
    vadd.f32 s5, s2, s1
    filler
    to vcvt_from_integer_use

    from vcvt_to_integer
    vcvt.s32.f32 s2, s0
    filler
    to vcvt_to_integer

    from vcvt_to_integer_use
    vcvt.s32.f32 s2, s0
    vadd.f32 s5, s2, s1
    filler
    to vcvt_to_integer_use

    from vcvt_fixed
    vcvt.f32.s32 s2, s2, #8
    filler
    to vcvt_fixed

    from vcvt_fixed_use
    vcvt.f32.s32 s2, s2, #8
    vadd.f32 s5, s2, s1
    filler
    to vcvt_fixed_use

    from vcvtb
    vcvtb.f32.f16 s2, s0
    filler
    to vcvtb

    from vcvtb_use
    vcvtb.f32.f16 s2, s0
    vadd.f32 s5, s2, s1
    filler
    to vcvtb_use

    from vcmp
    vcmp.f32 s0, s1
    filler
    to vcmp

    from vcmp_use
    vcmp.f32 s0, s1
    vmrs APSR_nzcv, fpscr
    filler
    to vcmp_use

    from vmov_from_core
    vmov s2, r0
    filler
    to vmov_from_core

    from vmov_from_core_use
    vmov s2, r0
    vadd.f32 s5, s2, s1
    filler
    to vmov_from_core_use

    from vmov_to_core
    vmov r2, s0
    filler
    to vmov_to_core

    from vmov_to_core_use
    vmov r2, s0
    adds r2, r2, #1
    filler
    to vmov_to_core_use

    from vmov_pair_from_core
    vmov s2, s3, r0, r1
    filler
    to vmov_pair_from_core

    from vmov_pair_from_core_use
    vmov s2, s3, r0, r1
    vadd.f32 s5, s2, s1
    filler
    to vmov_pair_from_core_use

    from vmov_pair_to_core
    vmov r2, r3, s0, s1
    filler
    to vmov_pair_to_core

    from vmov_pair_to_core_use
    vmov r2, r3, s0, s1
    adds r2, r2, #1
    filler
    to vmov_pair_to_core_use

    from vmrs
    vmrs r2, fpscr
    filler
    to vmrs

    from vmrs_use
    vmrs r2, fpscr
    adds r2, r2, #1
    filler
    to vmrs_use

    from vldr
    vldr s2, [r4]
    filler
    to vldr

    from vldr_use
    vldr s2, [r4]
    vadd.f32 s5, s2, s1
    filler
    to vldr_use

    from vldr_double
    vldr d1, [r4]
    filler
    to vldr_double

    from vldr_double_use
    vldr d1, [r4]
    vadd.f32 s5, s2, s1
    filler
    to vldr_double_use

    from vstr
    vstr s0, [r4]
    filler
    to vstr

    from vstr_double
    vstr d0, [r4]
    filler
    to vstr_double

    from vldm_4
    vldmia r4, {s2-s5}
    filler
    to vldm_4

    from vldm_4_use
    vldmia r4, {s2-s5}
    vadd.f32 s5, s2, s1
    filler
    to vldm_4_use

    from vldm_8
    vldmia r4, {s2-s9}
    filler
    to vldm_8

    from vldm_8_use
    vldmia r4, {s2-s9}
    vadd.f32 s5, s2, s1
    filler
    to vldm_8_use

    from vstm_4
    vstmia r4, {s2-s5}
    filler
    to vstm_4

    from vpush_8
    vpush {s16-s23}
    filler
    to vpush_8

    from vpop_8
    vpop {s16-s23}
    filler
    to vpop_8
    bl measured
    .ltorg
    .size measure, . - measure

    .section .bss.scratch, "aw", %nobits
    .balign 16
    .type scratch, %object
scratch:
    .skip 256
    .size scratch, 256
"#,
    options(raw)
);
