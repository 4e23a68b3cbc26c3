//! Work in proportion to what an expression shares, and derivations that stop when asked to.

use cotangent_compile::{CompileError, Engine, FunctionBuilder};
use cotangent_expr::{Array, Error, Expr, Function, Layout, Role, Tensor};
use cotangent_model::System;
use cotangent_problem::{Model, ProblemError, Repairs};
use cotangent_scalar::Limits;
use cotangent_theory::{Formulation, TheoryError};

fn call(f: Function, x: &Expr) -> Expr {
    Expr::call(f, vec![x.clone()])
}

/// (instructions of value, gradient and Hessian, their values at x) for aₙ of a recursion.
fn chain(n: usize, next: &dyn Fn(&Expr) -> Expr, x: f64) -> (usize, [f64; 3]) {
    let q = Array::scalar("x", Role::Coordinate);
    let last = (0..n).fold(Expr::from(&q), |a, _| next(&a));
    let layout = Layout::new(vec![q]);
    let value = Tensor::scalar(last).unwrap();
    let builder = FunctionBuilder::new().input(&layout).output(&value).output(&value.gradient(&layout).unwrap());
    let f = builder.output(&value.hessian(&layout).unwrap()).engine(Engine::Tape).compile().unwrap();
    let (mut a, mut b, mut c) = ([0.0], [0.0], [0.0]);
    f.call(&[&[x]], &mut [&mut a, &mut b, &mut c], &mut f.workspace()).unwrap();
    (f.program().len(), [a[0], b[0], c[0]])
}

/// The same by the chain rule, number by number: g(a), g'(a) and g''(a) of one step.
fn by_hand(n: usize, step: &dyn Fn(f64) -> [f64; 3], x: f64) -> [f64; 3] {
    (0..n).fold([x, 1.0, 0.0], |[a, d, dd], _| {
        let [g, slope, curvature] = step(a);
        [g, slope * d, curvature * d * d + slope * dd]
    })
}

#[test]
fn chains_are_compiled_in_proportion_to_their_length() {
    type Symbols<'a> = &'a dyn Fn(&Expr) -> Expr;
    type Numbers<'a> = &'a dyn Fn(f64) -> [f64; 3];
    let cases: [(Symbols<'_>, Numbers<'_>, f64); 3] = [
        (&|a| a * call(Function::Sin, a), &|a| [a * a.sin(), a.sin() + a * a.cos(), 2.0 * a.cos() - a * a.sin()], 1.6),
        (
            &|a| a * call(Function::Exp, &(-a.powi(2))),
            &|a| {
                let e = (-a * a).exp();
                [a * e, (1.0 - 2.0 * a * a) * e, (4.0 * a * a * a - 6.0 * a) * e]
            },
            0.2,
        ),
        (
            &|a| a * call(Function::Cos, a) * call(Function::Cosh, a),
            &|a| {
                let (c, s, h, k) = (a.cos(), a.sin(), a.cosh(), a.sinh());
                [a * c * h, c * h - a * s * h + a * c * k, 2.0 * (c * k - s * h) - 2.0 * a * s * k]
            },
            0.3,
        ),
    ];
    for (k, (symbols, numbers, x)) in cases.into_iter().enumerate() {
        let ((short, _), (long, found)) = (chain(40, symbols, x), chain(80, symbols, x));
        assert!(long < 3 * short && short < 20_000, "case {k}: {short}, {long}");
        for (found, known) in found.into_iter().zip(by_hand(80, numbers, x)) {
            assert!((found - known).abs() <= 1e-10 * (1.0 + known.abs()), "case {k}: {found}, {known}");
        }
    }
}

#[test]
fn a_long_product_has_a_gradient_that_is_not_much_longer() {
    let instructions = |n: usize| {
        let all: Vec<Array> = (0..n).map(|k| Array::scalar(&format!("x{k}"), Role::Coordinate)).collect();
        let layout = Layout::new(all.clone());
        let value = Tensor::scalar(Expr::product(all.iter().map(Expr::from))).unwrap();
        let gradient = value.gradient(&layout).unwrap();
        let f = FunctionBuilder::new().input(&layout).output(&gradient).engine(Engine::Tape).compile().unwrap();
        let x: Vec<f64> = (0..n).map(|k| if k == 3 { 0.0 } else { 1.0 + 1.0 / (k + 2) as f64 }).collect();
        let mut out = vec![0.0; n];
        f.call(&[&x], &mut [&mut out], &mut f.workspace()).unwrap();
        let others: f64 = (0..n).filter(|&k| k != 3).map(|k| x[k]).product();
        for (k, slope) in out.into_iter().enumerate() {
            let known = if k == 3 { others } else { 0.0 };
            assert!((slope - known).abs() <= 1e-12 * others, "{k}: {slope}, {known}");
        }
        f.program().len()
    };
    let (short, long) = (instructions(200), instructions(800));
    assert!(long < 6 * short, "{short}, {long}");
}

#[test]
fn derivations_and_compilations_end_when_asked_to() {
    let limits = Limits::default();
    limits.cancel.set();
    let system =
        System::parse("coord x, y\nlagrangian x'^2/2 + y'^2/2 - y\nconstraint c: x^2 + y^2 = 1\ninitial x = 1\n")
            .unwrap();
    let others = |f: &Formulation| *f == Formulation::IndexOne || f.is_for_brackets() || f.has_time();
    for formulation in Formulation::ALL.into_iter().filter(|f| !others(f)) {
        let stopped = formulation.apply_within(&system, &limits).err();
        assert!(matches!(stopped, Some(TheoryError::Expression(Error::Interrupted(_)))), "{}", formulation.name());
        let posed = std::sync::Arc::new(Model::new(&system, &limits))
            .instance(formulation, &[], Repairs::default(), Engine::Best)
            .err();
        assert!(matches!(posed, Some(ProblemError::Compile(CompileError::Expression(Error::Interrupted(_))))));
    }
    let x = Array::scalar("x", Role::Coordinate);
    let layout = Layout::new(vec![x.clone()]);
    let value = Tensor::scalar(Expr::from(&x).powi(2)).unwrap();
    let stopped = FunctionBuilder::new().input(&layout).output(&value).within(&limits).compile().err();
    assert_eq!(stopped, Some(CompileError::Expression(Error::Interrupted(cotangent_scalar::Interrupted))));
    assert!(matches!(value.hessian_within(&layout, &limits), Err(Error::Interrupted(_))));
}
