//! The body of a fuzz target: expressions from bytes, simplified, differentiated and compiled.

use crate::function::{Engine, FunctionBuilder};
use cotangent_expr::{Array, Expr, Function, Layout, Number, Role, Tensor};

/// Reads bytes as a stack program that builds an expression, and checks what must hold for every
/// expression: its canonical form is stable, it cancels against itself, prints within bounds, and its
/// value, gradient and Hessian are the same from both engines.
///
/// # Panics
/// If one of these does not hold: that is what a fuzzer looks for.
pub fn fuzz_algebra(data: &[u8]) {
    let arrays: Vec<Array> = ["x", "y", "z"].iter().map(|n| Array::scalar(n, Role::Coordinate)).collect();
    let layout = Layout::new(arrays.clone());
    let e = expression(&data[..data.len().min(MAX_BYTES)], &arrays);
    assert_eq!(e.rewrite(&mut |_| None), e, "the canonical form of {e} is stable");
    let again = expression(&data[..data.len().min(MAX_BYTES)], &arrays);
    assert!(e.poisoned().is_some() || (&e - again).is_zero(), "{e} cancels against itself");
    assert!(e.latex(&[]).len() <= 64 * e.size().min(1 << 20) as usize + 64);
    if e.poisoned().is_some() || e.size() > MAX_SIZE {
        return;
    }
    // An expression without a value is an error, never a panic.
    let Ok(value) = Tensor::scalar(e) else { return };
    let (Ok(gradient), Ok(hessian)) = (value.gradient(&layout), value.hessian(&layout)) else { return };
    let run = |engine| {
        let builder = FunctionBuilder::new().input(&layout).output(&value).output(&gradient).output(&hessian);
        let f = builder.engine(engine).compile().ok()?;
        let (mut a, mut b, mut c) = ([0.0], [0.0; 3], [0.0; 9]);
        f.call(&[&[0.7, 1.3, -0.4]], &mut [&mut a, &mut b, &mut c], &mut f.workspace()).ok()?;
        let bits = |v: &f64| if v.is_nan() { u64::MAX } else { v.to_bits() };
        Some(a.iter().chain(&b).chain(&c).map(bits).collect::<Vec<u64>>())
    };
    assert_eq!(run(Engine::Best), run(Engine::Tape), "both engines agree on {:?}", value.as_scalar());
}

/// Longer inputs are cut.
const MAX_BYTES: usize = 96;

/// Larger expressions (as trees) are not differentiated.
const MAX_SIZE: u64 = 400;

fn expression(data: &[u8], arrays: &[Array]) -> Expr {
    let mut stack: Vec<Expr> = vec![];
    let mut bytes = data.iter().copied();
    while let Some(op) = bytes.next() {
        let mut pop = || stack.pop().unwrap_or_else(Expr::one);
        let next = match op % 16 {
            0..=3 => Expr::from(&arrays[op as usize % 3]),
            4 => Expr::ratio(bytes.next().unwrap_or(1) as i8 as i64, (op / 16) as i64),
            5 => pop() + pop(),
            6 => pop() - pop(),
            7 | 8 => pop() * pop(),
            9 => pop() / pop(),
            10 => pop().powi((op / 16) as i64 - 6),
            11 => pop().pow(Number::ratio((op / 16) as i64 - 7, 1 + (op / 64) as i64).unwrap_or(Number::ONE)),
            12 => pop().power(&pop()),
            13 => Expr::call(Function::Stumpff((op / 16) as u32), vec![pop()]),
            _ => {
                let f = Function::NAMED[bytes.next().unwrap_or(0) as usize % Function::NAMED.len()];
                Expr::call(f, (0..f.arity()).map(|_| pop()).collect())
            }
        };
        stack.push(next);
    }
    Expr::sum(stack)
}
