//! Linear solves and roots, and their derivatives, against explicit formulas.

use cotangent_compile::program::Instruction;
use cotangent_compile::{CallError, Engine, Function, FunctionBuilder};
use cotangent_dynamics::Unsolved;
use cotangent_expr::{Array, Dim, Domain, Expr, Function as F, Ix, Layout, Place, Role, Tensor, Term, rows, solve};

use cotangent_scalar::{Dd, Real};

fn vars() -> (Layout, Expr, Expr, Expr) {
    let arrays: Vec<Array> = ["x", "y", "z"].iter().map(|n| Array::scalar(n, Role::Coordinate)).collect();
    let e: Vec<Expr> = arrays.iter().map(Expr::from).collect();
    (Layout::new(arrays), e[0].clone(), e[1].clone(), e[2].clone())
}

const POINT: [f64; 3] = [0.7, 0.4, -1.3];

fn compile(by: &Layout, tensors: &[Tensor], engine: Engine) -> Function {
    tensors.iter().fold(FunctionBuilder::new().input(by), |b, t| b.output(t)).engine(engine).compile().unwrap()
}

fn values<S: Real>(f: &Function, x: &[f64]) -> Vec<Vec<f64>> {
    let x: Vec<S> = x.iter().map(|&v| S::from_f64(v)).collect();
    let mut work = f.workspace_in::<S>().unwrap();
    let mut out: Vec<Vec<S>> = f.program().outputs.iter().map(|&n| vec![S::from_f64(0.0); n]).collect();
    let mut slices: Vec<&mut [S]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call_in(&[&x], &mut slices, &mut work).unwrap();
    out.iter().map(|v| v.iter().map(|s| s.value()).collect()).collect()
}

fn native(f: &Function, x: &[f64]) -> Vec<Vec<f64>> {
    let mut work = f.workspace();
    let mut out: Vec<Vec<f64>> = f.program().outputs.iter().map(|&n| vec![0.0; n]).collect();
    let mut slices: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call(&[x], &mut slices, &mut work).unwrap();
    out
}

/// Compares value, gradient, Hessian and third derivatives of two scalars, in double-double, and
/// native code with the tape.
fn same_function(by: &Layout, implicit: &Expr, explicit: &Expr, x: &[f64]) {
    let all = |e: &Expr| {
        let value = Tensor::scalar(e.clone()).unwrap();
        let (gradient, hessian) = (value.gradient(by).unwrap(), value.hessian(by).unwrap());
        let forward = value.jacobian(by).unwrap();
        let third = hessian.jacobian(by).unwrap();
        [value, gradient, forward, hessian, third]
    };
    let (a, b) = (compile(by, &all(implicit), Engine::Best), compile(by, &all(explicit), Engine::Tape));
    let (va, vb) = (values::<Dd>(&a, x), values::<Dd>(&b, x));
    for (k, (p, q)) in va.iter().zip(&vb).enumerate() {
        for (u, v) in p.iter().zip(q) {
            assert!((u - v).abs() <= 1e-13 * v.abs().max(1.0), "order {k}: {u} against {v}");
        }
    }
    assert!(vb[1].iter().any(|v| v.abs() > 1e-3), "a derivative worth testing");
    assert_eq!(native(&a, x), values::<f64>(&a, x));
}

#[test]
fn a_linear_solve_equals_cramers_rule() {
    let (by, x, y, z) = vars();
    let a = [[x.powi(2) + 2, x.clone() * &z], [y.clone(), Expr::call(F::Cos, vec![z.clone()]) + 3]];
    let b = [&x * &y, z.powi(3) + 1];
    let matrix = Tensor::matrix("row", a.iter().map(|r| r.to_vec()).collect()).unwrap();
    let rhs = Tensor::vector("row", b.to_vec()).unwrap();
    let s = solve("s", &matrix, &rhs).unwrap();
    let det = &a[0][0] * &a[1][1] - &a[0][1] * &a[1][0];
    let explicit = [(&b[0] * &a[1][1] - &a[0][1] * &b[1]) / &det, (&a[0][0] * &b[1] - &b[0] * &a[1][0]) / &det];
    let f = |u: &Expr, v: &Expr| u * v.powi(2) + &x * u;
    same_function(&by, &f(&s.element(&[0]), &s.element(&[1])), &f(&explicit[0], &explicit[1]), &POINT);
}

#[test]
fn a_solve_of_one_equation_is_a_quotient() {
    let (by, x, y, z) = vars();
    let matrix = Tensor::matrix("row", vec![vec![x.powi(2) + y.powi(2)]]).unwrap();
    let s = solve("mu", &matrix, &Tensor::vector("row", vec![z.powi(2) - &y]).unwrap()).unwrap();
    let explicit = (z.powi(2) - &y) / (x.powi(2) + y.powi(2));
    same_function(&by, &(s.element(&[0]) * &x), &(&explicit * &x), &POINT);
    let f = compile(&by, &[Tensor::scalar(s.element(&[0])).unwrap()], Engine::Tape);
    assert!(f.program().systems.is_empty());
}

#[test]
fn a_solve_inside_a_solve() {
    let (by, x, y, z) = vars();
    let m = |name: &str, d: &Expr, o: &Expr| {
        Tensor::matrix(name, vec![vec![d + 3, o.clone()], vec![o.clone(), d + 4]]).unwrap()
    };
    let inner = solve("u", &m("r", &x.powi(2), &y), &Tensor::vector("r", vec![z.clone(), x.clone()]).unwrap()).unwrap();
    let (u0, u1) = (inner.element(&[0]), inner.element(&[1]));
    let outer =
        solve("w", &m("r", &u0.powi(2), &z), &Tensor::vector("r", vec![u1.clone(), y.clone()]).unwrap()).unwrap();
    let cramer = |d: &Expr, o: &Expr, p: &Expr, q: &Expr| {
        let det = (d + 3) * (d + 4) - o.powi(2);
        ((p * (d + 4) - o * q) / &det, ((d + 3) * q - o * p) / &det)
    };
    let (e0, e1) = cramer(&x.powi(2), &y, &z, &x);
    let (w0, w1) = cramer(&e0.powi(2), &z, &e1, &y);
    same_function(&by, &(outer.element(&[0]) * outer.element(&[1])), &(w0 * w1), &POINT);
}

#[test]
fn derivatives_share_the_factorisation() {
    let (by, x, y, z) = vars();
    let matrix = Tensor::matrix("row", vec![vec![&x + 3, y.clone()], vec![y.clone(), &z + 4]]).unwrap();
    let s = solve("s", &matrix, &Tensor::vector("row", vec![x.clone(), y.clone()]).unwrap()).unwrap();
    let value = Tensor::scalar(s.element(&[0]) * s.element(&[1])).unwrap();
    let f = compile(&by, &[value.clone(), value.gradient(&by).unwrap(), value.hessian(&by).unwrap()], Engine::Tape);
    let factorisations = f.program().instructions.iter().filter(|s| matches!(s, Instruction::Factor { .. })).count();
    assert_eq!(factorisations, 1);
}

#[test]
fn a_root_equals_its_closed_form() {
    // r cos t = x, r sin t = y: r = √(x² + y²), t = atan2(y, x).
    let (by, x, y, z) = vars();
    let u = rows("u", 2);
    let (r, t) = (u.element(&[0]), u.element(&[1]));
    let residual = vec![&r * Expr::call(F::Cos, vec![t.clone()]) - &x, &r * Expr::call(F::Sin, vec![t.clone()]) - &y];
    let start = Tensor::vector("u", vec![Expr::one(), Expr::ratio(1, 2)]).unwrap();
    let root = Array::root("polar", u, Tensor::vector("u", residual).unwrap(), start).unwrap();
    let radius = (x.powi(2) + y.powi(2)).sqrt();
    let angle = Expr::call(F::Atan2, vec![y.clone(), x.clone()]);
    let f = |r: &Expr, t: &Expr| r.powi(3) * t + &z * t.powi(2) + r;
    same_function(&by, &f(&root.element(&[0]), &root.element(&[1])), &f(&radius, &angle), &POINT);
}

#[test]
fn a_root_whose_residual_holds_a_sum_of_the_unknown() {
    // Σ_{i=1..3} i·u = x + y², so u = (x + y²)/6; the sum is an array of its own.
    let (by, x, y, z) = vars();
    let u = rows("u", 1);
    let space = Array::scalar("total", Role::Auxiliary);
    let total = Tensor::new(
        vec![Layout::new(vec![space.clone()])],
        vec![Term {
            domain: Domain::range("i", 1, 3),
            at: vec![Place { array: space, index: vec![] }],
            value: Expr::index(Ix::var(0)) * u.element(&[0]),
        }],
    )
    .unwrap();
    let total = Expr::from(&Array::defined("total", vec![], total));
    let residual = Tensor::vector("u", vec![total.powi(3) - (&x + y.powi(2)).powi(3)]).unwrap();
    let root = Array::root("u", u, residual, Tensor::vector("u", vec![Expr::one()]).unwrap()).unwrap();
    let explicit = (&x + y.powi(2)) / 6;
    same_function(&by, &(root.element(&[0]).powi(2) * &z), &(explicit.powi(2) * &z), &POINT);
}

/// A tridiagonal family: (3 + x_i²) s_i − s_{i−1} − s_{i+1} = x_i, energy Σ s_i².
fn tridiagonal(n: i64) -> (Layout, Tensor) {
    let x = Array::given("x", Role::Coordinate, vec![Dim { first: 0, len: n as usize }]);
    let row = rows("row", n as usize);
    let at = |shift: i64| Place { array: row.clone(), index: vec![Ix::var(0).shifted(shift)] };
    let xi = Expr::at(&x, vec![Ix::var(0)]);
    let term =
        |low, high, column, value| Term { domain: Domain::range("i", low, high), at: vec![at(0), at(column)], value };
    let layout = Layout::new(vec![row.clone()]);
    let matrix = Tensor::new(
        vec![layout.clone(), layout.clone()],
        vec![
            term(0, n - 1, 0, xi.powi(2) + 3),
            term(1, n - 1, -1, Expr::number(-1)),
            term(0, n - 2, 1, Expr::number(-1)),
        ],
    );
    let rhs =
        Tensor::new(vec![layout], vec![Term { domain: Domain::range("i", 0, n - 1), at: vec![at(0)], value: xi }]);
    let s = solve("s", &matrix.unwrap(), &rhs.unwrap()).unwrap();
    let value = Expr::at(&s, vec![Ix::var(0)]).powi(2);
    (
        Layout::new(vec![x]),
        Tensor::new(vec![], vec![Term { domain: Domain::range("i", 0, n - 1), at: vec![], value }]).unwrap(),
    )
}

#[test]
fn a_family_of_equations_equals_its_expanded_form() {
    let n = 60;
    let (by, energy) = tridiagonal(n);
    let tensors = |e: &Tensor| vec![e.clone(), e.gradient(&by).unwrap(), e.hessian(&by).unwrap()];
    let family = compile(&by, &tensors(&energy), Engine::Best);
    let expanded = compile(&by, &tensors(&energy.expand().unwrap()), Engine::Tape);
    let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
    let (a, b) = (native(&family, &x), values::<Dd>(&expanded, &x));
    for (p, q) in a.iter().zip(&b) {
        for (u, v) in p.iter().zip(q) {
            assert!((u - v).abs() <= 1e-12, "{u} against {v}");
        }
    }
    assert_eq!(a, values::<f64>(&family, &x));
    // Against a direct elimination of the same equations.
    let mut d: Vec<f64> = x.iter().map(|x| x * x + 3.0).collect();
    let mut r = x.clone();
    for i in 1..n as usize {
        let w = 1.0 / d[i - 1];
        d[i] -= w;
        r[i] += w * r[i - 1];
    }
    let mut s = vec![0.0; n as usize];
    for i in (0..n as usize).rev() {
        s[i] = (r[i] + s.get(i + 1).copied().unwrap_or(0.0)) / d[i];
    }
    let direct: f64 = s.iter().map(|s| s * s).sum();
    assert!((a[0][0] - direct).abs() < 1e-13 * direct);
}

#[test]
fn singular_and_rootless_systems_are_reported_by_name() {
    let (by, x, y, _) = vars();
    let matrix = Tensor::matrix("row", vec![vec![x.clone(), y.clone()], vec![2 * &x, 2 * &y]]).unwrap();
    let s = solve("lambda", &matrix, &Tensor::vector("row", vec![x.clone(), x.clone()]).unwrap()).unwrap();
    let f = compile(&by, &[Tensor::scalar(s.element(&[0])).unwrap()], Engine::Best);
    let error = f.call(&[&POINT], &mut [&mut [0.0]], &mut f.workspace()).unwrap_err();
    assert!(
        matches!(&error, CallError::Implicit(i) if i.name == "lambda" && matches!(i.cause, Unsolved::Linear(_))),
        "{error:?}"
    );

    let u = rows("u", 1);
    let residual = Tensor::vector("u", vec![u.element(&[0]).powi(2) + x.powi(2)]).unwrap();
    let root = Array::root("striction", u, residual, Tensor::vector("u", vec![Expr::one()]).unwrap()).unwrap();
    let f = compile(&by, &[Tensor::scalar(root.element(&[0])).unwrap()], Engine::Best);
    let error = f.call(&[&POINT], &mut [&mut [0.0]], &mut f.workspace()).unwrap_err();
    assert!(
        matches!(&error, CallError::Implicit(i) if i.name == "striction" && matches!(i.cause, Unsolved::Newton(_))),
        "{error:?}"
    );
}

#[test]
fn functions_and_steps_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Function>();
    shared::<cotangent_compile::Step>();
    shared::<Expr>();
    shared::<Tensor>();
    let (by, x, y, _) = vars();
    let f = compile(&by, &[Tensor::scalar(x * y).unwrap()], Engine::Best);
    let total: f64 = std::thread::scope(|scope| {
        let run = |k: usize| {
            let f = &f;
            scope.spawn(move || native(f, &[k as f64, 2.0, 0.0])[0][0])
        };
        (0..4).map(run).collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(total, 12.0);
}

#[test]
fn a_workspace_of_another_function_is_refused() {
    let (by, x, y, _) = vars();
    let f = compile(&by, &[Tensor::scalar(&x * &y).unwrap()], Engine::Best);
    let g = compile(&by, &[Tensor::scalar(&x + &y).unwrap()], Engine::Best);
    let error = f.call(&[&POINT], &mut [&mut [0.0]], &mut g.workspace()).unwrap_err();
    assert_eq!(error.to_string(), "the workspace was made for another function");
    let error = f.call(&[&POINT[..2]], &mut [&mut [0.0]], &mut f.workspace()).unwrap_err();
    assert_eq!(error.to_string(), "input 0 has length 2, expected 3");
    let error = f.call(&[], &mut [&mut [0.0]], &mut f.workspace()).unwrap_err();
    assert_eq!(error.to_string(), "0 input vectors given, expected 1");
}

#[test]
fn equations_of_the_wrong_shape_are_refused() {
    let (_, x, y, _) = vars();
    let matrix = Tensor::matrix("row", vec![vec![x.clone(), y.clone()], vec![y.clone(), x.clone()]]).unwrap();
    assert!(solve("s", &matrix, &Tensor::vector("row", vec![x.clone()]).unwrap()).is_err());
    assert!(solve("s", &Tensor::scalar(x.clone()).unwrap(), &Tensor::vector("row", vec![x.clone()]).unwrap()).is_err());
    let u = rows("u", 2);
    let one = Tensor::vector("u", vec![u.element(&[0]) - &x]).unwrap();
    assert!(Array::root("u", u, one.clone(), one).is_err());
}

/// z (atan u − x) = 0 from u = 2, where full steps of Newton's method diverge: u = tan x, whatever unit z stands for.
#[test]
fn a_root_is_found_in_any_units() {
    let (by, x, _, z) = vars();
    let u = rows("u", 1);
    let residual = &z * (Expr::call(F::Atan, vec![u.element(&[0])]) - &x);
    let start = Tensor::vector("u", vec![Expr::number(2)]).unwrap();
    let root = Array::root("u", u, Tensor::vector("u", vec![residual]).unwrap(), start).unwrap();
    let f = compile(&by, &[Tensor::scalar(root.element(&[0])).unwrap()], Engine::Best);
    for unit in [1e-40, 1e-27, 1e-12, 1e-7, 1.0, 1e7, 1e24, 1e40] {
        for angle in [0.0, 1e-9, 0.3, -1.2, 1.5] {
            let (found, exact) = (native(&f, &[angle, 0.0, unit])[0][0], f64::tan(angle));
            assert!(
                (found - exact).abs() <= 4.0 * f64::EPSILON * exact.abs().max(1.0) * exact.abs().max(1.0),
                "{unit:e}, {angle}: {found} against {exact}"
            );
        }
    }
}

#[test]
fn roots_written_with_the_same_unknown_stay_apart() {
    // u² = x, then w³ = u and v³ = y, all with one array for the unknown.
    let (by, x, y, z) = vars();
    let u = rows("u", 1);
    let e = u.element(&[0]);
    let one = Tensor::vector("u", vec![Expr::one()]).unwrap();
    let root =
        |name: &str, r: Expr| Array::root(name, u.clone(), Tensor::vector("u", vec![r]).unwrap(), one.clone()).unwrap();
    let square = root("square", e.powi(2) - &x).element(&[0]);
    let sixth = root("sixth", e.powi(3) - &square).element(&[0]);
    let cube = root("cube", e.powi(3) - &y).element(&[0]);
    let third = cotangent_expr::Number::ratio(1, 3).unwrap();
    let explicit = (x.sqrt().pow(third) + y.pow(third)) * &z + x.sqrt();
    same_function(&by, &((sixth + cube) * &z + square), &explicit, &POINT);
}

#[test]
fn a_scalar_may_be_defined_by_a_scalar() {
    let (by, x, y, _) = vars();
    let d = Expr::from(&Array::defined("d", vec![], Tensor::scalar(&x * &y).unwrap()));
    same_function(&by, &(d.powi(2) + &x), &((&x * &y).powi(2) + &x), &POINT);
}

#[test]
fn what_could_leave_its_memory_is_refused() {
    let x = Array::scalar("x", Role::Coordinate);
    let by = Layout::new(vec![x.clone()]);
    let table = cotangent_expr::Table::new("t", vec![Dim { first: 0, len: 3 }], vec![1, 2, 3]).unwrap();
    let term = |domain: Domain, value: Expr| Tensor::new(vec![], vec![Term { domain, at: vec![], value }]);
    // A loop variable that nothing binds.
    assert!(term(Domain::point(), Expr::index(Ix::var(3))).is_err());
    // A table left by an index used as a number.
    let beyond = Expr::index(Ix::table(table.clone(), vec![Ix::var(0).times(100_000)])) * Expr::from(&x);
    let outside = term(Domain::range("i", 0, 99), beyond);
    let refused = |t: &Tensor| FunctionBuilder::new().input(&by).output(t).compile().is_err();
    assert!(outside.is_err() || refused(&outside.unwrap()));
    // A range that ends at an entry beyond the table.
    let ranges = Domain::Ranges(vec![
        cotangent_expr::Range { name: "i".into(), low: Ix::constant(0), high: Ix::constant(99) },
        cotangent_expr::Range { name: "j".into(), low: Ix::constant(1), high: Ix::table(table, vec![Ix::var(0)]) },
    ]);
    assert!(term(ranges, Expr::from(&x)).is_err());
    // The same array in two inputs.
    let value = Tensor::scalar(Expr::from(&x)).unwrap();
    assert!(FunctionBuilder::new().input(&by).input(&by).output(&value).compile().is_err());
}
