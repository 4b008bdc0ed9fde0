//! The rules that the floating-point unit adds to those of the Cortex-M4.

use super::rules as m4;
use crate::timing::rule::{Known, Rule, known};
use events::Mark::{A, B, D};

#[rustfmt::skip] // a table reads by its columns
const ADDED: &[Known] = &[
    known(Rule::FloatData, A, "DDI 0439 table 7-1; STM32G474RE, published loops of VADD, VSUB, VMUL, VNMUL, VABS, VNEG, VCVT against each other and VDIV",
        "VADD, VSUB, VMUL, VNMUL, VABS, VNEG, VCMP, VCVT and VMOV between registers of the FPU take 1 cycle."),
    known(Rule::FloatResult, B, "DDI 0439 7.2.3; GCC, cortex-m4-fpu.md",
        "The result of VADD, VSUB, VMUL, VNMUL, VCVT, VDIV, VSQRT or a multiply-accumulate is available 1 cycle late; as the addend of a multiply-accumulate it is on time."),
    known(Rule::FloatMultiplyAccumulate, A, "DDI 0439 table 7-1; STM32G474RE, published loops of VMLA, VMLS, VFMA, VFMS, VFNMA, VFNMS against VADD",
        "VMLA, VMLS, VNMLA, VNMLS and their fused forms take 3 cycles."),
    known(Rule::FloatDivide, A, "DDI 0439 table 7-1; STM32G474RE, published loops of VDIV and VSQRT against VADD; GCC, cortex-m4-fpu.md (what follows)",
        "VDIV and VSQRT take 14 cycles of the FPU; instructions that do not need it go on after 1."),
    known(Rule::FloatMove, B, "DDI 0439 table 7-1",
        "VMOV between a core register and one of the FPU, VMRS and VMSR take 1 cycle, VMOV of two registers 2."),
    known(Rule::FloatAccess, B, "DDI 0439 table 7-1; GCC, cortex-m4-fpu.md",
        "VLDR takes 2 cycles and VSTR 1, as LDR and STR do, of a double register 3, as LDRD and STRD; VLDM, VSTM, VPUSH and VPOP take 1 + N for N words, as LDM and STM."),
    known(Rule::ExceptionEntryFp, B, "Arm AN298 (29 cycles instead of 12)",
        "With FPCCR.LSPEN clear, entering an exception from code that uses the FPU stacks 17 more words: S0 to S15 and FPSCR, 26 cycles in all. With lazy stacking it only reserves their room, which costs nothing."),
    known(Rule::ExceptionReturnFp, D, "as its entry",
        "A return to a frame in which FPU registers were saved unstacks 17 more words, 26 cycles in all; to a frame in which they were not, none."),
    known(Rule::LazyStacking, D, "ARMv7-M ARM B1.5.7 and AN298 (which words); inference (when)",
        "The first instruction of the FPU that executes while LSPACT is set waits for 17 words to be stored, each 1 cycle and the memory's wait states; an exception that comes meanwhile goes first, and the stores start again."),
];

const COUNT: usize = m4::RULES.len() + ADDED.len();

/// The rules of the Cortex-M4F: those of the Cortex-M4 and the ones above.
pub(crate) const RULES: &[Known] = &{
    let mut all = [ADDED[0]; COUNT];
    let mut n = 0;
    while n < COUNT {
        all[n] = if n < m4::RULES.len() {
            m4::RULES[n]
        } else {
            ADDED[n - m4::RULES.len()]
        };
        n += 1;
    }
    all
};
