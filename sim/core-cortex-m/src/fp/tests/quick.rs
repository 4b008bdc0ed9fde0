//! The host's way gives what the exact one does.

use super::super::quick;
use super::*;

fn agree(
    mut fpscr: Fpscr,
    quick: impl FnOnce(&mut Fpscr) -> u32,
    exact: impl FnOnce(&mut Fpscr) -> u32,
) -> Result<(), TestCaseError> {
    let mut other = fpscr;
    let (quick, exact) = (quick(&mut fpscr), exact(&mut other));
    prop_assert_eq!((quick, fpscr), (exact, other), "{:08x} {:08x}", quick, exact);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn of_two_operands(a in operand(), b in operand(), fpscr in fpscr()) {
        agree(fpscr, |f| quick::add(a, b, f), |f| arithmetic::add(a, b, f))?;
        agree(fpscr, |f| quick::subtract(a, b, f), |f| arithmetic::subtract(a, b, f))?;
        agree(fpscr, |f| quick::multiply(a, b, f), |f| arithmetic::multiply(a, b, f))?;
        agree(fpscr, |f| quick::divide(a, b, f), |f| arithmetic::divide(a, b, f))?;
        agree(fpscr, |f| quick::square_root(a, f), |f| arithmetic::square_root(a, f))?;
    }

    #[test]
    fn of_a_fused_multiplication(a in operand(), b in operand(), c in operand(), fpscr in fpscr()) {
        agree(fpscr, |f| quick::multiply_add(a, b, c, f), |f| arithmetic::multiply_add(a, b, c, f))?;
    }

    #[test]
    fn of_conversions(a in operand(), fpscr in fpscr(), mode in 0u32..4) {
        let rounding = Fpscr::from_bits(mode << 22).rounding();
        for integer in [I32, U32] {
            agree(
                fpscr,
                |f| quick::to_integer(a, integer, rounding, f),
                |f| super::super::to_integer(a, integer, rounding, f),
            )?;
            agree(
                fpscr,
                |f| quick::from_integer(a, integer, f),
                |f| super::super::from_integer(a, integer, f),
            )?;
        }
    }
}
