//! Roots inside roots: the inner one depends on the unknown of the outer one, as the velocity of a
//! Legendre transform does inside the equations for a reaction. Values and derivatives up to the
//! third are compared with closed forms.

use cotangent_compile::{Engine, Function, FunctionBuilder};
use cotangent_expr::{Array, Expr, Layout, Role, Tensor, rows};
use cotangent_scalar::{Dd, Real, Scalar};

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
