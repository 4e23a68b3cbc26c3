//! Systems built in Rust equal systems read from text.

use cotangent_expr::{Expr, Tensor};
use cotangent_model::{BuildError, Sum, System, SystemBuilder};

fn same(a: &Tensor, b: &Tensor) {
    assert_eq!(a.expand().unwrap().digest(), b.expand().unwrap().digest(), "{a}\nagainst\n{b}");
}

#[test]
fn a_pendulum_built_in_rust_is_the_pendulum_read_from_text() {
    let text = "param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1, p_y = -2\n";
    let read = System::parse(text).unwrap();
    let mut b = SystemBuilder::new("pendulum");
    let g = b.parameter("g", 1);
    let (x, y) = (b.coordinate("x"), b.coordinate("y"));
    b.constraint("rod", (x.q().powi(2) + y.q().powi(2) - 1) / 2);
    b.initial(&x.q(), 1);
    b.initial(&y.p(), -2);
    let built = b.hamiltonian((x.p().powi(2) + y.p().powi(2)) / 2 + g * y.q()).unwrap();
    assert_eq!(built.dynamics.energy().digest(), read.dynamics.energy().digest());
    assert_eq!(built.constraints[0].residual.digest(), read.constraints[0].residual.digest());
    assert_eq!(built.state(), read.state());
    assert_eq!(built.initial.len(), read.initial.len());
    assert_eq!(built.initial[1].value.digest(), read.initial[1].value.digest());
}

#[test]
fn a_chain_built_in_rust_is_the_chain_read_from_text() {
    let n = 6;
    let text = format!(
        "param n : int = {n}\nparam m[i in 1..n] = 1\nparam l = 1, g = 1\ncoord x[i in 1..n], y[i in 1..n]\nboundary x[0] = 0, y[0] = 0\n\
         lagrangian sum(i in 1..n, m[i]*(x[i]'^2 + y[i]'^2)/2 - m[i]*g*y[i])\n\
         constraint link[i in 1..n]: ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - l^2)/2 = 0\ninitial x[i in 1..n] = i*l\n"
    );
    let read = System::parse(&text).unwrap();
    let mut b = SystemBuilder::new("chain");
    let m = b.parameter_family("m", 1..=n, Sum::over("i", 1..=n, |_| Expr::one()));
    let (l, g) = (b.parameter("l", 1), b.parameter("g", 1));
    let (x, y) = (b.coordinate_family("x", 1..=n), b.coordinate_family("y", 1..=n));
    let first = (x.q_at(1).powi(2) + y.q_at(1).powi(2) - l.powi(2)) / 2;
    let rest = Sum::over("i", 2..=n, |i| {
        let (dx, dy) = (x.q_at(&i) - x.q_at(&i - 1), y.q_at(&i) - y.q_at(&i - 1));
        (dx.powi(2) + dy.powi(2) - l.powi(2)) / 2
    });
    b.constraint_family("link", 1..=n, Sum::member(1, first) + rest);
    b.initial_family(&x.q_at(1), 1..=n, |i| Expr::index(i) * &l);
    let built = b
        .lagrangian(Sum::over("i", 1..=n, |i| {
            let m = Expr::at(&m, vec![i.clone()]);
            &m * (x.v_at(&i).powi(2) + y.v_at(&i).powi(2)) / 2 - &m * &g * y.q_at(&i)
        }))
        .unwrap();
    same(built.dynamics.energy(), read.dynamics.energy());
    same(&built.constraints[0].residual, &read.constraints[0].residual);
    assert_eq!(built.initial[0].value.digest(), read.initial[0].value.digest());
}

#[test]
fn mistakes_are_reported_when_the_system_is_finished() {
    let mut b = SystemBuilder::new("bad");
    let x = b.coordinate("x");
    b.coordinate("x");
    assert_eq!(b.hamiltonian(x.p().powi(2)).unwrap_err(), BuildError::DuplicateName("x".into()));

    let mut b = SystemBuilder::new("bad");
    let x = b.coordinate("x");
    let error = b.lagrangian(x.p().powi(2)).unwrap_err();
    assert_eq!(error.to_string(), "the Lagrangian contains `p_x`, which does not belong there");

    let mut b = SystemBuilder::new("bad");
    let x = b.coordinate_family("x", 1..=3);
    let error = b.hamiltonian(Sum::over("i", 1..=3, |i| x.q_at(&i + 1))).unwrap_err();
    assert_eq!(error.to_string(), "the Hamiltonian: the index of `x` reaches [4], outside its range");

    let mut b = SystemBuilder::new("bad");
    let x = b.coordinate("x");
    assert!(matches!(b.hamiltonian(x.q() / 0).unwrap_err(), BuildError::Expression { .. }));
}
