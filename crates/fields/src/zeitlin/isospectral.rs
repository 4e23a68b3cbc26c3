//! The isospectral midpoint method: with B = B(V) at a matrix V between the steps,
//!
//! $$ W_n = (I - \tfrac h2 B)\, V\, (I + \tfrac h2 B), \qquad W_{n+1} = (I + \tfrac h2 B)\, V\, (I - \tfrac h2 B). $$
//!
//! W_{n+1} is W_n in another basis, so that its eigenvalues stay; the map is a Poisson map of second order, symmetric. V is
//! the fixed point of V = W_n + (h/2)\[B, V\] + (h²/4) B V B, and W_{n+1} = W_n + h\[B, V\]. With X = B V it is \[B, V\] = X − X†,
//! so that an iteration needs two products of matrices, and the end of the step one.
//!
//! K. Modin & M. Viviani, J. Fluid Mech. 884 (2020) A22; M. Viviani, BIT Numer. Math. 60 (2020) 741.

use super::Torus;
use super::laplacian::Bands;
use cotangent_dynamics::{Advance, Failure, Misuse, State, carried};
use cotangent_scalar::Cancel;
use cotangent_solve::{FixedPointWorkspace, StoppingRule, fixed_point};
use ndarray::Array2;
use ndarray::linalg::general_mat_mul;

/// Products of complex matrices by three products of real ones.
pub struct Products {
    sums: [Array2<f64>; 2],
    parts: [Array2<f64>; 3],
    made: u64,
}

/// A complex matrix, by its real and its imaginary part.
type Pair = [Array2<f64>; 2];

fn zeros(n: usize) -> Array2<f64> {
    Array2::zeros((n, n))
}

fn entries(a: &Array2<f64>) -> &[f64] {
    a.as_slice().unwrap_or(&[])
}

fn entries_mut(a: &mut Array2<f64>) -> &mut [f64] {
    a.as_slice_mut().unwrap_or(&mut [])
}

impl Products {
    /// Room for matrices of a size.
    pub fn new(size: usize) -> Products {
        Products { sums: [zeros(size), zeros(size)], parts: [zeros(size), zeros(size), zeros(size)], made: 0 }
    }

    /// How many were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// The real and the imaginary part of (a₀ + i a₁)(b₀ + i b₁): a₀b₀ − a₁b₁ and (a₀ + a₁)(b₀ + b₁) − a₀b₀ − a₁b₁.
    pub fn product(&mut self, a: &[Array2<f64>; 2], b: &[Array2<f64>; 2], out: &mut [Array2<f64>; 2]) {
        self.made += 1;
        for (sum, [re, im]) in self.sums.iter_mut().zip([a, b]) {
            let parts = entries(re).iter().zip(entries(im));
            entries_mut(sum).iter_mut().zip(parts).for_each(|(s, (x, y))| *s = x + y);
        }
        let [p, q, r] = &mut self.parts;
        general_mat_mul(1.0, &a[0], &b[0], 0.0, p);
        general_mat_mul(1.0, &a[1], &b[1], 0.0, q);
        general_mat_mul(1.0, &self.sums[0], &self.sums[1], 0.0, r);
        let [re, im] = out;
        let both = entries(p).iter().zip(entries(q)).zip(entries(r));
        for ((re, im), ((p, q), r)) in entries_mut(re).iter_mut().zip(entries_mut(im)).zip(both) {
            (*re, *im) = (p - q, r - (p + q));
        }
    }
}

/// The method on a torus; a step takes 2 products of matrices an iteration, and one at its end.
pub struct Isospectral {
    work: Work,
    iteration: FixedPointWorkspace<f64>,
    cancel: Cancel,
    /// V, packed as a state is.
    middle: Vec<f64>,
    next: State<f64>,
    iterations: u64,
}

/// The matrices of an iteration.
struct Work {
    size: usize,
    bands: Bands,
    products: Products,
    v: Pair,
    b: Pair,
    /// B V.
    x: Pair,
    /// B V B.
    y: Pair,
}

impl Isospectral {
    /// The method for a torus, its equations solved to round-off.
    pub fn new(torus: &Torus) -> Isospectral {
        let n = torus.size();
        let pair = || [zeros(n), zeros(n)];
        let work = Work {
            size: n,
            bands: torus.bands(),
            products: Products::new(n),
            v: pair(),
            b: pair(),
            x: pair(),
            y: pair(),
        };
        // Waves that are not there yet are small beside the others, and need not be known to their last digit.
        let iteration = FixedPointWorkspace::normed(n * n);
        Isospectral {
            work,
            iteration,
            cancel: Cancel::new(),
            middle: vec![0.0; n * n],
            next: State::default(),
            iterations: 0,
        }
    }

    /// How many products of matrices were made.
    pub fn products(&self) -> u64 {
        self.work.products.made()
    }

    fn step(&mut self, h: f64, state: &State<f64>) -> Result<(), Failure> {
        let Isospectral { work, iteration, cancel, middle, next, iterations } = self;
        middle.copy_from_slice(&state.values);
        let rule = StoppingRule::default();
        fixed_point(iteration, &rule, middle, |v, out| {
            if cancel.is_set() {
                return Err(Failure::Interrupted);
            }
            *iterations += 1;
            work.transport(v);
            work.products.product(&work.x, &work.b, &mut work.y);
            // V − W_n = (h/2)[B, V] + (h²/4) B V B.
            let ([x, x_im], [y, y_im]) = (parts(&work.x), parts(&work.y));
            let (half, quarter) = (h / 2.0, h * h / 4.0);
            let w = &state.values;
            upper(work.size, |k, t| {
                out[k] = w[k] + (half * (x[k] - x[t]) + quarter * y[k]);
                out[t] = w[t] + (half * (x_im[k] + x_im[t]) + quarter * y_im[k]);
            });
            Ok(())
        })
        .map_err(|error| match error.own() {
            Ok(error) => Failure::FixedPoint { error: Box::new(error), equation: None },
            Err(failure) => failure,
        })?;
        work.transport(middle);
        let [x, x_im] = parts(&work.x);
        let State { values, carry, .. } = next;
        let mut add = |k: usize, change: f64| {
            (values[k], carry[k]) = carried(state.values[k], state.carry[k], change);
        };
        upper(work.size, |k, t| {
            add(k, h * (x[k] - x[t]));
            add(t, h * (x_im[k] + x_im[t]));
        });
        Ok(())
    }
}

/// Visits the places on and above the diagonal, each with its reflection: where a state has the real and the imaginary
/// part of an entry. On the diagonal both are the same, and the imaginary part is written last.
fn upper(n: usize, mut visit: impl FnMut(usize, usize)) {
    for a in 0..n {
        for b in a..n {
            visit(a * n + b, b * n + a);
        }
    }
}

fn parts(pair: &Pair) -> [&[f64]; 2] {
    [entries(&pair[0]), entries(&pair[1])]
}

impl Work {
    /// V, B and X = B V of a packed V.
    fn transport(&mut self, v: &[f64]) {
        let n = self.size;
        let [re, im] = &mut self.v;
        let (re, im) = (entries_mut(re), entries_mut(im));
        for a in 0..n {
            (re[a * n + a], im[a * n + a]) = (0.0, v[a * n + a]);
            for b in a + 1..n {
                let (above, below) = (a * n + b, b * n + a);
                (re[above], im[above]) = (v[above], v[below]);
                (re[below], im[below]) = (-v[above], v[below]);
            }
        }
        let [b_re, b_im] = &mut self.b;
        self.bands.stream([re, im], [entries_mut(b_re), entries_mut(b_im)]);
        self.products.product(&self.b, &self.v, &mut self.x);
    }
}

impl Advance for Isospectral {
    fn state(&self, values: Vec<f64>) -> State<f64> {
        State::new(values, 0)
    }

    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        for k in 0..steps {
            self.follow(state, h, 1).map_err(|failure| (k, failure))?;
        }
        Ok(())
    }

    fn follow(&mut self, state: &mut State<f64>, h: f64, _parts: u32) -> Result<(), Failure> {
        if state.values.len() != self.middle.len() {
            return Err(Misuse::OtherState.into());
        }
        self.next.copy_from(state);
        self.step(h, state)?;
        std::mem::swap(state, &mut self.next);
        Ok(())
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }

    fn cancel_with(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
    }
}
