//! sin, cos and tan of parts of a turn: sin(π/6) = 1/2 and cos(π/4) = √2/2 are algebraic numbers.

use cotangent_expr::{Expr, Function, Node};

/// sin, cos and tan of k π/6 and k π/4; nothing where a tangent has no value.
pub(super) fn at_part_of_a_turn(function: Function, x: &Expr) -> Option<Expr> {
    let (turns, unit) = x.split_coefficient();
    if x.is_zero() || !matches!(unit.node(), Node::Pi) {
        return None;
    }
    let (n, d) = turns.as_ratio().filter(|(_, d)| 12 % d == 0)?;
    // In twelfths of π.
    let k = n.rem_euclid(2 * d) * (12 / d);
    match function {
        Function::Sin => sine(k),
        Function::Cos => sine(k + 6),
        Function::Tan => Some(sine(k)? / sine(k + 6).filter(|cosine| !cosine.is_zero())?),
        _ => None,
    }
}

/// sin(k π/12), where that is half a root of a small integer.
fn sine(k: i64) -> Option<Expr> {
    let k = k.rem_euclid(24);
    let (k, sign) = if k > 12 { (k - 12, -1) } else { (k, 1) };
    let square = match k.min(12 - k) {
        0 => 0,
        2 => 1,
        3 => 2,
        4 => 3,
        6 => 4,
        _ => return None,
    };
    Some(Expr::number(square).sqrt() * Expr::ratio(sign, 2))
}

#[cfg(test)]
mod tests {
    use super::at_part_of_a_turn;
    use cotangent_expr::{Expr, Function};
    use std::f64::consts::PI;

    /// c √n, which is how roots of integers are written.
    fn value(e: &Expr) -> f64 {
        let (c, rest) = e.split_coefficient();
        let square = rest.powi(2).as_number().map_or(f64::NAN, |n| n.to_f64());
        c.to_f64() * square.sqrt()
    }

    #[test]
    fn functions_of_parts_of_a_turn_are_exact() {
        use Function::{Cos, Sin, Tan};
        let at = |function, n: i64, d: i64| at_part_of_a_turn(function, &(Expr::ratio(n, d) * Expr::pi()));
        let known = |n, d| Some(Expr::ratio(n, d));
        assert_eq!(
            (at(Sin, 1, 1), at(Sin, -7, 1), at(Cos, 3, 2), at(Tan, 5, 1)),
            (known(0, 1), known(0, 1), known(0, 1), known(0, 1))
        );
        assert_eq!(
            (at(Cos, 1, 1), at(Sin, 5, 2), at(Cos, 1, 3), at(Sin, -5, 6)),
            (known(-1, 1), known(1, 1), known(1, 2), known(-1, 2))
        );
        assert_eq!((at(Tan, 3, 4), at(Tan, 1, 3)), (known(-1, 1), Some(Expr::number(3).sqrt())));
        for (function, rounded) in [(Sin, f64::sin as fn(f64) -> f64), (Cos, f64::cos), (Tan, f64::tan)] {
            for k in -30..=30 {
                let Some(exact) = at(function, k, 12) else { continue };
                assert!((value(&exact) - rounded(k as f64 * PI / 12.0)).abs() < 1e-14, "{function:?} {k} {exact}");
            }
        }
        // sin(π/12) = (√6 − √2)/4 is longer, cos(π/5) another one, and tan(π/2) has no value.
        assert_eq!((at(Sin, 1, 12), at(Cos, 1, 5), at(Tan, 1, 2)), (None, None, None));
        assert_eq!((at(Function::Sinh, 1, 1), at_part_of_a_turn(Sin, &Expr::number(1))), (None, None));
    }
}
