//! Velocities and multipliers that solve equations with several solutions: starts in any units, and runs that keep to their
//! branch or stop.

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, FailureKind, Measure};
use cotangent_integrate::Method;
use cotangent_model::System;
use cotangent_observe::{End, Run, Schedule};
use cotangent_problem::{Instance, Model, PoseError, ProblemError, Repairs, pose};
use cotangent_scalar::Limits;
use cotangent_theory::Formulation;

fn posed(text: &str) -> Result<Instance, PoseError> {
    pose(&System::parse(text).unwrap(), Formulation::IndexOne, &[], Repairs::default(), Engine::Best)
}

fn gauss(stages: usize) -> Method {
    Method::Gauss { stages }
}

/// How a run ended, its last state, and the time.
fn run(problem: &Instance, method: Method, h: f64, steps: u64) -> (End, Vec<f64>, f64) {
    let prepared = problem.prepare(method).unwrap();
    let (integrator, diagnostics) = (problem.integrator(&prepared).unwrap(), problem.diagnostics().unwrap());
    let schedule = Schedule::count(h, steps, 1).unwrap();
    let mut run = Run::new(integrator, diagnostics, schedule, problem.start.clone()).unwrap();
    let end = run.go(&Limits::default(), &mut []).unwrap();
    (end, run.state().values.clone(), run.time())
}

fn has_stopped(end: &End) -> bool {
    matches!(end, End::Failed(f) if matches!(f.kind(), FailureKind::Ended | FailureKind::Torn))
}

/// Unit speed l/T with masses m and a force of 0.8 m l/T².
fn unit_speed([m, l, time]: [f64; 3], initial: &str) -> String {
    format!(
        "param m = {m:e}, l = {l:e}, T = {time:e}\ncoord x, y\nlagrangian m*(x'^2 + y'^2)/2 - 0.8*m*l/T^2*x\n\
         vakonomic s: (x'^2 + y'^2)/2 - l^2/T^2/2 = 0\ninitial {initial}\n"
    )
}

#[test]
fn starts_and_runs_do_not_depend_on_units() {
    for units in [
        [1.0, 1.0, 1.0],
        [1e9, 1.0, 1.0],
        [1e24, 1e-9, 1e9],
        [1e-9, 1.0, 1.0],
        [1e-30, 1e-10, 1e-16],
        [1e-27, 1e-3, 1.0],
        [3e7, 2.0, 0.1],
    ] {
        let [m, l, time] = units;
        for initial in ["p_y = 1.5*m*l/T", "y' = l/T, lambda_s = -0.5*m", "p_y = 1.5*m*l/T, lambda_s = -0.5*m"] {
            let problem = posed(&unit_speed(units, initial)).unwrap();
            let expected = [0.0, 0.0, 0.0, 1.5 * m * l / time, 0.0, l / time, -0.5 * m];
            let sizes = [l, l, m * l / time, m * l / time, l / time, l / time, m];
            for k in 0..7 {
                let off = (problem.start[k] - expected[k]).abs() / sizes[k];
                assert!(off < 1e-13, "{units:?} {initial}: {:?}", problem.start);
            }
            let (end, state, _) = run(&problem, gauss(2), 0.05 * time, 60);
            assert!(matches!(end, End::Finished), "{units:?} {initial}: {end:?}");
            // x = (c/a)(1 − √(1 + s²)), y = (c/a) asinh s with c = 1.5, a = 0.8 and s = a t/c.
            let s = 0.8 * 3.0 / 1.5;
            let exact = [1.5 / 0.8 * (1.0 - f64::hypot(1.0, s)), 1.5 / 0.8 * f64::asinh(s)];
            let off = f64::hypot(state[0] / l - exact[0], state[1] / l - exact[1]);
            assert!(off < 1e-7, "{units:?} {initial}: {state:?}");
        }
    }
}

#[test]
fn a_start_is_found_from_far_away_too() {
    for power in 0..=12 {
        let p = 1.5 * 10f64.powi(power);
        let problem = posed(&unit_speed([1.0; 3], &format!("p_y = {p:e}"))).unwrap();
        // p = (1 − λ) q̇
        assert!((problem.start[5] - 1.0).abs() < 1e-13, "{p}: {:?}", problem.start);
        assert!((problem.start[6] / (1.0 - p) - 1.0).abs() < 1e-13, "{p}: {:?}", problem.start);
    }
}

/// Where g = w² vanishes so does its gradient: λ is not determined, however small Newton's method makes w.
#[test]
fn a_multiple_root_is_no_start() {
    for (constraint, p) in
        [("(x*x' + y*y')^2", "1"), ("(x*x' + y*y')^2", "1e6"), ("x'^2 + y'^2", "0.3"), ("(x' - y')^4", "1")]
    {
        let text = format!(
            "coord x, y\nlagrangian (x'^2 + y'^2)/2\nvakonomic a: {constraint} = 0\n\
             initial x = 0.3, y = 0.4, p_x = {p}, p_y = 0.3\n"
        );
        let refused = posed(&text).err();
        let is_named = |e: &ProblemError| matches!(e, ProblemError::NotIndexOne { .. } | ProblemError::NotProjected(_));
        assert!(
            refused.as_ref().is_some_and(|e| matches!(e, PoseError::Problem(e) if is_named(e))),
            "{constraint}: {refused:?}"
        );
    }
}

#[test]
fn a_given_multiplier_chooses_the_branch_and_others_are_named() {
    let other = posed(&unit_speed([1.0; 3], "p_y = 1.5, lambda_s = 2.5")).unwrap();
    assert!((other.start[5] + 1.0).abs() < 1e-14 && (other.start[6] - 2.5).abs() < 1e-14, "{:?}", other.start);
    let wrong = posed(&unit_speed([1.0; 3], "p_y = 1.5, lambda_s = 2")).unwrap_err();
    assert!(
        matches!(&wrong, PoseError::Problem(ProblemError::Contradicted { name, .. }) if name == "lambda_s"),
        "{wrong}"
    );
    let roots =
        "variables q, p, a\nform (p, q) = 1\nhamiltonian p^2/2 + q^2/2 + a^3/3 - a*(1 + q^2)\ninitial q = 1, p = 0.2\n";
    let found = posed(roots).unwrap();
    let ([(_, a)], [(name, b)]) = (&found.determined[..], &found.alternative[..]) else { panic!("{found:?}") };
    assert!((a.abs() - 2f64.sqrt()).abs() < 1e-14 && (a + b).abs() < 1e-13 && name == "a", "{a} {b}");
    // One solution alone has no other.
    assert!(posed(include_str!("../../../models/heisenberg-form.cot")).unwrap().alternative.is_empty());
}

/// A variable beside which all others are small is no excuse.
#[test]
fn a_value_is_compared_with_its_own_equation() {
    for far in ["1", "1e10", "1e-10"] {
        let text = format!(
            "variables x, y, u, v, lambda\nform (u, x) = 1, (v, y) = 1\nhamiltonian (u^2 + v^2)/2 + lambda^2/2 + lambda*u\n\
             initial x = {far}, u = 1, v = 1, lambda = 50\n"
        );
        let refused = posed(&text).unwrap_err();
        let expected = ProblemError::Contradicted { name: "lambda".into(), given: 50.0, found: -1.0 };
        assert!(matches!(&refused, PoseError::Problem(e) if *e == expected), "{refused}");
    }
}

/// ẏ = √(x² + ε²) with λ = 1 and ẍ = x: x = −cosh t + 1.5 sinh t. The branches ẏ = ±√(x² + ε²) come near each other in x = 0, and
/// have matrices of the same inertia.
#[test]
fn a_jump_between_branches_of_one_inertia_is_seen() {
    let exact = |eps: f64| {
        let n = 200_000;
        let speed = |k: i32| {
            let t = 2.0 * f64::from(k) / f64::from(n);
            f64::hypot(1.5 * t.sinh() - t.cosh(), eps)
        };
        (0..n).map(|k| (speed(k) + speed(k + 1)) / f64::from(n)).sum::<f64>()
    };
    let mut stopped = 0;
    for eps in [0.02, 0.001] {
        let text = format!(
            "param eps = {eps}\ncoord x, y\nlagrangian (x'^2 + y'^2)/2\nvakonomic g: (y'^2 - x^2 - eps^2)/2 = 0\n\
             initial x = -1, x' = 1.5, y' = sqrt(1 + eps^2), lambda_g = 1\n"
        );
        let (problem, y) = (posed(&text).unwrap(), exact(eps));
        for stages in 1..=3 {
            for steps in [10, 20, 40, 200, 1000] {
                let (end, state, _) = run(&problem, gauss(stages), 2.0 / steps as f64, steps);
                match end {
                    End::Finished => {
                        assert!((state[1] - y).abs() < 0.02, "{eps} {stages} {steps}: {} for {y}", state[1])
                    }
                    end => {
                        assert!(has_stopped(&end), "{eps} {stages} {steps}: {end:?}");
                        stopped += 1;
                    }
                }
            }
        }
        let (end, state, _) = run(&problem, gauss(2), 0.0004, 5000);
        assert!(matches!(end, End::Finished) && (state[1] - y).abs() < 1e-4, "{eps}: {end:?} {} for {y}", state[1]);
    }
    assert!(stopped < 30);
}

/// H = p²/2 + a³/3 − a (q² + ε²), so that a = √(q² + ε²): q̇ = p, ṗ = 2 a q.
#[test]
fn a_form_keeps_to_its_branch_too() {
    let eps = 0.02;
    let text = format!(
        "param eps = {eps}\nvariables q, p, a\nform (p, q) = 1\nhamiltonian p^2/2 + a^3/3 - a*(q^2 + eps^2)\n\
         initial q = -1, p = 2, a = sqrt(1 + eps^2)\n"
    );
    let problem = posed(&text).unwrap();
    let rate = |[q, p]: [f64; 2]| [p, 2.0 * f64::hypot(q, eps) * q];
    let (mut z, h) = ([-1.0, 2.0], 1e-4);
    for _ in 0..10_000 {
        let ahead = |z: [f64; 2], h: f64, k: [f64; 2]| [z[0] + h * k[0], z[1] + h * k[1]];
        let a = rate(z);
        let b = rate(ahead(z, h / 2.0, a));
        let c = rate(ahead(z, h / 2.0, b));
        let d = rate(ahead(z, h, c));
        z = [0, 1].map(|k| z[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
    }
    for stages in 1..=3 {
        for steps in [5, 10, 20, 50] {
            let (end, state, _) = run(&problem, gauss(stages), 1.0 / steps as f64, steps);
            match end {
                End::Finished => {
                    assert!(
                        state[2] > 0.0 && f64::hypot(state[0] - z[0], state[1] - z[1]) < 0.03,
                        "{stages} {steps}: {state:?}"
                    );
                }
                end => assert!(has_stopped(&end), "{stages} {steps}: {end:?}"),
            }
        }
    }
    let (end, state, _) = run(&problem, gauss(2), 0.002, 500);
    assert!(
        matches!(end, End::Finished) && f64::hypot(state[0] - z[0], state[1] - z[1]) < 1e-5,
        "{end:?} {state:?} {z:?}"
    );
}

#[test]
fn many_particles_are_followed_as_one_is() {
    for n in [1, 25] {
        let text = format!(
            "param n : int = {n}\ncoord x[i in 1..n], y[i in 1..n]\n\
             lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - 0.8*x[i])\n\
             vakonomic speed[i in 1..n]: (x[i]'^2 + y[i]'^2 - 1)/2 = 0\ninitial p_x = 0.4, p_y = 0.001\n"
        );
        let (end, _, time) = run(&posed(&text).unwrap(), gauss(2), 0.07, 10);
        assert!(has_stopped(&end) && (0.42..0.5).contains(&time), "{n}: {end:?} at {time}");
    }
}

/// ẏ³ − 3ẏ = x has the branch ẏ < −1 up to x = 2 alone. p_y = ẏ − 3λ(ẏ² − 1) stays, and with it ½ ẋ² + p_y ẏ − ½ ẏ²: the
/// motion gets to the fold with a speed, and ends there.
#[test]
fn a_motion_ends_at_a_fold_and_is_not_thrown_back() {
    let first = -2.103_803_402_735_536_6;
    let text = format!(
        "coord x, y\nlagrangian (x'^2 + y'^2)/2\nvakonomic g: y'^3 - 3*y' = x\n\
         initial x = -3, x' = 1, y' = {first}, lambda_g = 0\n"
    );
    let problem = posed(&text).unwrap();
    // dx = 3 (Y² − 1) dY
    let speed = |y: f64| (1.0 + 2.0 * first * (first - y) - (first * first - y * y)).sqrt();
    let n = 100_000;
    let rate = |k: i32| {
        let y = first + (-1.0 - first) * (f64::from(k) + 0.5) / f64::from(n);
        3.0 * (y * y - 1.0) / speed(y)
    };
    let fold = (0..n).map(rate).sum::<f64>() * (-1.0 - first) / f64::from(n);
    for (stages, h) in [(1, 0.05), (2, 0.05), (2, 0.1), (3, 0.02), (2, 0.013)] {
        let (end, state, time) = run(&problem, gauss(stages), h, (8.0 / h) as u64);
        assert!(matches!(end, End::Failed(_)), "{stages} {h}: {end:?} {state:?}");
        assert!(
            (time - fold).abs() < 3.0 * h && state[0] < 2.0,
            "{stages} {h}: stopped at {time}, the fold is at {fold}"
        );
    }
}

/// With masses ((1, c), (c, 1 + z)) and ẋ + ẏ = 0 there is the energy p²/(2 + z − 2c)/2 of the momentum along the constraint: a
/// barrier at z = 2c − 2, behind which it is negative.
#[test]
fn a_pole_of_the_velocities_is_not_stepped_over() {
    for (c, p) in [(0.3, 0.01), (0.3, 0.001), (0.1, 0.01)] {
        let text = format!(
            "param c = {c}, p = {p}\ncoord x, y, z\nlagrangian (x'^2 + (1 + z)*y'^2)/2 + c*x'*y' + z'^2/2\n\
             vakonomic a: x' + y' = 0\ninitial z = 1, p_x = p, p_y = -p, p_z = -1\n"
        );
        let problem = posed(&text).unwrap();
        for h in [0.1, 0.05, 0.013] {
            let (end, state, _) = run(&problem, gauss(2), h, (8.0 / h) as u64);
            let is_kept = match &end {
                End::Finished => state[5] > 0.0,
                end => has_stopped(end),
            };
            assert!(is_kept && state[2] > 2.0 * c - 2.0, "{c} {p} {h}: {end:?} {state:?}");
        }
    }
}

#[test]
fn small_units_do_not_hide_that_equations_are_of_index_one() {
    for m in [1e-30, 1e-20, 1e-16, 1e-9, 1.0, 1e9, 1e20] {
        let text = format!(
            "param m = {m:e}, l = 1e-10, T = 1e-12\ncoord x, y, z\nlagrangian m*(x'^2 + y'^2 + z'^2)/2\n\
             vakonomic a: z' - (y*x' - x*y')/l = 0\ninitial x' = 0.1*l/T, y' = 0.3*l/T, lambda_a = m*l/T\n"
        );
        let model = Model::new(&System::parse(&text).unwrap(), &Limits::default());
        assert_eq!(model.preferred(&[]).unwrap().formulation, Formulation::IndexOne, "{m}");
    }
}

/// Velocities in which the extended Lagrangian is affine, beside others in which it is not quadratic.
#[test]
fn the_analysis_leads_to_the_same_motions_where_velocities_are_roots() {
    for text in [
        "coord x, y\nlagrangian x'^2/2 - cos(x)*y\nvakonomic g: y' - sqrt(1 + x'^2) = 0\n\
         initial x = 0.1, y = 0.2, x' = 0.7, y' = 1.2206555615733703, lambda_g = 0.4\n",
        "coord x, y, z\nlagrangian (x'^2 + y'^2)/2 + x'^4/4 - x*z\nvakonomic g: z' - exp(x')*y = 0\n\
         initial x = 0.1, y = 0.2, z = 0.3, x' = 0.7, y' = 0.5, z' = 0.40275054149409534, lambda_g = 0.4\n",
    ] {
        let own = posed(text).unwrap();
        let system = System::parse(text).unwrap();
        let dirac = pose(&system, Formulation::HamiltonDirac, &[], Repairs::default(), Engine::Best).unwrap();
        let n = system.dynamics.variables().len();
        let (_, state, _) = run(&own, gauss(4), 0.02, 50);
        let (_, reference, _) = run(&dirac, Method::Dop853 { tolerance: Some(1e-13) }, 0.02, 50);
        let off = (0..n).map(|k| (state[k] - reference[k]).abs()).fold(0.0, f64::max);
        assert!(off < 1e-10, "{text}: {state:?} {reference:?}");
    }
}

#[test]
fn what_no_multiplier_is_determined_by_is_named() {
    let refused = |text: &str| match posed(text).unwrap_err() {
        PoseError::Problem(error) => error,
        other => panic!("{other}"),
    };
    let free = "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - z\n";
    let same = format!(
        "{free}vakonomic v: x*x' + y*y' + z*z' = 0\nconstraint ball: (x^2 + y^2 + z^2 - 1)/2 = 0\n\
         initial x = 1, y' = 1, lambda_v = 0.3\n"
    );
    assert_eq!(refused(&same), ProblemError::DependentTogether { name: "ball".into() });
    let vanishing = format!("{free}vakonomic a: x*z' - y*x' = 0\ninitial p_x = 1\n");
    assert_eq!(refused(&vanishing), ProblemError::Unrestricting { name: "a".into() });
    let null = "coord x, y\nlagrangian (x'^2 - y'^2)/2 - x^2\nvakonomic a: x' + y' = 0\ninitial x = 1\n";
    assert_eq!(refused(null), ProblemError::Unrestricting { name: "a".into() });
    let light = "coord x, y, z\nlagrangian (x'^2 + y'^2)/2\nvakonomic a: y*x' = 0\ninitial x = 1, y = 1, p_y = 1\n";
    assert_eq!(refused(light), ProblemError::NotIndexOne { variables: vec!["z'".into()] });
}

#[test]
fn velocities_that_a_projection_changes_are_listed() {
    let system = System::parse(
        "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nvakonomic a: z' - y*x' = 0\n\
         initial y = 1, x' = 1, z' = 2, lambda_a = 1\n",
    );
    let repairs = Repairs { project_initial: true, ..Repairs::default() };
    let problem = pose(&system.unwrap(), Formulation::IndexOne, &[], repairs, Engine::Best).unwrap();
    // (1, 2) goes to the nearest point with z' = x'.
    assert_eq!(problem.determined, [("x'".to_owned(), 1.5), ("z'".to_owned(), 1.5)]);
}

/// Velocities and multipliers that are variables are recorded once.
#[test]
fn no_column_has_the_name_of_another() {
    let own = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nvakonomic a: x*x' + y*y' = 0\ninvariant integral_a = x^2 + y^2\n\
               initial x = 1, p_y = 1\n";
    for text in [&unit_speed([1.0; 3], "p_y = 1.5"), own] {
        let names = posed(text).unwrap().diagnostics().unwrap().names();
        let lists = [names.state, names.observables, names.multipliers, names.auxiliaries, names.claims];
        let mut all: Vec<String> = lists.into_iter().flatten().map(|f| f.name).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "{all:?}");
    }
}

/// A rod as J ż = ∇H with H = ½|p|² + λ φ, φ = (|q|² − 1)/2, is of index three, and refused: the end of a step says nothing about
/// λ. H − ½ ε λ² is of index one for every ε > 0, passes the check, and its steps differ by ε from those that are refused. With
/// ε ≪ h² the implicit midpoint rule of this program makes the steps of the closed form for ε = 0 (with a = q + h p/2:
/// Q = a/|a|, h²λ/4 = |a| − 1); positions converge, and momenta do not.
#[test]
fn below_the_refusal_the_midpoint_rule_does_not_converge_in_the_momenta() {
    let text = |eps: &str| {
        format!(
            "variables x, y, u, v, lambda\nform (u, x) = 1, (v, y) = 1\n\
             hamiltonian (u^2 + v^2)/2 + lambda*(x^2 + y^2 - 1)/2 - {eps}*lambda^2/2\ninitial x = 1, v = 1\n"
        )
    };
    assert!(posed(&text("0")).is_err());
    let problem = posed(&text("1e-12")).unwrap();
    let prepared = problem.prepare(Method::ImplicitMidpoint).unwrap();
    let errors = [100u32, 200, 400, 800].map(|steps| {
        let h = 1.0 / f64::from(steps);
        let mut integrator = problem.integrator(&prepared).unwrap();
        let mut state = integrator.state(problem.start.clone());
        let (mut q, mut p) = ([1.0, 0.0], [0.0, 1.0]);
        for step in 0..=steps {
            integrator.advance(&mut state, h, 1).unwrap();
            let a = [0, 1].map(|k| q[k] + h / 2.0 * p[k]);
            let size = f64::hypot(a[0], a[1]);
            for k in 0..2 {
                q[k] = 2.0 * a[k] / size - q[k];
                p[k] -= 4.0 * (size - 1.0) / h * a[k] / size;
            }
            // Later, what ε changes has grown.
            if step < 10 {
                let own = &state.values;
                let apart = f64::hypot(own[0] - q[0], own[1] - q[1]).max(f64::hypot(own[2] - p[0], own[3] - p[1]));
                assert!(apart < 1e-4, "{steps}: {own:?} {q:?} {p:?}");
            }
        }
        let own = &state.values;
        let t = f64::from(steps + 1) * h;
        [f64::hypot(own[0] - t.cos(), own[1] - t.sin()), f64::hypot(own[2] + t.sin(), own[3] - t.cos())]
    });
    let falls = |k: usize| errors[3][k] < errors[0][k] / 4.0;
    assert!(falls(0) && !falls(1), "{errors:?}");
}
