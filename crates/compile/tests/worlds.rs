//! Random worlds of families, linear solves and roots that read one another: every derivative
//! against exact directional derivatives, every form of the same function against the others.

use cotangent_compile::{Function, FunctionBuilder};
use cotangent_expr::{
    Array, Dim, Domain, Expr, Function as F, Ix, Layout, Place, Range, Role, Table, Tensor, Term, rows, solve,
    solve_transposed,
};
use cotangent_scalar::{Dd, Dual, Real, Scalar};

const WORLDS: u64 = 200;

/// The length of every dimension.
const N: i64 = 4;

/// What double-double arithmetic leaves of an exact equality.
const TOLERANCE: f64 = 1e-24;

/// A linear congruential generator (Knuth, MMIX).
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Numbers in [−1/2, 1/2).
    fn point(&mut self, len: usize) -> Vec<f64> {
        (0..len).map(|_| self.below(1 << 20) as f64 / f64::from(1 << 20) - 0.5).collect()
    }
}

/// A chain of arrays, each defined by those before it.
struct World {
    draw: Draw,
    table: Table,
    state: Layout,
    arrays: Vec<Array>,
}

fn line() -> Vec<Dim> {
    vec![Dim { first: 0, len: N as usize }]
}

fn square() -> Vec<Dim> {
    [line(), line()].concat()
}

fn range(name: &str, low: impl Into<Ix>, high: impl Into<Ix>) -> Range {
    Range { name: name.into(), low: low.into(), high: high.into() }
}

/// The term `value(i)` at entry i, or at (i, i), for all i.
fn diagonal(space: &Array, rank: usize, value: Expr) -> Term {
    let place = Place { array: space.clone(), index: vec![Ix::var(0)] };
    Term { domain: Domain::range("i", 0, N - 1), at: vec![place; rank], value }
}

fn vector(space: &Array, terms: Vec<Term>) -> Tensor {
    Tensor::new(vec![Layout::new(vec![space.clone()])], terms).unwrap()
}

impl World {
    fn new(seed: u64) -> World {
        let mut draw = Draw(seed);
        (0..5).for_each(|_| _ = draw.below(3));
        let table = Table::new("t", line(), vec![3, 0, 2, 2]).unwrap();
        let arrays = vec![Array::given("x", Role::Coordinate, line()), Array::given("u", Role::Coordinate, square())];
        let mut world = World { draw, table, state: Layout::new(arrays.clone()), arrays };
        for depth in 0..1 + world.draw.below(2) {
            world.add_array(depth);
        }
        world
    }

    /// An index that stays in 0..N while the loop variables do.
    fn index(&mut self, vars: usize) -> Ix {
        let v = Ix::var(self.draw.below(vars) as u8);
        let w = Ix::var(self.draw.below(vars) as u8);
        match self.draw.below(9) {
            0 => Ix::constant(self.draw.below(N as usize) as i64),
            1 | 2 => v,
            3 => v.shifted(self.draw.below(20) as i64).modulo(N).unwrap(),
            4 => v.floor_div(2).unwrap(),
            5 => Ix::table(self.table.clone(), vec![v]),
            6 => v.times(2).plus(&w).modulo(N).unwrap(),
            7 => v.times(-1).shifted(N - 1),
            _ => v.plus(&w).floor_div(2).unwrap(),
        }
    }

    fn place(&mut self, array: &Array, vars: usize) -> Place {
        let index = array.dims().iter().map(|_| self.index(vars)).collect();
        Place { array: array.clone(), index }
    }

    /// Intervals, the square, triangles, points of which one is twice there, nothing.
    fn domain(&mut self) -> Domain {
        let i = Ix::var(0);
        match self.draw.below(7) {
            0 => Domain::range("i", 0, N - 1),
            1 => Domain::range("i", 1, N - 2),
            2 => Domain::Ranges(vec![range("i", 0, N - 1), range("j", 0, i)]),
            3 => Domain::Ranges(vec![range("i", 0, N - 1), range("j", 0, N - 1)]),
            4 => Domain::from_points(vec!["i".into(), "j".into()], vec![0, 3, 2, 2, 3, 1, 0, 3, 1, 0]),
            5 => Domain::range("i", 2, 1),
            _ => Domain::Ranges(vec![range("i", 1, N - 1), range("j", i.shifted(-1), i.floor_div(2).unwrap())]),
        }
    }

    /// An element of one of the arrays, the later ones more often.
    fn leaf(&mut self, vars: usize) -> Expr {
        let pick = self.draw.below(2 * self.arrays.len() - 2);
        let array = self.arrays[if pick < self.arrays.len() { pick } else { pick - self.arrays.len() + 2 }].clone();
        let Place { array, index } = self.place(&array, vars);
        Expr::at(&array, index)
    }

    /// A smooth function of two elements.
    fn value(&mut self, vars: usize) -> Expr {
        let (a, b) = (self.leaf(vars), self.leaf(vars));
        let i = Expr::index(Ix::var(self.draw.below(vars) as u8));
        match self.draw.below(6) {
            0 => a * b,
            1 => Expr::call(F::Sin, vec![a + b * 2]),
            2 => (a.powi(2) + b.powi(2) + 1).sqrt(),
            3 => a * (i + 1) - b / 3,
            4 => Expr::call(F::Exp, vec![-a.powi(2)]) * b,
            _ => Expr::call(F::Cos, vec![&a * &b]) + a,
        }
    }

    /// Terms of a tensor with one slot for each of `to`.
    fn terms(&mut self, count: usize, to: &[&Array], scale: &Expr) -> Vec<Term> {
        (0..count)
            .map(|_| {
                let domain = self.domain();
                let vars = domain.arity();
                let at = to.iter().map(|a| self.place(a, vars)).collect();
                Term { domain, at, value: scale * self.value(vars) }
            })
            .collect()
    }

    fn add_array(&mut self, depth: usize) {
        let array = match self.draw.below(5) {
            0 => self.defined("d", line(), &Expr::one()),
            1 => self.defined("e", square(), &Expr::ratio(1, 2)),
            2 => self.solved(false),
            3 => self.solved(true),
            _ => self.root(depth),
        };
        self.arrays.push(array);
    }

    fn defined(&mut self, name: &str, dims: Vec<Dim>, scale: &Expr) -> Array {
        let space = Array::given(name, Role::Auxiliary, dims.clone());
        let terms = self.terms(2, &[&space], scale);
        Array::defined(name, dims, vector(&space, terms))
    }

    /// The solution of A x = b or Aᵀx = b with a dominant diagonal in A; one b or N of them.
    fn solved(&mut self, several: bool) -> Array {
        let (space, columns) = (rows("s", N as usize), rows("c", N as usize));
        let mut matrix = self.terms(1, &[&space, &space], &Expr::ratio(1, 60));
        matrix.push(diagonal(&space, 2, Expr::index(Ix::var(0)) + 9));
        let to = if several { vec![&space, &columns] } else { vec![&space] };
        let rhs = self.terms(2, &to, &Expr::one());
        let layout = |a: &Array| Layout::new(vec![a.clone()]);
        let matrix = Tensor::new(vec![layout(&space); 2], matrix).unwrap();
        let rhs = Tensor::new(to.into_iter().map(layout).collect(), rhs).unwrap();
        if self.draw.flip() { solve("s", &matrix, &rhs) } else { solve_transposed("s", &matrix, &rhs) }.unwrap()
    }

    /// The root w of 8 w + w³/10 + f + g(w, sin w)/90 = 0, f and g random.
    fn root(&mut self, depth: usize) -> Array {
        let (unknown, space) = (rows(&format!("w{depth}"), N as usize), rows("q", N as usize));
        let w = Expr::at(&unknown, vec![Ix::var(0)]);
        let sine = diagonal(&space, 1, Expr::call(F::Sin, vec![w.clone()]));
        let sine = Array::defined("sine", line(), vector(&space, vec![sine]));
        let mut residual = self.terms(2, &[&space], &Expr::ratio(1, 2));
        let outside = self.arrays.len();
        self.arrays.extend([unknown.clone(), sine]);
        residual.extend(self.terms(1, &[&space], &Expr::ratio(1, 90)));
        self.arrays.truncate(outside);
        residual.push(diagonal(&space, 1, &w * 8 + w.powi(3) / 10));
        Array::root("q", unknown, vector(&space, residual), vector(&space, vec![])).unwrap()
    }

    fn energy(&mut self) -> Tensor {
        let terms = self.terms(3, &[], &Expr::one());
        Tensor::new(vec![], terms).unwrap()
    }
}

/// A result, or why it could not be computed.
type Checked<T> = Result<T, Box<dyn std::error::Error>>;

fn call_in<S: Real>(f: &Function, x: &[S]) -> Checked<Vec<Vec<S>>> {
    let mut work = f.workspace_in::<S>()?;
    let mut out: Vec<Vec<S>> = f.program().outputs.iter().map(|&n| vec![S::from_f64(f64::NAN); n]).collect();
    let mut slices: Vec<&mut [S]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call_in(&[x], &mut slices, &mut work)?;
    Ok(out)
}

fn native(f: &Function, x: &[f64]) -> Checked<Vec<Vec<f64>>> {
    let mut work = f.workspace();
    let mut out: Vec<Vec<f64>> = f.program().outputs.iter().map(|&n| vec![f64::NAN; n]).collect();
    let mut slices: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call(&[x], &mut slices, &mut work)?;
    Ok(out)
}

fn bits(v: &[Vec<f64>]) -> Vec<Vec<u64>> {
    v.iter().map(|v| v.iter().map(|x| x.to_bits()).collect()).collect()
}

/// Values and their derivatives along a direction, from one call in dual numbers.
fn along(f: &Function, x: &[f64], direction: &[f64]) -> Checked<[Vec<Vec<Dd>>; 2]> {
    let dual = |(&x, &d): (&f64, &f64)| Dual { value: Dd::from_f64(x), tangent: [Dd::from_f64(d)] };
    let x: Vec<Dual<Dd>> = x.iter().zip(direction).map(dual).collect();
    let out = call_in(f, &x)?;
    let part = |part: fn(&Dual<Dd>) -> Dd| out.iter().map(|v| v.iter().map(part).collect()).collect();
    Ok([part(|v| v.value), part(|v| v.tangent[0])])
}

/// Asserts that two vectors agree relative to the largest entry (or 1).
fn assert_same(found: &[Dd], wanted: &[Dd], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}: lengths");
    let scale = wanted.iter().map(|v| v.value().abs()).fold(1.0, f64::max);
    for (k, (&a, &b)) in found.iter().zip(wanted).enumerate() {
        let error = (a - b).value().abs() / scale;
        assert!(error <= TOLERANCE, "{what}, entry {k}: {} against {}, error {error:e}", a.value(), b.value());
    }
}

fn times(matrix: &[Dd], direction: &[f64]) -> Vec<Dd> {
    let product =
        |row: &[Dd]| row.iter().zip(direction).fold(Dd::from_f64(0.0), |sum, (&a, &d)| sum + a * Dd::from_f64(d));
    matrix.chunks_exact(direction.len()).map(product).collect()
}

/// Checks a world's energy; returns whether its gradient and its Hessian are not zero.
fn check(seed: u64) -> Checked<(bool, bool)> {
    let mut world = World::new(seed);
    let (energy, state) = (world.energy(), world.state);
    let mut draw = Draw(seed * 7);
    let (x, direction) = (draw.point(state.len()), draw.point(state.len()));
    let (gradient, forward) = (energy.gradient(&state)?, energy.jacobian(&state)?);
    let hessian = gradient.jacobian(&state)?;
    let builder = FunctionBuilder::new().input(&state).output(&energy).output(&gradient);
    let f = builder.output(&forward).output(&hessian).sparse_output(&hessian).compile()?;

    let [v, slope] = along(&f, &x, &direction)?;
    assert_same(&v[1], &v[2], &format!("seed {seed}: reverse and forward"));
    assert_same(&times(&v[1], &direction), &slope[0], &format!("seed {seed}: gradient along a direction"));
    assert_same(&times(&v[3], &direction), &slope[1], &format!("seed {seed}: Hessian along a direction"));

    let mut dense = vec![Dd::from_f64(0.0); v[3].len()];
    for ((row, column), &value) in f.pattern(4).ok_or("no pattern")?.addresses().zip(&v[4]) {
        dense[row as usize * state.len() + column as usize] = value;
    }
    assert_same(&dense, &v[3], &format!("seed {seed}: sparse and dense Hessian"));

    let expanded = energy.expand()?;
    let written_out = FunctionBuilder::new().input(&state).output(&expanded);
    let written_out = written_out.output(&expanded.gradient(&state)?).compile()?;
    let [w, _] = along(&written_out, &x, &direction)?;
    assert_same(&v[0], &w[0], &format!("seed {seed}: energy written out"));
    assert_same(&v[1], &w[1], &format!("seed {seed}: gradient written out"));

    for f in [&f, &written_out] {
        assert_eq!(bits(&native(f, &x)?), bits(&call_in(f, &x)?), "seed {seed}: native code and tape");
    }
    let moves = |k: usize| v[k].iter().any(|e| e.value().abs() > 1e-6);
    Ok((moves(1), moves(3)))
}

#[test]
fn derivatives_of_random_worlds_are_exact() {
    let checked = |seed| check(seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let worlds: Vec<(bool, bool)> = (1..=WORLDS).map(checked).collect();
    let curved = worlds.iter().filter(|&&(slope, curvature)| slope && curvature).count() as u64;
    assert!(curved * 10 > WORLDS * 9, "only {curved} worlds with derivatives worth testing");
}
