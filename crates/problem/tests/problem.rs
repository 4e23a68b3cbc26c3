//! From a system to something that can be integrated: what is refused, what is repaired.

use cotangent_compile::Engine;
use cotangent_compile::values::Setting;
use cotangent_dynamics::Advance;
use cotangent_integrate::Method;
use cotangent_model::{Options, System};
use cotangent_problem::{Instance, Integrator, ProblemError, Repairs};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;

const NONE: Repairs = Repairs { project_initial: false, drop_redundant: false };
const PROJECT: Repairs = Repairs { project_initial: true, drop_redundant: false };
const DROP: Repairs = Repairs { project_initial: false, drop_redundant: true };

fn problem(text: &str, set: &[(&str, f64)], repairs: Repairs) -> Result<Instance, ProblemError> {
    let system = System::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let setting = |&(name, value): &(&str, f64)| Setting { name: name.into(), index: None, value };
    let set: Vec<Setting> = set.iter().map(setting).collect();
    Instance::new(&system, Formulation::Multipliers, &set, repairs, Engine::Tape)
}

const PENDULUM: &str = "param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\n\
    constraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1, p_y = -2\n";

#[test]
fn consistent_data_are_taken_as_they_are() {
    let p = problem(PENDULUM, &[], NONE).unwrap();
    assert_eq!((p.start, p.moved, p.dropped), (vec![1.0, 0.0, 0.0, -2.0], None, vec![]));
}

#[test]
fn inconsistent_data_are_refused_with_their_residuals_or_projected() {
    let refused = problem(PENDULUM, &[("x", 0.8), ("p_x", 0.5)], NONE).err().unwrap();
    assert_eq!(refused.to_string(), "the initial data violate rod (off by -1.800e-1), d/dt rod (off by 4.000e-1)");
    let p = problem(PENDULUM, &[("x", 0.8), ("p_x", 0.5)], PROJECT).unwrap();
    // Straight out along the rod; then the momentum along it is taken away.
    let expected = [1.0, 0.0, 0.0, -2.0];
    assert!(p.start.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{:?}", p.start);
    let [q, v] = p.moved.unwrap();
    assert!((q - 0.2).abs() < 1e-15 && (v - 0.5).abs() < 1e-15);
}

#[test]
fn data_typed_with_nine_digits_are_polished_and_it_is_said() {
    let p = problem(PENDULUM, &[("x", 0.600000001), ("y", 0.8), ("p_x", 1.6), ("p_y", -1.2)], NONE).unwrap();
    let [q, _] = p.moved.unwrap();
    assert!(q > 1e-10 && q < 1e-8, "{q:e}");
    assert!((p.start[0].powi(2) + p.start[1].powi(2) - 1.0).abs() < 4e-16);
}

#[test]
fn data_that_no_projection_reaches_are_refused() {
    // From the centre of the circle there is no direction to go.
    let refused = problem(PENDULUM, &[("x", 0.0), ("y", 0.0)], PROJECT).err().unwrap();
    assert!(matches!(refused, ProblemError::SingularStart { .. }), "{refused}");
    assert!(refused.to_string().contains("`rod` restricts nothing"), "{refused}");
}

/// A pendulum whose rod is stated twice, in other words.
const TWICE: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\n\
    constraint rod: (x^2 + y^2 - 1)/2 = 0\nconstraint again: 3*x^2 + 3*y^2 = 3\ninitial x = 1, p_y = -2\n";

#[test]
fn redundant_constraints_are_named_and_can_be_dropped() {
    let refused = problem(TWICE, &[], NONE).err().unwrap();
    assert_eq!(refused.to_string(), "`again` depends on `rod`");
    let p = problem(TWICE, &[], DROP).unwrap();
    assert_eq!(p.dropped[0].name, "again");
    assert_eq!(p.equations.motion.system.constraints.len(), 1);
    let prepared = p.prepare(Method::Rattle).unwrap();
    let mut run =
        Integrator::new(&p.equations, &prepared, &p.parameters, NewtonOptions::default(), Engine::Tape).unwrap();
    let mut state = run.state(p.start);
    run.advance(&mut state, 0.01, 100).unwrap();
    assert!((3.0 * (state.values[0].powi(2) + state.values[1].powi(2) - 1.0)).abs() < 1e-14);
}

#[test]
fn contradictory_constraints_are_not_merely_redundant() {
    let text = TWICE.replace("= 3\n", "= 6\n");
    for repairs in [NONE, DROP, PROJECT, Repairs { project_initial: true, drop_redundant: true }] {
        let refused = problem(&text, &[], repairs).err().unwrap();
        assert_eq!(refused.to_string(), "the constraints contradict each other: `again` depends on `rod`");
    }
}

/// Five points in space, every two a fixed distance apart: ten constraints, of which nine hold the
/// body rigid.
fn body() -> System {
    let text = "param n : int = 5\nparam a[i in 1..n] = cos(i), b[i in 1..n] = sin(2*i), c[i in 1..n] = i/3\n\
        coord x[i in 1..n], y[i in 1..n], z[i in 1..n]\n\
        hamiltonian sum(i in 1..n, (p_x[i]^2 + p_y[i]^2 + p_z[i]^2)/2 + z[i])\n\
        constraint bond[i in 2..n, j in 1..i-1]: (x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2 \
          - (a[i] - a[j])^2 - (b[i] - b[j])^2 - (c[i] - c[j])^2 = 0\n\
        initial x[i in 1..n] = a[i], y[i in 1..n] = b[i], z[i in 1..n] = c[i]\n";
    System::parse_with(text, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn one_member_of_a_family_can_be_the_redundant_one() {
    let system = body();
    let refused = Instance::new(&system, Formulation::Multipliers, &[], NONE, Engine::Tape).err().unwrap().to_string();
    assert!(refused.starts_with("`bond[5, 4]` depends on `bond[2, 1]`"), "{refused}");
    let p = Instance::new(&system, Formulation::Multipliers, &[], DROP, Engine::Tape).unwrap();
    assert_eq!(p.equations.motion.system.constraints.len(), 9);
    let prepared = p.prepare(Method::Rattle).unwrap();
    let mut run =
        Integrator::new(&p.equations, &prepared, &p.parameters, NewtonOptions::default(), Engine::Tape).unwrap();
    let mut state = run.state(p.start.clone());
    run.advance(&mut state, 0.01, 100).unwrap();
    // The distance that was dropped is kept by the others.
    let apart = |v: &[f64]| (0..3).map(|k| (v[5 * k + 4] - v[5 * k + 3]).powi(2)).sum::<f64>();
    assert!((apart(&state.values) - apart(&p.start)).abs() < 1e-12);
}

#[test]
fn a_singular_start_is_not_a_redundancy() {
    // A parallelogram of four equal rods, folded flat: its two branches meet.
    let text = "coord x1, y1, x2, y2\nhamiltonian (p_x1^2 + p_y1^2 + p_x2^2 + p_y2^2)/2\n\
        constraint a: x1^2 + y1^2 = 1\nconstraint b: (x2 - x1)^2 + (y2 - y1)^2 = 1\n\
        constraint c: (x2 - 1)^2 + y2^2 = 1\ninitial x1 = 1, x2 = 2\n";
    let refused = problem(text, &[], DROP).err().unwrap();
    let ProblemError::SingularStart { constraints } = refused else { panic!("{refused}") };
    assert!(constraints.iter().all(|c| c.here_only));
}

#[test]
fn velocities_become_momenta_also_of_a_hamiltonian() {
    let text = "coord x, y\nhamiltonian sqrt(1 + 2*p_x^2 + p_x*p_y + p_y^2) + y\ninitial x' = 0.3, y' = -0.4\n";
    let p = problem(text, &[], NONE).unwrap();
    let [px, py] = [p.start[2], p.start[3]];
    let energy = (1.0 + 2.0 * px * px + px * py + py * py).sqrt();
    assert!(((2.0 * px + py / 2.0) / energy - 0.3).abs() < 1e-15);
    assert!(((px / 2.0 + py) / energy + 0.4).abs() < 1e-15);
    // Faster than this energy allows: no momentum has such a velocity.
    let refused = problem(text, &[("x'", 3.0)], NONE).err().unwrap();
    assert!(refused.to_string().contains("no momenta have the initial velocities"), "{refused}");
}

#[test]
fn a_redundant_constraint_that_the_data_violate_like_the_others_is_no_contradiction() {
    let both = Repairs { project_initial: true, drop_redundant: true };
    let p = problem(TWICE, &[("x", 0.8)], both).unwrap();
    assert!((p.start[0] - 1.0).abs() < 1e-15);
    assert!(matches!(problem(TWICE, &[("x", 0.8)], PROJECT).err(), Some(ProblemError::Redundant { .. })));
}

#[test]
fn a_constraint_force_that_nothing_resists_is_refused() {
    for text in [
        "coord x, y\nhamiltonian p_x^2/2 + y\nconstraint a: y = 0\n",
        "coord x, y\nlagrangian (x'^2 - y'^2)/2 - y\nconstraint a: x - y = 0\n",
    ] {
        let refused = problem(text, &[], NONE).err().unwrap();
        assert!(matches!(&refused, ProblemError::Unresisted { name } if name == "a"), "{refused}");
    }
}

#[test]
fn equations_without_a_value_at_the_start_are_refused() {
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)\n";
    let refused = problem(text, &[], NONE).err().unwrap();
    assert!(matches!(refused, ProblemError::NoRate(_)), "{refused}");
}

/// Two angles and a length in units of l. The gradients (1/l, −0.5, −k) and (1/l, −0.7, k) are independent in any unit;
/// twice the first is not.
#[test]
fn whether_constraints_are_redundant_does_not_depend_on_the_units_of_coordinates() {
    for l in [1e-27, 1e-10, 1e-3, 1.0, 1e5, 1e12, 1e24] {
        for k in [0.3, 1e-4] {
            let text = format!(
                "param l = {l:e}, k = {k}\ncoord x, a, b\nhamiltonian l^2*p_x^2/2 + p_a^2/2 + p_b^2/2\n\
                 constraint c: x/l - a/2 - k*b = 0\nconstraint d: x/l - 7*a/10 + k*b = 0\n"
            );
            problem(&text, &[], NONE).unwrap_or_else(|e| panic!("{l:e} {k}: {e}"));
            let twice = format!("{text}constraint e: 2*x/l - a - 2*k*b = 0\n");
            let refused = problem(&twice, &[], NONE).err().unwrap();
            assert_eq!(refused.to_string(), "`e` depends on `c`", "{l:e} {k}");
            // (x/l)² is flat at x = 0, and nowhere else.
            let flat = format!("{text}constraint f: (x/l)^2 = 0\n");
            let refused = problem(&flat, &[], NONE).err().unwrap();
            assert!(matches!(refused, ProblemError::SingularStart { .. }), "{l:e} {k}: {refused}");
        }
    }
}

#[test]
fn constraints_in_scales_whose_squares_are_no_numbers_are_named() {
    for (factor, far) in
        [(1e-155, false), (1e-163, true), (1e155, true), (1e-200, true), (1e100, false), (1e-140, false)]
    {
        let text = PENDULUM.replace("(x^2 + y^2 - 1)/2", &format!("{factor:e}*(x^2 + y^2 - 1)/2"));
        match problem(&text, &[], NONE) {
            Ok(_) => assert!(!far, "{factor:e}"),
            Err(refused) => {
                assert!(far, "{factor:e}: {refused}");
                assert!(matches!(&refused, ProblemError::Scale { name, .. } if name == "rod"), "{refused}");
            }
        }
    }
}
