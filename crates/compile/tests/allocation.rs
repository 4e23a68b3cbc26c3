//! Calls and steps do not allocate, whatever the engine.
#![allow(unsafe_code)]

#[path = "common/rattle.rs"]
mod rattle;

use cotangent_compile::{Engine, Function, FunctionBuilder};
use cotangent_expr::{Array, Dim, Domain, Expr, Ix, Layout, Place, Role, Tensor, Term, rows, solve};
use rattle::{Mechanism, recorded};
use std::alloc::{GlobalAlloc, Layout as Size, System};
use std::cell::Cell;

/// Counts the allocations of this thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: forwards to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, size: Size) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, size: Size) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    f();
    COUNT.with(Cell::get) - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1]))), 1);
}

/// Families with tables and nested ranges, a banded solve and a root.
fn everything(engine: Engine) -> (Function, Vec<f64>) {
    let n = 100;
    let x = Array::given("x", Role::Coordinate, vec![Dim { first: 0, len: n }]);
    let layout = Layout::new(vec![x.clone()]);
    let at = |i: Ix| Expr::at(&x, vec![i]);
    let row = rows("row", n);
    let place = |i: Ix| Place { array: row.clone(), index: vec![i] };
    let last = n as i64 - 1;
    let next = || Ix::var(0).shifted(1).modulo(n as i64).unwrap_or_default();
    let ring = |value, column: Ix| Term {
        domain: Domain::range("i", 0, last),
        at: vec![place(Ix::var(0)), place(column)],
        value,
    };
    let rows_ = Layout::new(vec![row.clone()]);
    let matrix = Tensor::new(
        vec![rows_.clone(), rows_.clone()],
        vec![ring(at(Ix::var(0)).powi(2) + 4, Ix::var(0)), ring(Expr::one(), next())],
    )
    .unwrap();
    let rhs = Tensor::new(
        vec![rows_],
        vec![Term { domain: Domain::range("i", 0, last), at: vec![place(Ix::var(0))], value: at(next()) }],
    )
    .unwrap();
    let s = solve("s", &matrix, &rhs).unwrap();
    let u = rows("u", 1);
    let residual = Tensor::vector("u", vec![u.element(&[0]).powi(3) - 2 - s.element(&[0]).powi(2)]).unwrap();
    let root = Array::root("u", u, residual, Tensor::vector("u", vec![Expr::one()]).unwrap()).unwrap();
    let pairs = Domain::Ranges(vec![
        cotangent_expr::Range { name: "i".into(), low: Ix::constant(1), high: Ix::constant(last) },
        cotangent_expr::Range { name: "j".into(), low: Ix::constant(0), high: Ix::var(0).shifted(-1) },
    ]);
    let value = (at(Ix::var(0)) - Expr::at(&s, vec![Ix::var(1)])).powi(2) * root.element(&[0]);
    let energy = Tensor::new(vec![], vec![Term { domain: pairs, at: vec![], value }]).unwrap();
    let gradient = energy.gradient(&layout).unwrap();
    let f = FunctionBuilder::new().input(&layout).output(&energy).output(&gradient).engine(engine).compile().unwrap();
    (f, (0..n).map(|k| (k as f64).sin()).collect())
}

#[test]
fn calls_do_not_allocate() {
    for engine in [Engine::Best, Engine::Tape] {
        let (f, x) = everything(engine);
        let mut work = f.workspace();
        let (mut value, mut gradient) = ([0.0], vec![0.0; x.len()]);
        let count = allocations(|| f.call(&[&x], &mut [&mut value, &mut gradient], &mut work).unwrap());
        assert_eq!(count, 0, "{engine:?}");
        assert!(value[0].is_finite() && value[0] > 1.0);
    }
}

#[test]
fn steps_do_not_allocate() {
    let pendulum = Mechanism::new(include_str!("../../../models/pendulum.cot"), None);
    let chain = Mechanism::new(include_str!("../../../models/chain.cot"), Some(3));
    for ((mechanism, start), sign) in [(pendulum, -1.0), (chain, 1.0)] {
        for engine in [Engine::Best, Engine::Tape] {
            let step = recorded(&mechanism, sign, engine);
            let (mut z, mut work) = (start.clone(), step.workspace().unwrap());
            let count = allocations(|| step.advance(&mut z, &[0.01], 500, &mut work).unwrap());
            assert_eq!(count, 0, "{engine:?}");
        }
    }
}
