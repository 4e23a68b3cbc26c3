//! Properties over random expressions: canonical forms keep values, derivatives are right, engines agree.

mod common;

use common::{Raw, VARS, layout, point, raw, variables};
use cotangent_compile::{Engine, FunctionBuilder};
use cotangent_expr::{Expr, Tensor};
use cotangent_scalar::{Dd, Dual, Real, Scalar};
use proptest::prelude::*;

fn exprs() -> Vec<Expr> {
    variables().iter().map(Expr::from).collect()
}

fn dd(x: [f64; VARS]) -> [Dd; VARS] {
    x.map(Dd::from_f64)
}

/// Values of tensors on the tape in double-double.
fn tape(tensors: &[Tensor], x: [f64; VARS]) -> Vec<Vec<Dd>> {
    let builder = tensors.iter().fold(FunctionBuilder::new().input(&layout()), |b, t| b.output(t));
    let f = builder.engine(Engine::Tape).compile().unwrap();
    let mut work = f.workspace_in::<Dd>().unwrap();
    let mut out: Vec<Vec<Dd>> = f.program().outputs.iter().map(|&n| vec![Dd::from_f64(0.0); n]).collect();
    let mut slices: Vec<&mut [Dd]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call_in(&[&dd(x)], &mut slices, &mut work).unwrap();
    out
}

/// Whether an intermediate value of the tree is so extreme, or so close to a jump or a branch
/// point, that forms equal in exact arithmetic need not agree.
fn delicate(tree: &Raw, x: [f64; VARS]) -> bool {
    let wiggle = 1e-9;
    let v = |shift: f64| tree.value(&dd(x.map(|c| c * (1.0 + shift)))).value();
    let (a, b, c) = (v(0.0), v(wiggle), v(-wiggle));
    let scale = a.abs().max(1.0);
    !(a.is_finite() && b.is_finite() && c.is_finite())
        || a.abs() > 1e8
        || (a - b).abs() > 1e-3 * scale
        || (a - c).abs() > 1e-3 * scale
        || tree.on_the_edge(&dd(x))
        || tree.degree(&dd(x)) > 64.0
}

/// How well the canonical form can be known: `tolerance` with exact numbers, double precision where
/// a number did not fit a fraction and was rounded; it is then printed with many digits.
fn known(e: &Expr, tolerance: f64) -> f64 {
    let many_digits = |text: String| text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() > 8);
    if many_digits(e.to_string()) { 1e-13 } else { tolerance }
}

fn close(a: Dd, b: Dd, scale: f64, tolerance: f64) -> bool {
    (a - b).value().abs() <= tolerance * scale.max(a.value().abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn canonical_form_keeps_the_value(tree in raw(), x in point()) {
        let e = tree.expr(&exprs());
        prop_assume!(e.poisoned().is_none() && !delicate(&tree, x));
        let (wanted, found) = (tree.value(&dd(x)), tape(&[Tensor::scalar(e.clone()).unwrap()], x)[0][0]);
        prop_assert!(close(wanted, found, 1.0, known(&e, 1e-18)), "{e}: {:e} and {:e}", wanted.value(), found.value());
    }

    #[test]
    fn canonical_form_is_stable(tree in raw()) {
        let e = tree.expr(&exprs());
        let again = e.rewrite(&mut |_| None);
        prop_assert_eq!(&again, &e);
        prop_assert_eq!(again.to_string(), e.to_string());
        if e.poisoned().is_none() {
            prop_assert!((&e - &e).is_zero());
            prop_assert_eq!(&e + &e, 2 * &e);
        }
    }

    #[test]
    fn first_derivatives_equal_dual_numbers(tree in raw(), x in point()) {
        let e = tree.expr(&exprs());
        prop_assume!(e.poisoned().is_none() && !delicate(&tree, x));
        let Ok(gradient) = Tensor::scalar(e.clone()).unwrap().gradient(&layout()) else { return Ok(()) };
        let found = &tape(&[gradient], x)[0];
        let seeded: [Dual<Dd, VARS>; VARS] = std::array::from_fn(|k| {
            let mut tangent = [Dd::from_f64(0.0); VARS];
            tangent[k] = Dd::from_f64(1.0);
            Dual { value: Dd::from_f64(x[k]), tangent }
        });
        let wanted = tree.value(&seeded).tangent;
        let scale = wanted.iter().map(|d| d.value().abs()).fold(0.0, f64::max);
        prop_assume!(wanted.iter().chain(found).all(|d| d.value().is_finite()) && scale < 1e8);
        for k in 0..VARS {
            prop_assert!(close(wanted[k], found[k], scale, known(&e, 1e-17)), "d/d{k} of {e}: {:e}, {:e}", wanted[k].value(), found[k].value());
        }
    }

    #[test]
    fn second_and_third_derivatives_equal_nested_duals(tree in raw(), x in point(), d in [-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64]) {
        let e = tree.expr(&exprs());
        prop_assume!(e.poisoned().is_none() && e.size() < 60 && !delicate(&tree, x));
        let energy = Tensor::scalar(e.clone()).unwrap();
        let Ok(hessian) = energy.hessian(&layout()) else { return Ok(()) };
        let Ok(third) = hessian.jacobian(&layout()) else { return Ok(()) };
        let found = tape(&[hessian, third], x);
        // Along the line x + t d: f'' = Σ H_ij d_i d_j and f''' likewise.
        type D3 = Dual<Dual<Dual<Dd>>>;
        let lift = |v: f64, slope: f64| -> D3 {
            let (v, s, one, zero) = (Dd::from_f64(v), Dd::from_f64(slope), Dual::<Dd>::from_f64(0.0), Dd::from_f64(0.0));
            let inner = Dual { value: v, tangent: [s] };
            let middle = Dual { value: inner, tangent: [Dual { value: s, tangent: [zero] }] };
            Dual { value: middle, tangent: [Dual { value: Dual { value: s, tangent: [zero] }, tangent: [one] }] }
        };
        let line: [D3; VARS] = std::array::from_fn(|k| lift(x[k], d[k]));
        let value = tree.value(&line);
        let (wanted2, wanted3) = (value.value.tangent[0].tangent[0], value.tangent[0].tangent[0].tangent[0]);
        let dir = dd(d);
        let (mut sum2, mut sum3, mut size) = (Dd::from_f64(0.0), Dd::from_f64(0.0), 1.0f64);
        for i in 0..VARS {
            for j in 0..VARS {
                sum2 = sum2 + found[0][i * VARS + j] * dir[i] * dir[j];
                for k in 0..VARS {
                    let t = found[1][(i * VARS + j) * VARS + k] * dir[i] * dir[j] * dir[k];
                    size = size.max(t.value().abs());
                    sum3 = sum3 + t;
                }
            }
        }
        prop_assume!(wanted3.value().is_finite() && sum3.value().is_finite() && size < 1e9);
        prop_assert!(close(wanted2, sum2, size, known(&e, 1e-15)), "second of {e}: {:e}, {:e}", wanted2.value(), sum2.value());
        prop_assert!(close(wanted3, sum3, size, 1e-13), "third of {e}: {:e}, {:e}", wanted3.value(), sum3.value());
    }

    #[test]
    fn native_code_equals_the_tape_bit_for_bit(tree in raw(), x in point()) {
        let e = tree.expr(&exprs());
        prop_assume!(e.poisoned().is_none());
        let energy = Tensor::scalar(e.clone()).unwrap();
        let (Ok(gradient), Ok(hessian)) = (energy.gradient(&layout()), energy.hessian(&layout())) else { return Ok(()) };
        let build = |engine| {
            let b = FunctionBuilder::new().input(&layout()).output(&energy).output(&gradient).output(&hessian);
            b.engine(engine).compile().unwrap()
        };
        let run = |engine| {
            let f = build(engine);
            let mut work = f.workspace();
            let (mut a, mut b, mut c) = ([0.0], [0.0; VARS], [0.0; VARS * VARS]);
            f.call(&[&x], &mut [&mut a, &mut b, &mut c], &mut work).unwrap();
            a.iter().chain(&b).chain(&c).map(|v| if v.is_nan() { u64::MAX } else { v.to_bits() }).collect::<Vec<_>>()
        };
        prop_assert_eq!(run(Engine::Best), run(Engine::Tape), "{}", e);
    }
}

#[test]
fn most_random_expressions_are_really_compared() {
    // Guards the assumptions above: too strict a filter would make the properties empty.
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut kept = 0;
    for _ in 0..400 {
        let tree = raw().new_tree(&mut runner).unwrap().current();
        let x = point().new_tree(&mut runner).unwrap().current();
        let e = tree.expr(&exprs());
        kept += (e.poisoned().is_none() && !delicate(&tree, x) && !e.leaves().is_empty()) as usize;
    }
    assert!(kept > 120, "{kept} of 400");
}
