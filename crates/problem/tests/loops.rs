//! Steps of large systems are loops over families, and what they find is what calls of functions find.

#[path = "common/systems.rs"]
mod systems;

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_integrate::{Composition, Method, Recipe, StageSolver};
use cotangent_problem::Integrator;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use systems::{Case, shipped};

/// A closed chain on springs, with masses of its own: constraints that end where they begin.
const RING: &str = "param n : int = 40\nparam m[i in 1..n] = 1 + i/n\nparam k = 3\n\
    coord x[i in 1..n], y[i in 1..n]\n\
    lagrangian sum(i in 1..n, m[i]*(x[i]'^2 + y[i]'^2)/2 - m[i]*y[i] - k*(x[i]^2 + y[i]^2)/2)\n\
    constraint link[i in 1..n]: ((x[i] - x[mod(i, n) + 1])^2 + (y[i] - y[mod(i, n) + 1])^2)/2 = 2*sin(pi/n)^2\n\
    initial x[i in 1..n] = cos(2*pi*i/n), y[i in 1..n] = sin(2*pi*i/n)\n";

/// A strip of triangles in space, hung up at one side: several constraints for each member, and masses that differ by direction.
/// With `+ 0` replaced, the masses have to be solved for.
const STRIP: &str = "param n : int = 30\n\
    coord x[i in 1..n], y[i in 1..n], z[i in 1..n]\n\
    lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2 + 2*z[i]'^2 + 0)/2 - z[i])\n\
    constraint top: (x[1]^2 + y[1]^2 + z[1]^2 - 1)/2 = 0\n\
    constraint side[i in 2..n]: ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 + (z[i] - z[i-1])^2 - 1)/2 = 0\n\
    constraint brace[i in 3..n]: ((x[i] - x[i-2])^2 + (y[i] - y[i-2])^2 + (z[i] - z[i-2])^2 - 1)/2 = 0\n\
    initial x[i in 1..n] = i/2 + 1/2, y[i in 1..n] = sqrt(3)/2*mod(i - 1, 2)\n";

fn both(text: &str, n: Option<i64>, recipe: impl Into<Recipe>, engine: Engine) -> (Case, Integrator, Integrator) {
    let case = Case::new(text, n, Formulation::Multipliers, engine);
    let prepared = case.equations.prepare(recipe).unwrap();
    let options = NewtonOptions::default();
    let whole = Integrator::new(&case.equations, &prepared, &case.parameters, options, engine).unwrap();
    let parts = Integrator::in_parts(&case.equations, &prepared, &case.parameters, options).unwrap();
    (case, whole, parts)
}

/// Runs both ways; they agree to the last bit.
fn agree(text: &str, n: Option<i64>, recipe: impl Into<Recipe>, engine: Engine, h: f64, steps: u64) -> Integrator {
    let recipe = recipe.into();
    let (case, mut whole, mut parts) = both(text, n, recipe.clone(), engine);
    let (mut a, mut b) = (whole.state(case.start.clone()), parts.state(case.start.clone()));
    // In several calls: what is done once is done in each of them.
    for _ in 0..2 {
        whole.advance(&mut a, h, steps).unwrap();
        parts.advance(&mut b, h, steps).unwrap();
    }
    assert!(a.values != case.start, "it moves");
    assert_eq!((a.values, a.carry), (b.values, b.carry), "{recipe:?} n = {n:?}");
    assert_eq!([whole.iterations(), whole.contractions()], [parts.iterations(), parts.contractions()]);
    whole
}

/// Whether native code made every step, where there is any.
fn is_native(whole: &Integrator) -> bool {
    !cfg!(feature = "jit") || whole.replayed() == 0
}

#[test]
fn a_chain_is_loops_of_the_same_numbers() {
    let masses = shipped("chain").replace("param m[i in 1..n] = 1", "param m[i in 1..n] = 1 + i/n");
    for method in [Method::Rattle, Method::Shake] {
        let short = agree(&masses, Some(60), method, Engine::Best, 0.01, 40);
        let long = agree(&masses, Some(400), method, Engine::Best, 0.01, 5);
        assert!(short.is_looped() && long.is_looped(), "{method:?}");
        // One native function, with the elimination inside.
        assert!(is_native(&short) && is_native(&long), "{method:?}");
        // The code is the same, however long the chain is.
        assert_eq!(short.operations(), long.operations(), "{method:?}");
    }
}

#[test]
fn the_tape_runs_the_same_loops() {
    assert!(agree(&shipped("chain"), Some(50), Method::Rattle, Engine::Tape, 0.01, 10).is_looped());
}

#[test]
fn a_tree_is_loops_over_lists_of_places() {
    let tree = agree(&shipped("tree"), Some(100), Method::Rattle, Engine::Best, 0.01, 20);
    assert!(tree.is_looped() && is_native(&tree));
}

#[test]
fn rings_and_strips_are_loops_too() {
    assert!(agree(RING, None, Method::Rattle, Engine::Best, 0.01, 20).is_looped());
    assert!(agree(STRIP, None, Method::Rattle, Engine::Best, 0.002, 20).is_looped());
    // Linear equations inside of functions are left to calls of these.
    let coupled = STRIP.replace("+ 0)", "+ y[i]'*z[i]')");
    assert!(!agree(&coupled, None, Method::Rattle, Engine::Best, 0.002, 20).is_looped());
}

#[test]
fn rows_of_a_chain_that_are_exchanged_are_left_to_the_solver() {
    // Links that fold back on themselves: where neighbours are opposite a row has its largest entry beside the diagonal.
    let folded = shipped("chain").replace("initial x[i in 1..n] = i*l", "initial x[i in 1..n] = mod(i, 2)*l");
    let masses = folded.replace("param m[i in 1..n] = 1", "param m[i in 1..n] = 1 + 999*mod(floor(i/2), 2)");
    assert!(masses.contains("mod(i, 2)*l") && masses.contains("999"), "{masses}");
    let chain = agree(&masses, Some(40), Method::Rattle, Engine::Best, 0.001, 40);
    assert!(chain.is_looped() && is_native(&chain));
}

#[test]
fn a_chain_at_rest_stays_there() {
    // Every residual is zero: no update is made.
    let hung = shipped("chain").replace("initial x[i in 1..n] = i*l", "initial y[i in 1..n] = -i*l");
    let (case, mut whole, mut parts) = both(&hung.replace("g = 1", "g = 0"), Some(30), Method::Rattle, Engine::Best);
    let (mut a, mut b) = (whole.state(case.start.clone()), parts.state(case.start.clone()));
    whole.advance(&mut a, 0.01, 5).unwrap();
    parts.advance(&mut b, 0.01, 5).unwrap();
    assert_eq!((&a.values, &a.values), (&b.values, &case.start));
    assert_eq!([whole.iterations(), parts.iterations()], [0; 2]);
    assert!(is_native(&whole));
}

#[test]
fn without_constraints_a_lattice_is_loops() {
    assert!(agree(&shipped("toda"), Some(200), Method::Rattle, Engine::Best, 0.01, 50).is_looped());
}

/// Members whose indices run at different paces meet: there both terms of the energy act on the same one.
#[test]
fn members_that_meet_are_acted_on_by_both_terms() {
    let meeting = [
        ("x[i]*x[31-i]/2 + cos(x[i])", 1, 30),
        ("x[i]*x[32-i]/2 + x[i]^4", 1, 31),
        ("x[2*i]^2*x[i+3]/2", 1, 15),
        ("x[2*i-1]*x[i]", 1, 15),
        ("x[3*i]*x[i+2]", 1, 10),
        ("x[i]*x[7]/9", 1, 31),
        ("x[i]*x[32-i]*x[2*i-20]", 11, 25),
    ];
    for (term, low, high) in meeting {
        let text = format!(
            "coord x[i in 1..31]\nhamiltonian sum(i in 1..31, p_x[i]^2/2 + x[i]^2) + sum(i in {low}..{high}, {term})\n\
             initial x[i in 1..31] = cos(i), p_x[i in 1..31] = sin(3*i)/2\n"
        );
        // The same system with each member by itself.
        let sum: Vec<String> = (low..=high).map(|i| written(term, i)).collect();
        let single: Vec<String> = (1..=31).map(|i| format!("p_x{i}^2/2 + x{i}^2")).collect();
        let names: Vec<String> = (1..=31).map(|i| format!("x{i}")).collect();
        let initial: Vec<String> = (1..=31).map(|i| format!("x{i} = cos({i}), p_x{i} = sin(3*{i})/2")).collect();
        let members = format!(
            "coord {}\nhamiltonian {} + {}\ninitial {}\n",
            names.join(", "),
            single.join(" + "),
            sum.join(" + "),
            initial.join(", ")
        );
        let newton = |method: Method| Recipe::from(method).solved_by(Some(StageSolver::Newton));
        for recipe in [newton(Method::Gauss { stages: 2 }), Method::Gauss { stages: 2 }.into(), Method::Rk4.into()] {
            let end = |text: &str| {
                let whole = agree(text, None, recipe.clone(), Engine::Best, 0.05, 10);
                let (case, mut run, _) = both(text, None, recipe.clone(), Engine::Best);
                let mut state = run.state(case.start.clone());
                run.advance(&mut state, 0.05, 20).unwrap();
                assert!(whole.is_looped() || whole.is_whole());
                state.values
            };
            let apart = end(&text).iter().zip(end(&members)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "{term}: {apart:e} by {recipe:?}");
        }
    }
}

/// A term for one i, with members called by their numbers.
fn written(term: &str, i: i64) -> String {
    let mut out = String::new();
    let mut rest = term;
    while let Some((before, after)) = rest.split_once("x[") {
        let (index, after) = after.split_once(']').unwrap();
        let at = match index {
            "i" => i,
            "7" => 7,
            "2*i" => 2 * i,
            "2*i-1" => 2 * i - 1,
            "2*i-20" => 2 * i - 20,
            "3*i" => 3 * i,
            "i+2" => i + 2,
            "i+3" => i + 3,
            _ => index.strip_suffix("-i").unwrap().parse::<i64>().unwrap() - i,
        };
        out += &format!("{before}x{at}");
        rest = after;
    }
    out + rest
}

#[test]
fn a_step_without_a_solution_fails_as_calls_of_functions_do() {
    let (case, mut whole, mut parts) = both(&shipped("chain"), Some(60), Method::Rattle, Engine::Best);
    assert!(whole.is_looped());
    let (mut a, mut b) = (whole.state(case.start.clone()), parts.state(case.start.clone()));
    let failed = whole.advance(&mut a, 20.0, 3).unwrap_err();
    assert_eq!(failed, parts.advance(&mut b, 20.0, 3).unwrap_err());
    assert_eq!(failed.0, 0);
    assert_eq!(a.values, case.start);
}

#[test]
fn free_fall_has_multipliers_that_are_noise() {
    let strip = STRIP.replace("constraint top: (x[1]^2 + y[1]^2 + z[1]^2 - 1)/2 = 0\n", "");
    assert_ne!(strip, STRIP);
    let falling = agree(&strip, None, Method::Rattle, Engine::Best, 0.001, 20);
    assert!(falling.is_looped() && is_native(&falling));
}

#[test]
fn the_stages_of_a_composition_are_one_loop() {
    let composed = |method: Method, composition| Recipe::from(method).composed(composition);
    let masses = shipped("chain").replace("param m[i in 1..n] = 1", "param m[i in 1..n] = 1 + i/n");
    let chain = |composition, engine| agree(&masses, Some(60), composed(Method::Rattle, composition), engine, 0.02, 6);
    let [short, long] = [Composition::Suzuki4, Composition::SofroniouSpaletta10].map(|c| chain(c, Engine::Best));
    assert!(short.is_looped() && is_native(&short) && is_native(&long));
    // Five stages and thirty-five are the same code.
    assert_eq!(short.operations(), long.operations());
    assert!(chain(Composition::KahanLi8, Engine::Tape).is_looped());
    for text in [shipped("tree"), RING.to_string(), STRIP.to_string()] {
        let n = text.contains("tree").then_some(80);
        let made = agree(&text, n, composed(Method::Rattle, Composition::Yoshida4), Engine::Best, 0.002, 5);
        assert!(made.is_looped() && is_native(&made), "{text}");
    }
    let lattice =
        agree(&shipped("toda"), Some(200), composed(Method::Rattle, Composition::KahanLi6), Engine::Best, 0.05, 9);
    assert!(lattice.is_looped() && is_native(&lattice));
}

#[test]
fn stages_of_a_lattice_are_iterated_in_loops() {
    let toda = shipped("toda");
    for method in [Method::Gauss { stages: 1 }, Method::Gauss { stages: 3 }, Method::ImplicitMidpoint] {
        for engine in [Engine::Best, Engine::Tape] {
            let lattice = agree(&toda, Some(1000), method, engine, 0.05, 12);
            assert!(lattice.is_looped(), "{method:?}");
            assert!(lattice.contractions() > 0 && lattice.iterations() == 0, "{method:?}");
            assert!(engine == Engine::Tape || is_native(&lattice), "{method:?}");
        }
        let forced = Recipe::from(method).solved_by(StageSolver::FixedPoint);
        let lattice = agree(&toda, Some(120), forced, Engine::Best, 0.05, 12);
        assert!(lattice.is_looped() && is_native(&lattice), "{method:?}");
        let composed = Recipe::from(method).composed(Composition::Suzuki4);
        assert!(agree(&toda, Some(120), composed, Engine::Best, 0.05, 6).is_looped(), "{method:?}");
    }
}

#[test]
fn where_stages_do_not_contract_calls_of_functions_find_them() {
    // A lattice of stiff springs, whose frequency is 2·30, with a step of 0.2.
    let stiff = "param n : int = 60\ncoord q[i in 1..n] momentum p\nboundary q[0] = 0, q[n+1] = 0\n\
        hamiltonian sum(i in 1..n, p[i]^2/2) + sum(i in 0..n, 900*(q[i+1] - q[i])^2/2 + (q[i+1] - q[i])^4/4)\n\
        initial q[i in 1..n] = sin(pi*i/(n+1))/10, p[i in 1..n] = mod(i, 3)/10\n";
    let lattice = agree(stiff, None, Method::Gauss { stages: 2 }, Engine::Best, 0.2, 70);
    assert!(lattice.is_looped());
    // Both ways were gone: the iteration is tried anew now and then.
    assert!(lattice.iterations() > 0 && lattice.contractions() > 0);
}

#[test]
fn a_step_of_few_variables_and_many_stages_is_made_where_they_do_not_contract() {
    // Frequencies of 20 and 24.
    let springs = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + 200*x^2 + 300*y^2 + x^2*y^2\n\
        initial x = 0.1, p_y = 1.1\n";
    for stages in [6, 10, 14] {
        let made = agree(springs, None, Method::Gauss { stages }, Engine::Best, 2.0, 6);
        assert!(made.iterations() > 0 && made.contractions() > 0, "{stages}");
    }
}
