//! From tensors to programs to native code: against the tape bit for bit, and against loops
//! written down directly.

use cotangent_compile::program::{Binary, Instruction, Kernel, Op, Unary, Write};
use cotangent_compile::{Engine, Function, FunctionBuilder, UNROLL};
use cotangent_expr::{
    Array, Domain, Expr, Function as F, Ix, Layout, Place, Range, Role, Tensor, Term, rows, solve, solve_transposed,
};
use cotangent_scalar::{Dd, Real, Scalar};

/// Native straight-line code longer than this is cut into pieces.
const PIECE: usize = 2000;

/// More than is written out without a loop.
const MANY: usize = UNROLL as usize + 12;

fn dd(x: f64) -> Dd {
    Dd::from_f64(x)
}

fn compile(inputs: &Layout, outputs: &[Tensor], engine: Engine) -> Function {
    let builder = FunctionBuilder::new().input(inputs).engine(engine);
    outputs.iter().fold(builder, |b, t| b.output(t)).compile().unwrap()
}

/// Room for the outputs, filled with what must not remain.
fn room<S: Scalar>(f: &Function) -> Vec<Vec<S>> {
    f.program().outputs.iter().map(|&n| vec![S::from_f64(f64::NAN); n]).collect()
}

fn native(f: &Function, x: &[f64]) -> Vec<Vec<u64>> {
    let mut out = room(f);
    let mut slices: Vec<&mut [f64]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call(&[x], &mut slices, &mut f.workspace()).unwrap();
    out.iter().map(|v| v.iter().map(|v| v.to_bits()).collect()).collect()
}

fn double_double(f: &Function, x: &[f64]) -> Vec<Vec<Dd>> {
    let x: Vec<Dd> = x.iter().copied().map(dd).collect();
    let mut out = room(f);
    let mut slices: Vec<&mut [Dd]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call_in(&[&x], &mut slices, &mut f.workspace_in().unwrap()).unwrap();
    out
}

/// Asserts that native code equals the tape, and the tape the values computed directly; returns
/// the function for a look at its program.
fn assert_computes(inputs: &Layout, outputs: &[Tensor], x: &[f64], wanted: &[Vec<Dd>]) -> Function {
    let (best, tape) = (compile(inputs, outputs, Engine::Best), compile(inputs, outputs, Engine::Tape));
    assert_eq!(best.is_native(), cfg!(feature = "jit"));
    assert_eq!(native(&best, x), native(&tape, x), "native code and tape");
    let found = double_double(&tape, x);
    assert_eq!(found.len(), wanted.len());
    for (o, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert_eq!(found.len(), wanted.len(), "length of output {o}");
        for (k, (&a, &b)) in found.iter().zip(wanted).enumerate() {
            let error = (a - b).value().abs();
            let close = error <= 1e-26 * b.value().abs().max(1.0);
            assert!(close, "output {o}, entry {k}: {} against {}, error {error:e}", a.value(), b.value());
        }
    }
    best
}

fn kernels(f: &Function) -> impl Iterator<Item = &Kernel> {
    f.program().segments.iter().flat_map(|s| &s.kernels)
}

/// A list of operations on numbers in [−1, 1], each on earlier results; results stay there and
/// errors do not grow.
struct Straight {
    leaves: usize,
    ops: Vec<(usize, usize, usize)>,
}

impl Straight {
    /// Reads from anywhere before and from close by, so that values live long and chains get deep.
    fn random(leaves: usize, len: usize) -> Straight {
        let mut seed = 1u64;
        let mut below = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % n
        };
        let ops = (leaves..leaves + len).map(|k| (below(5), below(k), k - 1 - below(leaves.min(30)))).collect();
        Straight { leaves, ops }
    }

    fn exprs(&self, leaves: &[Expr]) -> Vec<Expr> {
        assert_eq!(leaves.len(), self.leaves);
        let mut e = leaves.to_vec();
        for &(op, a, b) in &self.ops {
            let (a, b) = (e[a].clone(), e[b].clone());
            e.push(match op {
                0 => Expr::call(F::Sin, vec![a]),
                1 => Expr::call(F::Cos, vec![a]),
                2 => Expr::call(F::Tanh, vec![a * b]),
                3 => Expr::call(F::Sin, vec![(a - b) / 2]),
                _ => Expr::call(F::Atan2, vec![a, b + 3]),
            });
        }
        e
    }

    fn values(&self, leaves: &[Dd]) -> Vec<Dd> {
        let mut v = leaves.to_vec();
        for &(op, a, b) in &self.ops {
            let (a, b) = (v[a], v[b]);
            v.push(match op {
                0 => a.sin(),
                1 => a.cos(),
                2 => (a * b).tanh(),
                3 => ((a - b) / dd(2.0)).sin(),
                _ => a.atan2(b + dd(3.0)),
            });
        }
        v
    }
}

/// The arguments of a function with the piece each call of it is in.
fn arguments(kernel: &Kernel, f: Unary) -> impl Iterator<Item = (usize, u32)> {
    let call = move |(k, op): (usize, &Op)| match op {
        Op::Unary(g, a) if *g == f => Some((k / PIECE, *a)),
        _ => None,
    };
    kernel.ops.iter().enumerate().filter_map(call)
}

fn scalars(count: usize) -> (Layout, Vec<Expr>, Vec<f64>) {
    let arrays: Vec<Array> = (0..count).map(|k| Array::scalar(&format!("x{k}"), Role::Coordinate)).collect();
    let exprs = arrays.iter().map(Expr::from).collect();
    let step = 2.0 / count as f64;
    (Layout::new(arrays), exprs, (0..count).map(|k| step * k as f64 - 0.97).collect())
}

#[test]
fn long_straight_line_code_hands_values_from_piece_to_piece() {
    let (state, leaves, x) = scalars(40);
    let straight = Straight::random(40, 4000);
    let out = 3000..4040;
    let tensor = Tensor::vector("o", straight.exprs(&leaves)[out.clone()].to_vec()).unwrap();
    let x_dd: Vec<Dd> = x.iter().copied().map(dd).collect();
    let wanted = straight.values(&x_dd)[out].to_vec();
    let f = assert_computes(&state, &[tensor], &x, &[wanted]);
    let kernel = kernels(&f).next().unwrap();
    assert!(kernel.ops.len() > 2 * PIECE, "{} operations", kernel.ops.len());
    // The sine in one piece, the cosine of the same argument in another, or both in a later piece.
    let sines: Vec<(usize, u32)> = arguments(kernel, Unary::Sin).collect();
    let pairs =
        || arguments(kernel, Unary::Cos).flat_map(|c| sines.iter().filter(move |s| s.1 == c.1).map(move |s| (s.0, c)));
    assert!(pairs().any(|(sine, (cosine, _))| sine != cosine), "a pair cut in two");
    assert!(pairs().any(|(sine, (cosine, a))| sine == cosine && a as usize / PIECE < sine), "a pair of an old value");
}

#[test]
fn second_operands_are_kept_for_later_pieces() {
    let (state, leaves, x) = scalars(40);
    let n = PIECE;
    let early = |k: usize| Expr::call(F::Exp, vec![&leaves[k % 40] * Expr::ratio(k as i64 + 1, n as i64)]);
    let late = |k: usize| Expr::call(F::Atan2, vec![Expr::call(F::Cos, vec![leaves[k % 40].clone()]), early(k)]);
    let tensor = Tensor::vector("o", (0..n).map(early).chain((0..n).map(late)).collect()).unwrap();
    let early = |k: usize| (dd(x[k % 40]) * Dd::ratio(k as i64 + 1, n as i64)).exp();
    let late = |k: usize| dd(x[k % 40]).cos().atan2(early(k));
    let wanted = (0..n).map(early).chain((0..n).map(late)).collect();
    let f = assert_computes(&state, &[tensor], &x, &[wanted]);
    let kernel = kernels(&f).next().unwrap();
    let crossing =
        |(k, op): (usize, &Op)| matches!(op, Op::Binary(Binary::Atan2, _, b) if *b as usize / PIECE < k / PIECE);
    assert!(kernel.ops.iter().enumerate().filter(|&o| crossing(o)).count() > n / 2);
}

#[test]
fn loops_may_have_thousands_of_operations() {
    let z = Array::family("z", Role::Coordinate, 1, MANY as i64);
    let (state, space, i) = (Layout::new(vec![z.clone()]), rows("o", MANY), Ix::var(0));
    let x: Vec<f64> = (0..MANY).map(|k| 0.9 - 0.03 * k as f64).collect();
    let straight = Straight::random(3, 3000);
    let backwards = i.times(-1).shifted(MANY as i64 + 1);
    let leaves = [Expr::at(&z, vec![i.clone()]), Expr::at(&z, vec![backwards]), Expr::index(i.clone()) / MANY as i64];
    let value = Expr::sum(straight.exprs(&leaves));
    let at = vec![Place { array: space.clone(), index: vec![i.shifted(-1)] }];
    let term = Term { domain: Domain::range("i", 1, MANY as i64), at, value };
    let tensor = Tensor::new(vec![Layout::new(vec![space])], vec![term]).unwrap();
    let wanted = (0..MANY).map(|k| {
        let leaves = [dd(x[k]), dd(x[MANY - 1 - k]), Dd::ratio(k as i64 + 1, MANY as i64)];
        straight.values(&leaves).into_iter().fold(dd(0.0), |sum, v| sum + v)
    });
    let f = assert_computes(&state, &[tensor], &x, &[wanted.collect()]);
    assert!(kernels(&f).any(|k| !k.domain.is_point() && k.ops.len() > PIECE));
}

/// A family z[0..len] with values, and the numbers in double-double.
fn family(len: usize) -> (Array, Layout, Vec<f64>, Vec<Dd>) {
    let z = rows("z", len);
    let x: Vec<f64> = (0..len).map(|k| (0.37 * k as f64 + 0.2).sin()).collect();
    let exact = x.iter().copied().map(dd).collect();
    (z.clone(), Layout::new(vec![z]), x, exact)
}

fn vector(space: &Array, terms: Vec<Term>) -> Tensor {
    Tensor::new(vec![Layout::new(vec![space.clone()])], terms).unwrap()
}

fn term(domain: Domain, space: &Array, index: Ix, value: Expr) -> Term {
    Term { domain, at: vec![Place { array: space.clone(), index: vec![index] }], value }
}

#[test]
fn quotients_and_remainders_of_negative_indices_round_down() {
    let (z, state, x, v) = family(40);
    let i = Ix::var(0);
    let third = i.shifted(-5).floor_div(3).unwrap();
    let rest = i.shifted(-7).modulo(4).unwrap();
    let nested = i.times(-2).shifted(3).floor_div(4).unwrap().modulo(5).unwrap();
    let read = |at: Ix| Expr::at(&z, vec![at]);
    // Written out and as a loop.
    for n in [15, MANY] {
        let last = n as i64 - 1;
        let space = rows("o", n);
        let value = read(third.shifted(2)) * Expr::index(third.clone()) + read(rest.clone()) * read(nested.clone());
        let gathered = vector(&space, vec![term(Domain::range("i", 0, last), &space, i.clone(), value)]);
        let scattered = vector(
            &space,
            vec![
                term(
                    Domain::range("i", 0, last),
                    &space,
                    third.shifted(2),
                    Expr::index(i.clone()) + read(rest.clone()),
                ),
                term(Domain::range("i", 0, last), &space, nested.clone(), read(third.shifted(2))),
            ],
        );
        let (mut gather, mut scatter) = (vec![dd(0.0); n], vec![dd(0.0); n]);
        for i in 0..n as i64 {
            let third = (i - 5).div_euclid(3);
            let (near, rest) = ((third + 2) as usize, (i - 7).rem_euclid(4) as usize);
            let nested = (3 - 2 * i).div_euclid(4).rem_euclid(5) as usize;
            gather[i as usize] = v[near] * dd(third as f64) + v[rest] * v[nested];
            scatter[near] = scatter[near] + dd(i as f64) + v[rest];
            scatter[nested] = scatter[nested] + v[near];
        }
        let f = assert_computes(&state, &[gathered, scattered], &x, &[gather, scatter]);
        assert_eq!(kernels(&f).all(|k| k.domain.is_point()), n < MANY);
    }
}

#[test]
fn each_right_hand_side_is_solved_as_if_alone() {
    const N: usize = 5;
    let (z, state, x, _) = family(N);
    let read = |k: usize| z.element(&[(k % N) as i64]);
    let entry = |i: usize, j: usize| if i == j { read(i) + 7 } else { read(i + 2 * j) * (i as i64 + 1) / 3 };
    let matrix = Tensor::matrix("a", (0..N).map(|i| (0..N).map(|j| entry(i, j)).collect()).collect()).unwrap();
    let side = |i: usize, c: usize| Expr::call(F::Sin, vec![read(i + c) * (c as i64 + 1) + i as i64]);
    // The shapes of the columns: none, three, seven, and three by two.
    for shape in [vec![], vec![3], vec![7], vec![3, 2]] {
        let columns: usize = shape.iter().product();
        let spaces: Vec<Array> = std::iter::once(N).chain(shape).map(|n| rows("s", n)).collect();
        let place = |flat: usize| -> Vec<Place> {
            let mut rest = flat;
            let mut index: Vec<Place> = vec![];
            for space in spaces.iter().rev() {
                let own = Ix::constant((rest % space.len()) as i64);
                index.insert(0, Place { array: space.clone(), index: vec![own] });
                rest /= space.len();
            }
            index
        };
        let terms = (0..N * columns).map(|k| Term::plain(place(k), side(k / columns, k % columns))).collect();
        let shape = spaces.iter().map(|s| Layout::new(vec![s.clone()])).collect();
        let rhs = Tensor::new(shape, terms).unwrap();
        for solve in [solve, solve_transposed] {
            let together = solve("x", &matrix, &rhs).unwrap();
            let read = |k: usize| together.element(&together.multi_index(k));
            let found = Tensor::vector("o", (0..N * columns).map(read).collect()).unwrap();
            let alone: Vec<Array> = (0..columns)
                .map(|c| {
                    let side = Tensor::vector("b", (0..N).map(|i| side(i, c)).collect()).unwrap();
                    solve("x", &matrix, &side).unwrap()
                })
                .collect();
            let single = |k: usize| alone[k % columns].element(&[(k / columns) as i64]);
            let wanted = Tensor::vector("o", (0..N * columns).map(single).collect()).unwrap();
            let wanted = double_double(&compile(&state, &[wanted], Engine::Tape), &x);
            let f = assert_computes(&state, &[found], &x, &wanted);
            let solves = |s: &Instruction| matches!(s, Instruction::Solve { columns: c, .. } if *c == columns);
            assert!(f.program().instructions.iter().any(solves));
        }
    }
}

#[test]
fn every_output_entry_is_set() {
    let (z, state, x, v) = family(MANY);
    let read = Expr::at(&z, vec![Ix::var(0)]);
    let zeros = |n: usize| vec![dd(0.0); n];
    // A few gaps, many gaps, and gaps beside entries written twice.
    let few = rows("few", 2 * MANY);
    let few_gaps = vector(
        &few,
        vec![
            term(Domain::range("i", 0, MANY as i64 - 1), &few, Ix::var(0).shifted(3), read.clone()),
            term(Domain::range("i", 0, MANY as i64 - 9), &few, Ix::var(0).shifted(MANY as i64 + 5), -read.clone()),
        ],
    );
    let mut few_wanted = zeros(2 * MANY);
    (0..MANY).for_each(|k| few_wanted[k + 3] = v[k]);
    (0..MANY - 8).for_each(|k| few_wanted[k + MANY + 5] = -v[k]);
    let many = rows("many", 3 * MANY);
    let stride = Ix::var(0).times(3).shifted(1);
    let many_gaps = vector(&many, vec![term(Domain::range("i", 0, MANY as i64 - 1), &many, stride, read.clone())]);
    let mut many_wanted = zeros(3 * MANY);
    (0..MANY).for_each(|k| many_wanted[3 * k + 1] = v[k]);
    let twice = rows("twice", MANY + 7);
    let half = Ix::var(0).floor_div(2).unwrap().shifted(2);
    let pairs = vector(&twice, vec![term(Domain::range("i", 0, MANY as i64 - 1), &twice, half, read)]);
    let mut pairs_wanted = zeros(MANY + 7);
    (0..MANY).for_each(|k| pairs_wanted[k / 2 + 2] = pairs_wanted[k / 2 + 2] + v[k]);
    // Nothing to write: identically zero, an empty sum, no entry.
    let zero = Tensor::zero(vec![Layout::new(vec![many.clone()])]);
    let nothing = vector(&few, vec![term(Domain::range("i", 1, 0), &few, Ix::var(0), Expr::one())]);
    let empty = Tensor::zero(vec![Layout::new(vec![rows("empty", 0)])]);
    let outputs = [few_gaps, many_gaps, pairs, zero, nothing, empty];
    let wanted = [few_wanted, many_wanted, pairs_wanted, zeros(3 * MANY), zeros(2 * MANY), vec![]];
    assert_computes(&state, &outputs, &x, &wanted);
    for (tensor, wanted) in outputs.into_iter().zip(wanted) {
        assert_computes(&state, &[tensor], &x, &[wanted]);
    }
}

/// i in 0..n and j in 0..=i.
fn triangle(n: usize) -> Domain {
    let range = |name: &str, high: Ix| Range { name: name.into(), low: Ix::constant(0), high };
    Domain::Ranges(vec![range("i", Ix::constant(n as i64 - 1)), range("j", Ix::var(0))])
}

#[test]
fn terms_of_different_domains_add_up() {
    let (z, state, x, v) = family(MANY);
    let (i, j) = (Ix::var(0), Ix::var(1));
    let read = |at: &Ix| Expr::at(&z, vec![at.clone()]);
    let space = rows("o", MANY);
    let points = || Domain::from_points(vec!["i".into(), "j".into()], vec![4, 9, 2, 2, 4, 9, 7, 0]);
    let line = Domain::range("i", 0, MANY as i64 - 1);
    let tensor = vector(
        &space,
        vec![
            term(line.clone(), &space, i.clone(), read(&i).powi(2)),
            term(triangle(9), &space, j.clone(), read(&i) * read(&j)),
            term(points(), &space, i.clone(), read(&j) * 3),
            term(Domain::point(), &space, Ix::constant(4), z.element(&[1]) - 5),
            term(Domain::range("i", 1, 0), &space, i.clone(), read(&i)),
            term(line, &space, Ix::constant(4), read(&i) / 7),
        ],
    );
    let mut wanted: Vec<Dd> = v.iter().map(|&v| v * v).collect();
    let mut add = |k: usize, value: Dd| wanted[k] = wanted[k] + value;
    (0..9).for_each(|i| (0..=i).for_each(|j| add(j, v[i] * v[j])));
    [(4, 9), (2, 2), (4, 9), (7, 0)].into_iter().for_each(|(i, j)| add(i, v[j] * dd(3.0)));
    add(4, v[1] - dd(5.0));
    v.iter().for_each(|&v| add(4, v / dd(7.0)));
    let f = assert_computes(&state, &[tensor], &x, &[wanted]);
    assert!(kernels(&f).count() >= 4);
}

#[test]
fn one_loop_adds_up_several_sums() {
    let (z, state, x, v) = family(MANY);
    let read = Expr::at(&z, vec![Ix::var(0)]);
    let space = rows("o", 3);
    let line = || Domain::range("i", 0, MANY as i64 - 1);
    let at = |k: i64, value: Expr| term(line(), &space, Ix::constant(k), value);
    let sums = vector(
        &space,
        vec![
            at(0, read.clone()),
            at(2, read.powi(2)),
            at(0, Expr::call(F::Cos, vec![read.clone()])),
            term(triangle(MANY), &space, Ix::constant(2), Expr::at(&z, vec![Ix::var(1)])),
            term(Domain::point(), &space, Ix::constant(2), Expr::number(11)),
        ],
    );
    let energy = Term { domain: line(), at: vec![], value: read.powi(3) };
    let energy = Tensor::new(vec![], vec![energy]).unwrap();
    let sum = |f: &dyn Fn(Dd) -> Dd| v.iter().fold(dd(0.0), |sum, &v| sum + f(v));
    let mut triangular = dd(11.0);
    (0..MANY).for_each(|i| (0..=i).for_each(|j| triangular = triangular + v[j]));
    let wanted = [vec![sum(&|v| v + v.cos()), dd(0.0), sum(&|v| v * v) + triangular], vec![sum(&|v| v * v * v)]];
    let f = assert_computes(&state, &[sums, energy], &x, &wanted);
    let most = kernels(&f).map(|k| k.stores.iter().filter(|s| s.write == Write::Reduce).count()).max();
    assert_eq!(most, Some(3), "two entries and the energy");
}
