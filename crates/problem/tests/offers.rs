//! What a formulation offers to methods is known without deriving it: compared with deriving, compiling and preparing.

use cotangent_compile::{Engine, Native};
use cotangent_integrate::{Composition, Method, Needs, Offer, Prepared, Projection, Recipe, Refusal, Target};
use cotangent_model::System;
use cotangent_problem::{Compiled, offer};
use cotangent_theory::{Formulation, Motion};

/// Every recipe that refusals distinguish.
fn recipes() -> Vec<Recipe> {
    let targets = [Target::Position, Target::Momentum, Target::Both, Target::Symmetric];
    let projections = targets.map(|target| Some(Projection { target, above: None }));
    let mut out = vec![];
    for method in Method::ALL {
        for composition in [None, Composition::ALL.first().copied()] {
            for projection in std::iter::once(None).chain(projections) {
                out.push(Recipe::from(method).composed(composition).projected(projection));
            }
        }
    }
    out
}

/// Compares from the point of view of each formulation that exists; returns how many there are.
fn compare(name: &str, system: &System, every: usize) -> usize {
    let derived: Vec<(Formulation, Option<Motion>)> =
        Formulation::ALL.into_iter().map(|f| (f, f.apply(system).ok())).collect();
    let compiled = |m: &Motion| {
        let parameters = vec![1.25; m.system.parameter_layout().len()];
        Compiled::new(m, Engine::Tape).unwrap().view(Native, parameters)
    };
    let views: Vec<_> = derived.iter().map(|(_, m)| m.as_ref().map(compiled)).collect();
    // Equations of index one are those that a model needs: others it has by its analysis, or not at all.
    for (_, from) in derived.iter().filter(|(f, m)| m.is_some() && *f != Formulation::IndexOne) {
        for ((to, _), view) in derived.iter().zip(&views) {
            let found = view.as_ref().map(|v| Offer::of(v).unwrap());
            assert_eq!(offer(from.as_ref().unwrap(), *to), found, "{name}: {}", to.name());
        }
    }
    for ((f, _), view) in derived.iter().zip(&views) {
        let Some(view) = view else { continue };
        let offer = Offer::of(view).unwrap();
        for recipe in recipes().into_iter().step_by(every) {
            let prepared = Prepared::new(recipe.clone(), view).map(|_| ());
            // Whether flows are known is not in a table.
            let unknown = matches!(prepared, Err(Refusal::Failure(_))) && recipe.method.card().needs == Needs::Split;
            let admitted = offer.admits(&recipe);
            assert!(admitted == prepared || admitted.is_ok() && unknown, "{name}: {} with {recipe:?}", f.name());
        }
    }
    views.iter().flatten().count()
}

#[test]
fn shipped_models_offer_what_the_table_says() {
    let mut found = 0;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "cot") {
            let system = System::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let every = if system.state().len() > 20 { 11 } else { 1 };
            found += compare(&path.display().to_string(), &system, every);
        }
    }
    assert!(found > 150, "{found}");
}

/// Kinetic energies, potentials and constraints of every kind that a formulation distinguishes, by number.
#[test]
fn other_models_offer_what_the_table_says() {
    let energies = [
        "hamiltonian (p_x^2 + p_y^2 + p_z^2)/2 + x*y",
        "hamiltonian p_x^2/(2*m) + p_y^2/2 + p_z^2/2 + z",
        "hamiltonian p_x^2/(2 + x^2) + p_y^2/2 + p_z^2/2",
        "hamiltonian p_x^2/2 + p_y^4/4 + p_y^2/2 + p_z^2/2 + cos(x)",
        "lagrangian (x'^2 + y'^2 + z'^2)/2 + x'*y'/3 - y",
        "lagrangian (1 + y^2)*x'^2/2 + y'^2/2 + z'^2/2",
        "lagrangian x'^2/2 + y'^2/2 + z'^2/2 + x'^4/12",
        "lagrangian x'^2/2 + y'^2/2 - z",
    ];
    let constraints = [
        "",
        "constraint a: x + 2*y = z",
        "constraint a: m*x = y\nconstraint b: z = 3*x",
        "constraint a: x^2 + y^2 + z^2 = 1",
        "constraint a: x = y^2\nconstraint b: x = -z",
        "constraint a: x = 0\nconstraint b: y = 0\nconstraint c: z = 0",
    ];
    for energy in energies {
        for constraint in constraints {
            let text = format!("coord x, y, z\nparam m = 2\n{energy}\n{constraint}\n");
            let Ok(system) = System::parse(&text) else { panic!("{text}") };
            let found = compare(&text, &system, 7);
            let singular = energy.contains("- z");
            assert_eq!(found == 0, singular, "{text}");
        }
    }
}
