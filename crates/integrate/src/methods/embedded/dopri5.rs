//! Dormand and Prince's pair of orders 5 and 4, with Shampine's dense output of order 4.
//!
//! J. R. Dormand & P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19; L. F. Shampine, Math. Comp. 46
//! (1986) 135; Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.5 and II.6.

use super::tableau::{Row, Tableau};
use cotangent_scalar::{Dd, Scalar};

type Fractions = &'static [(usize, i64, i64)];

/// aᵢⱼ, i = 2 … 7, as (j, numerator, denominator); the last row is the weights.
const STEP: [Fractions; 6] = [
    &[(1, 1, 5)],
    &[(1, 3, 40), (2, 9, 40)],
    &[(1, 44, 45), (2, -56, 15), (3, 32, 9)],
    &[(1, 19372, 6561), (2, -25360, 2187), (3, 64448, 6561), (4, -212, 729)],
    &[(1, 9017, 3168), (2, -355, 33), (3, 46732, 5247), (4, 49, 176), (5, -5103, 18656)],
    &[(1, 35, 384), (3, 500, 1113), (4, 125, 192), (5, -2187, 6784), (6, 11, 84)],
];

/// b − b̂, where b̂ is of order 4.
const FOURTH: Fractions =
    &[(1, 71, 57600), (3, -71, 16695), (4, 71, 1920), (5, -17253, 339200), (6, 22, 525), (7, -1, 40)];

/// The coefficient of the dense output after the cubic ones.
const DENSE: Fractions = &[
    (1, -12715105075, 11282082432),
    (3, 87487479700, 32700410799),
    (4, -10690763975, 1880347072),
    (5, 701980252875, 199316789632),
    (6, -1453857185, 822651844),
    (7, 69997945, 29380423),
];

pub(super) fn tableau() -> Tableau<Dd> {
    let row = |row: Fractions| -> Row<Dd> { row.iter().map(|&(j, n, d)| (j - 1, Dd::ratio(n, d))).collect() };
    Tableau {
        step: STEP.into_iter().map(row).collect(),
        estimators: vec![row(FOURTH)],
        extra: vec![],
        dense: vec![row(DENSE)],
    }
}

#[cfg(test)]
mod tests {
    use super::super::tableau::conditions::full;
    use super::*;

    #[test]
    fn every_condition_of_order_5_holds_and_some_of_order_6_do_not() {
        let t = tableau();
        let b = full(&t.step[5], t.stages());
        let (defect, conditions) = t.defect(&b, Dd::from(1.0), 5);
        assert_eq!(conditions, 17);
        assert!(defect < 1e-29, "{defect:e}");
        assert!(t.defect(&b, Dd::from(1.0), 6).0 > 1e-4);
    }

    #[test]
    fn the_embedded_weights_are_of_order_4_only() {
        let t = tableau();
        let (b, e) = (full(&t.step[5], t.stages()), full(&t.estimators[0], t.stages()));
        let embedded: Vec<Dd> = b.iter().zip(&e).map(|(&b, &e)| b - e).collect();
        assert!(t.defect(&embedded, Dd::from(1.0), 4).0 < 1e-29);
        assert!(t.defect(&embedded, Dd::from(1.0), 5).0 > 1e-5);
    }

    #[test]
    fn the_dense_output_is_of_order_4_everywhere() {
        let t = tableau();
        for theta in [0.125, 0.5, 0.75, 1.0].map(Dd::from) {
            let defect = t.defect(&t.continuous(theta), theta, 4).0;
            assert!(defect < 1e-29, "{theta:?}: {defect:e}");
        }
    }
}
