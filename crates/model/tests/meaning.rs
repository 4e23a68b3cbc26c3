//! What models mean: systems from text.

use cotangent_model::{Dynamics, System};

fn system(text: &str) -> System {
    System::parse(text)
        .unwrap_or_else(|e| panic!("{}", e.render("test.cot", text, cotangent_model::diagnostic::Colour::Never)))
}

#[test]
fn the_pendulum_reads_as_written() {
    let s = system(
        "model pendulum \"Planar pendulum\"\nparam g = 1\ncoord x, y\nlet r2 = x^2 + y^2\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\n\
         constraint rod: (r2 - 1)/2 = 0\ninitial x = 1, p_y = -2\nobserve angle = atan2(x, -y)\nrun method = rattle, step = 0.01, until = 100\n",
    );
    assert_eq!(s.dynamics.energy().to_string(), "g*y + p_x^2/2 + p_y^2/2");
    assert_eq!(s.constraints[0].residual.to_string(), "rod: (x^2 + y^2 - 1)/2\n");
    assert_eq!(s.observables[0].value.to_string(), "angle: atan2(x, -y)\n");
    assert_eq!(s.state().entry_names(), ["x", "y", "p_x", "p_y"]);
    assert!(s.warnings.is_empty());
}

#[test]
fn the_chain_stays_a_family_with_its_boundary() {
    let text = "param n : int = 100000\nparam m[i in 1..n] = 1\nparam l = 1, g = 1\ncoord x[i in 1..n], y[i in 1..n]\nboundary x[0] = 0, y[0] = 0\n\
        lagrangian sum(i in 1..n, m[i]*(x[i]'^2 + y[i]'^2)/2 - m[i]*g*y[i])\n\
        constraint link[i in 1..n]: ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - l^2)/2 = 0\ninitial x[i in 1..n] = i*l, x[7] = 3\n";
    let s = system(text);
    assert_eq!(s.dynamics.energy().terms().len(), 1);
    let link = &s.constraints[0].residual;
    assert_eq!(
        link.to_string(),
        "link[1]: (x[1]^2 - l^2 + y[1]^2)/2\nlink[i]: ((x[i - 1] - x[i])^2 - l^2 + (y[i - 1] - y[i])^2)/2\n"
    );
    assert_eq!(s.initial[0].named, 100_000);
    assert_eq!(s.initial[0].value.to_string(), "x[i]: i*l\nx[7]: 3\n");
}

#[test]
fn the_rigid_body_has_an_antisymmetric_bracket() {
    let s = system(
        "param I1 = 2, I2 = 1, I3 = 2/3\nvariables y1, y2, y3\nbracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2\n\
         hamiltonian y1^2/(2*I1) + y2^2/(2*I2) + y3^2/(2*I3)\ncasimir spin = y1^2 + y2^2 + y3^2\ninitial y1 = cos(1.1), y3 = sin(1.1)\n",
    );
    let Dynamics::Poisson { bracket, .. } = &s.dynamics else { panic!() };
    assert_eq!(bracket.terms().len(), 6);
}

#[test]
fn sums_nest_and_multiply() {
    let s = system(
        "param n : int = 4\ncoord x[i in 1..n]\nlet centre = sum(i in 1..n, x[i])/n\n\
         hamiltonian sum(i in 1..n, p_x[i]^2/2) + centre^2 + sum(i in 2..n, j in 1..i-1, 1/sqrt(1 + (x[i] - x[j])^2)) + sum(i in 1..n, sqrt(1 + sum(j in 1..i, x[j]^2)))\n",
    );
    let text = s.dynamics.energy().to_string();
    assert_eq!(
        text,
        "(sum(i in 1..4, x[i]))^2/16 + sum(i in 1..4, p_x[i]^2/2 + sqrt((sum(j in 1..i, x[j]^2)) + 1)) + \
         sum(i in 2..4, j in 1..i - 1, 1/sqrt((x[i] - x[j])^2 + 1))"
    );
}
