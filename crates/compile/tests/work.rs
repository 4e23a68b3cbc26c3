//! Bounds on work, counted and not timed: what a model of n lines costs grows with n.

use cotangent_compile::values::{self, Setting};
use cotangent_compile::{CallError, Engine, FunctionBuilder};
use cotangent_expr::{Array, Expr, Layout, Role, Tensor, rows};
use cotangent_model::System;

#[test]
fn a_parameter_is_evaluated_with_the_parameters_it_reads() {
    // Each is the one before plus 1; the last is set from outside in between.
    let n = 3000;
    let mut text = String::from("param a0 = 1/3\n");
    for k in 1..n {
        text += &format!("param a{k} = a{} + 1\n", k - 1);
    }
    text += "coord x\nhamiltonian p_x^2/2 + a7*x\ninitial x = a2999\n";
    let system = System::parse(&text).unwrap();
    let set = [Setting { name: "a1500".into(), index: None, value: 0.5 }];
    let found = values::parameters(&system, &set).unwrap();
    // The sum is made one by one, as the text says.
    let mut expected = vec![1.0 / 3.0];
    for k in 1..n {
        expected.push(if k == 1500 { 0.5 } else { expected[k - 1] + 1.0 });
    }
    assert_eq!(found, expected);
    assert_eq!(values::initial(&system, &found, &[]).unwrap().coordinates, vec![expected[n - 1]]);
}

#[test]
fn messages_name_what_is_solved_for_and_not_its_derivatives() {
    // u³ = x at x = 0: the root exists, its derivative does not.
    let x = Array::scalar("x", Role::Coordinate);
    let by = Layout::new(vec![x.clone()]);
    let u = rows("u", 2);
    let (a, b) = (u.element(&[0]), u.element(&[1]));
    let residual = Tensor::vector("u", vec![a.powi(3) - Expr::from(&x), &b - &a]).unwrap();
    let root = Array::root("striction", u, residual, Tensor::vector("u", vec![Expr::zero(), Expr::zero()]).unwrap());
    let value = Tensor::scalar(root.unwrap().element(&[1])).unwrap();
    for derivative in [value.gradient(&by).unwrap(), value.jacobian(&by).unwrap(), value.hessian(&by).unwrap()] {
        let f = FunctionBuilder::new().input(&by).output(&derivative).engine(Engine::Tape).compile().unwrap();
        assert!(f.program().systems.iter().all(|s| s.name == "striction"), "{:?}", f.program().systems);
        let mut out = vec![0.0; f.program().outputs[0]];
        let error = f.call(&[&[0.0]], &mut [&mut out], &mut f.workspace()).unwrap_err();
        assert!(
            matches!(&error, CallError::Implicit(i) if i.name == "striction" && i.cause.singular().is_some()),
            "{error}"
        );
    }
}

/// exp(exp(… Σ v²)) with its inverse as a root, inside the root for a reaction: as many arrays as
/// lines, each met once.
#[test]
fn nested_roots_are_lowered_in_a_size_that_grows_with_the_text() {
    let sizes: Vec<usize> = (1..=4).map(instructions).collect();
    for w in sizes.windows(3) {
        let (first, second) = (w[1] - w[0], w[2] - w[1]);
        assert!(second < 3 * first + 100, "{sizes:?}");
    }
}

fn instructions(depth: usize) -> usize {
    let e = "exp(".repeat(depth);
    let close = ")".repeat(depth);
    let text = format!(
        "coord x, y\nlagrangian {e}(x'^2 + y'^2)/9{close} - y\nconstraint c: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1\n"
    );
    let system = System::parse(&text).unwrap();
    let structure = cotangent_theory::Structure::new(&system).unwrap();
    let parameters = system.parameter_layout();
    let f = FunctionBuilder::new()
        .input(&structure.state())
        .input(&parameters)
        .output(&structure.drift)
        .output(&structure.gram)
        .engine(Engine::Tape)
        .compile()
        .unwrap();
    f.program().len()
}
