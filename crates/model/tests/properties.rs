//! What must hold for every model: printing reads back, families equal their expanded form, and
//! the order of unrelated statements does not matter.

mod random;

use cotangent_expr::{Domain, Tensor};
use cotangent_model::System;
use random::{HEADER, Random, expression};

fn model(energy: &str) -> String {
    format!("{HEADER}lagrangian {energy}\n")
}

fn has_points(t: &Tensor) -> bool {
    t.terms().iter().any(|t| matches!(t.domain, Domain::Points(_)))
}

#[test]
fn printed_energies_read_back_as_the_same_expression() {
    let mut r = Random(std::env::var("SEED").ok().and_then(|c| c.parse().ok()).unwrap_or(0x0dd5_eed5));
    let mut seen = 0;
    for _ in 0..std::env::var("CASES").ok().and_then(|c| c.parse().ok()).unwrap_or(6000) {
        let depth = 1 + r.below(5);
        let text = expression(&mut r, depth, &mut vec![]);
        let Ok(system) = System::parse(&model(&text)) else { continue };
        let energy = system.dynamics.energy();
        let printed = energy.to_string();
        assert!(!has_points(energy), "{text}\n{printed}");
        let again = match System::parse(&model(&printed)) {
            Ok(again) => again,
            Err(e) => panic!("{text}\nprints as\n{printed}\n{e}"),
        };
        let second = again.dynamics.energy();
        assert_eq!(second.to_string(), printed, "{text}");
        assert_eq!(second.digest(), energy.digest(), "{text}\n{printed}");
        seen += 1;
    }
    assert!(seen > 3000, "{seen}");
}
