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

/// Two texts that differ after `coord` describe the same energy, member by member.
#[track_caller]
fn same_energy(shared: &str, one: &str, other: &str) {
    let energy = |rest: &str| system(&format!("{shared}{rest}")).dynamics.energy().expand().unwrap().to_string();
    assert_eq!(energy(one), energy(other));
}

#[test]
fn the_velocity_of_a_let_follows_by_the_chain_rule() {
    let shared = "param m = 2, l = 1\ncoord s, phi\n";
    let centre = "let xc = s + l*sin(phi)/2, yc = -l*cos(phi)/2, r2 = xc^2\n";
    same_energy(
        shared,
        &format!("{centre}lagrangian m*(xc'^2 + yc'^2)/2 + r2'\n"),
        "lagrangian m*((s' + l*cos(phi)*phi'/2)^2 + (l*sin(phi)*phi'/2)^2)/2 + 2*(s + l*sin(phi)/2)*s' + (s + l*sin(phi)/2)*l*cos(phi)*phi'\n",
    );
    // A velocity through two `let`s, and one named by a third.
    same_energy(
        shared,
        "let a = sin(phi)\nlet b = a*s\nlet v = b'\nlagrangian v^2\n",
        "lagrangian (cos(phi)*phi'*s + sin(phi)*s')^2\n",
    );
}

#[test]
fn families_of_lets_and_sums_have_velocities() {
    let shared = "param n : int = 4\nparam l[i in 1..n] = i\ncoord th[i in 1..n]\n";
    same_energy(
        shared,
        "let x[i in 1..n] = sum(j in 1..i, l[j]*sin(th[j]))\nlagrangian sum(i in 1..n, x[i]'^2/2) + 3*x[2]'\n",
        "lagrangian sum(i in 1..n, sum(j in 1..i, l[j]*cos(th[j])*th[j]')^2/2) + 3*(l[1]*cos(th[1])*th[1]' + l[2]*cos(th[2])*th[2]')\n",
    );
    // A sum inside a function, a factor that moves before a sum, and a product.
    same_energy(
        shared,
        "let r = sqrt(sum(i in 1..n, th[i]^2)), c = sin(th[1])*sum(i in 1..n, th[i]^3), p = product(i in 1..3, th[i])\n\
         lagrangian r'^2 + c' + p'\n",
        "lagrangian (sum(i in 1..n, th[i]*th[i]')/sqrt(sum(i in 1..n, th[i]^2)))^2 + cos(th[1])*th[1]'*sum(i in 1..n, th[i]^3) \
         + sin(th[1])*sum(i in 1..n, 3*th[i]^2*th[i]') + th[1]'*th[2]*th[3] + th[1]*th[2]'*th[3] + th[1]*th[2]*th[3]'\n",
    );
    // Where a family ends at a boundary, so does the velocity.
    same_energy(
        &format!("param a = 1\n{shared}boundary th[0] = a\n"),
        "let d[i in 1..n] = (th[i] - th[i-1])^2\nlagrangian sum(i in 1..n, d[i]'^2)\n",
        "lagrangian sum(i in 2..n, (2*(th[i] - th[i-1])*th[i]' - 2*(th[i] - th[i-1])*th[i-1]')^2) + (2*(th[1] - a)*th[1]')^2\n",
    );
}

#[test]
fn a_large_family_of_lets_has_a_velocity_of_few_terms() {
    let s = system(
        "param n : int = 100000\ncoord x[i in 1..n], y[i in 1..n]\nlet r[i in 1..n] = x[i]^2 + y[i]^2\nlagrangian sum(i in 1..n, r[i]'^2/2)\n",
    );
    assert_eq!(s.dynamics.energy().terms().len(), 1);
}

#[test]
fn lists_give_the_members_of_a_family_their_values() {
    let s = system(
        "param n : int = 3\nparam l = 2\nparam m[i in 1..n] > 0 = (1, l/2, 3*i)\nparam a[i in 0..1, j in 1..2] = ((1, 2), (3, 4))\n\
         param t[i in 1..n] : int = (2, n, 1)\ncoord x[i in 1..n], y[i in 1..n]\n\
         hamiltonian sum(i in 1..n, p_x[i]^2/m[i] + p_y[i]^2) + x[t[1]] + a[0, 1]\ninitial x = (1, l, 3), y[i in 2..3] = (5, i)\n",
    );
    let shown = |name: &str| s.parameter(name).unwrap().default.as_ref().unwrap().to_string();
    assert_eq!(shown("m"), "m[1]: 1\nm[2]: l/2\nm[3]: 9\n");
    assert_eq!(shown("a"), "a[0, 1]: 1\na[0, 2]: 2\na[1, 1]: 3\na[1, 2]: 4\n");
    assert!(s.dynamics.energy().expand().unwrap().to_string().contains("x[2]"));
    let initial: Vec<String> = s.initial.iter().map(|i| i.value.expand().unwrap().to_string()).collect();
    assert_eq!(initial, ["x[1]: 1\nx[2]: l\nx[3]: 3\n", "y[2]: 5\ny[3]: 3\n"]);
}

#[test]
fn an_if_is_decided_when_the_model_is_read() {
    let s = system(
        "param n : int = 6, closed : int = 0\nparam w = if(closed = 1, 2, 3)\nparam m[i in 1..n] = if(i = 1 or i = n, w/2, w)\n\
         param parent[i in 1..n] : int = if(i <= 2, 1, parent_of[i])\nparam q[i in 1..n] = if(not (i > 2 and i != 4), i, if(i < 5, 0, -1)) + 1\n\
         coord x[i in 1..n]\nhamiltonian sum(i in 1..n, m[i]*q[i]*p_x[i]^2) + sum(i in 1..n, x[parent[i]]^2)\n\
         initial x[i in 1..n] = if(i = 3, 0.5, 0)\n"
            .replace("parent_of[i]", "i - 2")
            .as_str(),
    );
    let shown = |name: &str| s.parameter(name).unwrap().default.as_ref().unwrap().to_string();
    assert_eq!(shown("w"), "w: 3\n");
    assert_eq!(shown("m"), "m[1]: w/2\nm[i]: w\nm[6]: w/2\n");
    let values = s.parameter("q").unwrap().default.as_ref().unwrap().expand().unwrap().to_string();
    assert_eq!(values, "q[1]: 2\nq[2]: 3\nq[3]: 1\nq[4]: 5\n");
    let energy = s.dynamics.energy().expand().unwrap().to_string();
    assert!(energy.contains("3*x[1]^2") && energy.contains("x[2]^2") && energy.contains("x[4]^2"), "{energy}");
    assert_eq!(s.initial[0].value.expand().unwrap().to_string(), "x[3]: 1/2\n");
}

#[test]
fn a_branch_that_is_not_taken_may_leave_its_family() {
    let s = system(
        "param n : int = 5\nparam t[i in 1..n] : int = mod(2*i, 5) + 1\nparam u[i in 1..n] : int = if(i = 1 or t[i-1] = 1, 0, t[i-1])\n\
         coord x\nparam v[i in 1..n] = u[i]\nhamiltonian p_x^2*sum(i in 1..n, v[i]*x^i)\n",
    );
    // t = 3, 5, 2, 4, 1 and so u = 0, 3, 5, 2, 4.
    let energy = s.parameter("v").unwrap().default.as_ref().unwrap().expand().unwrap().to_string();
    assert_eq!(energy, "v[2]: 3\nv[3]: 5\nv[4]: 2\nv[5]: 4\n");
}

#[test]
fn a_long_family_with_an_if_has_few_terms() {
    let s = system("param n : int = 100000\nparam m[i in 1..n] = if(i = 1, 2, 1)\ncoord x\nhamiltonian p_x^2/m[n]\n");
    assert_eq!(s.parameter("m").unwrap().default.as_ref().unwrap().terms().len(), 2);
}

#[test]
fn a_gauge_condition_may_contain_the_parameter_of_the_orbit() {
    let text = "coord t, x\nlagrangian -sqrt(t'^2 - x'^2)\ngauge clock: t = 2*tau\n";
    let s = system(text);
    assert_eq!(s.gauges[0].residual.to_string(), "clock: t - 2*tau\n");
    assert_eq!(s.orbit_parameter.as_ref().map(|o| o.momentum.name()), Some("p_tau"));
    // It is no variable of the model, and what the model calls so is its own.
    assert_eq!(s.state().entry_names(), ["t", "x", "p_t", "p_x"]);
    let own = system(&format!("param tau = 3\n{text}"));
    assert_eq!(own.orbit_parameter, None);
    assert_eq!(own.gauges[0].residual.to_string(), "clock: t - 2*tau\n");
}

#[test]
fn entries_of_matrices_follow_from_those_that_are_variables() {
    let energy = |algebra: &str, energy: &str| {
        let s = system(&format!("algebra {algebra}: W\nhamiltonian {energy}\n"));
        s.dynamics.energy().expand().unwrap().to_string()
    };
    // One by one, and under sums.
    let trace = "sum(i in 1..3, j in 1..3, W[i, j]*W[j, i])";
    assert_eq!(energy("so(3)", "W[2, 1] + 2*W[1, 3] + W[2, 2]"), "2*W[1, 3] - W[1, 2]");
    assert_eq!(energy("so(3)", trace), "-2*W[1, 2]^2 - 2*W[1, 3]^2 - 2*W[2, 3]^2");
    assert_eq!(energy("so(3)", "sum(i in 2..3, j in 1..i-1, W[i, j])"), "-W[1, 2] - W[1, 3] - W[2, 3]");
    assert_eq!(energy("sl(2)", "W[2, 2] + W[2, 1]"), "W[2, 1] - W[1, 1]");
    assert_eq!(energy("sl(2)", "sum(i in 1..2, i*W[i, i])"), "-W[1, 1]");
    assert_eq!(energy("gl(2)", "sum(i in 1..2, i*W[i, i])"), "W[1, 1] + 2*W[2, 2]");
    assert_eq!(energy("sp(2)", "sum(i in 1..2, j in 1..2, W[i, j])"), "W[1, 1] + 2*W[1, 2] + W[2, 2]");
    assert_eq!(energy("su(2)", "W_im[2, 2]*W_re[2, 1] + W_im[2, 1]"), "W_im[1, 1]*W_re[1, 2] + W_im[1, 2]");
}

#[test]
fn the_bracket_of_an_algebra_is_a_family() {
    let bracket = |text: &str| {
        let Dynamics::Poisson { bracket, variables, algebras, .. } = system(text).dynamics else { panic!() };
        assert_eq!(algebras.iter().map(|a| a.dimension()).sum::<u64>(), variables.len() as u64);
        (bracket.terms().len(), bracket.expand().unwrap().terms().len(), variables.entry_names())
    };
    let names = ["W[1, 2]", "W[1, 3]", "W[2, 3]"].map(String::from).to_vec();
    assert_eq!(bracket("algebra so(3): W\nhamiltonian W[1, 2]\n"), (1, 6, names));
    let (families, entries, _) = bracket("param n : int = 20\nalgebra so(n): W\nhamiltonian W[1, 2]\n");
    assert_eq!((families, entries), (1, 20 * 19 * 18));
    assert_eq!(bracket("algebra so(3): L, gl(2): M\nhamiltonian L[1, 2] + M[2, 1]\n").0, 2);
}
