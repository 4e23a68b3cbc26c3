//! Roots inside roots: the inner one depends on the unknown of the outer one, as the velocity of a
//! Legendre transform does inside the equations for a reaction. Values and derivatives up to the
//! third are compared with closed forms.

use cotangent_compile::{Engine, Function, FunctionBuilder};
use cotangent_expr::{Array, Expr, Layout, Role, Tensor, rows};
use cotangent_model::System;
use cotangent_scalar::{Dd, Real, Scalar};
use cotangent_theory::Formulation;

fn variables(names: &[&str]) -> (Layout, Vec<Expr>) {
    let arrays: Vec<Array> = names.iter().map(|n| Array::scalar(n, Role::Coordinate)).collect();
    let e = arrays.iter().map(Expr::from).collect();
    (Layout::new(arrays), e)
}

fn compile(by: &Layout, tensors: &[Tensor]) -> Function {
    tensors.iter().fold(FunctionBuilder::new().input(by), |b, t| b.output(t)).engine(Engine::Tape).compile().unwrap()
}

fn values(f: &Function, x: &[f64]) -> Vec<Vec<f64>> {
    let x: Vec<Dd> = x.iter().map(|&v| Dd::from_f64(v)).collect();
    let mut work = f.workspace_in::<Dd>().unwrap();
    let mut out: Vec<Vec<Dd>> = f.program().outputs.iter().map(|&n| vec![Dd::from_f64(0.0); n]).collect();
    let mut slices: Vec<&mut [Dd]> = out.iter_mut().map(Vec::as_mut_slice).collect();
    f.call_in(&[&x], &mut slices, &mut work).unwrap();
    out.iter().map(|v| v.iter().map(|s| s.value()).collect()).collect()
}

/// Value, gradient, Jacobian, Hessian and third derivatives of both, each in a function of its own
/// and all in one.
fn same_function(by: &Layout, implicit: &Expr, explicit: &Expr, x: &[f64]) {
    let all = |e: &Expr| {
        let value = Tensor::scalar(e.clone()).unwrap();
        let hessian = value.hessian(by).unwrap();
        let third = hessian.jacobian(by).unwrap();
        [value.clone(), value.gradient(by).unwrap(), value.jacobian(by).unwrap(), hessian, third]
    };
    let (tensors, expected) = (all(implicit), values(&compile(by, &all(explicit)), x));
    let alone = tensors.iter().map(|t| values(&compile(by, std::slice::from_ref(t)), x).remove(0)).collect();
    for found in [alone, values(&compile(by, &tensors), x)] {
        for (order, (p, q)) in found.iter().zip(&expected).enumerate() {
            for (u, v) in p.iter().zip(q) {
                assert!((u - v).abs() <= 1e-12 * v.abs().max(1.0), "output {order}: {u} against {v}");
            }
        }
    }
}

/// v with v/√(1 − v²) = p: the velocity of a relativistic particle, p/√(1 + p²).
fn velocity(p: &[Expr]) -> Array {
    let v = rows("v", p.len());
    let components: Vec<Expr> = (0..p.len() as i64).map(|k| v.element(&[k])).collect();
    let square = Expr::sum(components.iter().map(|v| v.powi(2)));
    let residual = components.iter().zip(p).map(|(v, p)| v / (1 - &square).sqrt() - p).collect();
    let start = Tensor::zero(vec![Layout::new(vec![v.clone()])]);
    Array::root("v", v, Tensor::vector("v", residual).unwrap(), start).unwrap()
}

#[test]
fn a_reaction_that_makes_a_velocity_tangential() {
    // x·v(p + Θ x) = 0: Θ = −(x·p)/(x·x), as v is parallel to its momentum.
    let (by, e) = variables(&["x", "y", "p", "q"]);
    let (x, y, p, q) = (&e[0], &e[1], &e[2], &e[3]);
    let theta = rows("reaction", 1);
    let momentum = |t: &Expr| vec![p + t * x, q + t * y];
    let v = velocity(&momentum(&theta.element(&[0])));
    let residual = Tensor::vector("reaction", vec![x * v.element(&[0]) + y * v.element(&[1])]).unwrap();
    let start = Tensor::zero(vec![Layout::new(vec![theta.clone()])]);
    let reaction = Array::root("reaction", theta, residual, start).unwrap().element(&[0]);
    let explicit = -(x * p + y * q) / (x.powi(2) + y.powi(2));
    let point = [0.8, 0.5, 0.3, -0.7];
    same_function(&by, &reaction, &explicit, &point);
    // The velocity at the solution, as the field of a formulation has it.
    let v = velocity(&momentum(&reaction));
    let there = momentum(&explicit);
    let energy = (1 + there[0].powi(2) + there[1].powi(2)).sqrt();
    same_function(
        &by,
        &(v.element(&[0]) * x + v.element(&[1]).powi(2)),
        &(&there[0] * x / &energy + (&there[1] / &energy).powi(2)),
        &point,
    );
}

/// Random regular Lagrangians whose kinetic energy is not quadratic, on random curves and surfaces.
fn random_model(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut number = |low: f64, high: f64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        low + (high - low) * (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let (a, b, c) = (number(0.5, 1.5), number(0.5, 1.5), number(-0.2, 0.2));
    let square = format!("({a}*x'^2 + {b}*y'^2 + {c}*x'*y'{})", if seed.is_multiple_of(2) { "" } else { " + z'^2" });
    let kinetic = match seed % 3 {
        0 => format!("-sqrt(1 - {square}/2)"),
        1 => format!(
            "cosh(x' - {c}) + {b}*y'^2/2 + x'^2*y'^2/4{}",
            if seed.is_multiple_of(2) { "" } else { " + exp(z') - z'" }
        ),
        _ => format!("exp({square}/3)"),
    };
    let (coordinates, radius, start) = match seed % 2 {
        0 => ("x, y", "x^2 + y^2 - 1", "x = 0.6, y = 0.8, x' = 0.16, y' = -0.12"),
        _ => ("x, y, z", "x^2 + y^2 + z^2 - 1", "x = 0.6, y = 0.64, z = 0.48, x' = 0.16, y' = -0.15"),
    };
    format!(
        "coord {coordinates}\nlagrangian {kinetic} - {}*y - x*y/5\nconstraint c: ({radius})/2 = 0\ninitial {start}\n",
        number(0.1, 1.0)
    )
}

/// Central differences in double-double, whose error is about h²: 1e-16 here.
fn differences(rate: &Function, inputs: &[Vec<f64>]) -> Vec<f64> {
    let n = inputs[0].len();
    let h = 1e-8;
    let at = |k: usize, shift: f64| {
        let mut all: Vec<Vec<Dd>> = inputs.iter().map(|v| v.iter().map(|&x| Dd::from_f64(x)).collect()).collect();
        all[0][k] = all[0][k] + Dd::from_f64(shift);
        let mut out = vec![Dd::from_f64(0.0); n];
        let slices: Vec<&[Dd]> = all.iter().map(Vec::as_slice).collect();
        rate.call_in(&slices, &mut [&mut out], &mut rate.workspace_in::<Dd>().unwrap()).unwrap();
        out
    };
    let mut matrix = vec![0.0; n * n];
    for k in 0..n {
        for (i, (up, down)) in at(k, h).into_iter().zip(at(k, -h)).enumerate() {
            matrix[i * n + k] = ((up - down) / Dd::from_f64(2.0 * h)).value();
        }
    }
    matrix
}

/// Compares a field's Jacobian with differences of the field.
fn check_field(what: &str, layouts: &[Layout], rate: &Tensor, inputs: &[Vec<f64>]) {
    let function = |t: &Tensor| {
        let builder = layouts.iter().fold(FunctionBuilder::new(), |b, l| b.input(l));
        builder.output(t).engine(Engine::Tape).compile().unwrap()
    };
    let jacobian = function(&rate.jacobian(&layouts[0]).unwrap());
    let mut found = vec![0.0; inputs[0].len().pow(2)];
    let slices: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    jacobian.call(&slices, &mut [&mut found], &mut jacobian.workspace()).unwrap_or_else(|e| panic!("{what}: {e}"));
    let expected = differences(&function(rate), inputs);
    let scale = expected.iter().fold(1.0, |s: f64, e| s.max(e.abs()));
    for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
        assert!((found - expected).abs() <= 1e-10 * scale, "{what}, entry {k}: {found} against {expected}");
    }
}

#[test]
fn the_jacobian_of_every_formulation_is_the_derivative_of_its_field() {
    for seed in 0..6 {
        let text = random_model(seed);
        let system = System::parse(&text).unwrap_or_else(|e| panic!("{text}{e:?}"));
        let parameters = system.parameter_layout();
        let initial = cotangent_compile::values::initial(&system, &[], &[]).unwrap();
        // Any momenta of moderate size will do; those of the start up to a change.
        let q = initial.coordinates.clone();
        let p: Vec<f64> = (0..q.len()).map(|k| 0.3 - 0.17 * k as f64).collect();
        let state: Vec<f64> = q.iter().chain(&p).copied().collect();
        let mut fields = 0;
        for formulation in Formulation::ALL {
            let Ok(motion) = formulation.apply(&system) else { continue };
            let what = format!("{text}{}", formulation.name());
            if let Some(field) = motion.field() {
                let mut start = state.clone();
                start.resize(field.state.len(), 0.1);
                check_field(
                    &what,
                    &[field.state.clone(), motion.parameters()],
                    &field.rate,
                    &[start, motion.number_values()],
                );
                fields += 1;
            }
            if let Some(chart) = motion.chart() {
                // Rows of the identity that leave out a coordinate with a large gradient: y.
                let n = q.len();
                let kept: Vec<usize> = (0..n).filter(|&k| k != 1).collect();
                let rows = kept.iter().flat_map(|&k| (0..n).map(move |j| f64::from(u8::from(j == k)))).collect();
                let own: Vec<f64> = kept.iter().map(|&k| q[k]).chain(kept.iter().map(|&k| p[k])).collect();
                let layouts = [&chart.field.state, &parameters, &chart.chart, &chart.reference].map(Layout::clone);
                check_field(&what, &layouts, &chart.field.rate, &[own, vec![], rows, q.clone()]);
                fields += 1;
            }
        }
        assert!(fields >= 7, "{fields} fields");
    }
}

/// p = m (vₓ + v_y/3 + vₓ³), q = m (vₓ/3 + v_y + v_y³).
fn quartic(mass: &Expr, p: &[Expr; 2]) -> Array {
    let v = rows("v", 2);
    let (x, y) = (v.element(&[0]), v.element(&[1]));
    let momentum = [&x + &y / 3 + x.powi(3), &x / 3 + &y + y.powi(3)];
    let residual = momentum.iter().zip(p).map(|(own, p)| mass * own - p).collect();
    let start = Tensor::zero(vec![Layout::new(vec![v.clone()])]);
    Array::root("v", v, Tensor::vector("v", residual).unwrap(), start).unwrap()
}

#[test]
fn a_velocity_that_vanishes_but_for_rounding_is_tangential_in_any_units() {
    // Along y, vₓ(p + Θ) = 0 where v_y + v_y³ = q/m: Θ = m v_y/3 − p. Neither x vₓ nor y v_y is larger than what rounding
    // leaves of them, and where the start is consistent Θ is no larger either.
    let (by, e) = variables(&["x", "y", "p", "q", "m"]);
    let theta = rows("reaction", 1);
    let own = theta.element(&[0]);
    let v = quartic(&e[4], &[&e[2] + &own * &e[0], &e[3] + &own * &e[1]]);
    let residual = Tensor::vector("reaction", vec![&e[0] * v.element(&[0]) + &e[1] * v.element(&[1])]).unwrap();
    let start = Tensor::zero(vec![Layout::new(vec![theta.clone()])]);
    let reaction = Array::root("reaction", theta, residual, start).unwrap();
    let f = compile(&by, &[Tensor::scalar(reaction.element(&[0])).unwrap()]);
    for unit in [1e-27, 1e-12, 1.0, 1e12, 1e24] {
        for speed in [0.3f64, 0.7, 1.1, -0.9] {
            for excess in [0.0, 0.2] {
                let p = unit * (speed / 3.0 - excess);
                let point = [1.0, 0.0, p, unit * (speed + speed.powi(3)), unit];
                let mut work = f.workspace();
                let mut found = [f64::NAN];
                f.call(&[&point], &mut [&mut found], &mut work).unwrap();
                assert!((found[0] - unit * excess).abs() <= 1e-15 * unit, "{unit:e}, {speed}, {excess}: {found:?}");
            }
        }
    }
}
