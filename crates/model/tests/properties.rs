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
    let mut r = Random(0x0dd5_eed5);
    let mut seen = 0;
    for _ in 0..6000 {
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

#[test]
fn printed_sums_choose_index_names_that_are_free() {
    let source = "param i2 = 3\ncoord x[i in 1..3]\nlet s[k in 1..3] = sum(i in 1..k, x[i])^2\n\
        hamiltonian i2*sum(i in 1..3, p_x[i]^2 + s[i])\n";
    let system = System::parse(source).unwrap();
    let printed = system.dynamics.energy().to_string();
    let again = System::parse(&source.replace("i2*sum(i in 1..3, p_x[i]^2 + s[i])", &printed)).unwrap();
    assert_eq!(again.dynamics.energy().digest(), system.dynamics.energy().digest(), "{printed}");
}

#[test]
fn lists_of_points_print_as_sums_over_boxes() {
    // The boundary is reached at every second point.
    let source = "coord x[i in 1..6]\nboundary x[0] = 0\n\
        hamiltonian sum(i in 1..6, p_x[i]^2 + x[i]*x[2*mod(i, 2)])\n";
    let system = System::parse(source).unwrap();
    let energy = system.dynamics.energy();
    let printed = energy.to_string();
    assert!(has_points(energy), "{printed}");
    let again = System::parse(&format!("coord x[i in 1..6]\nboundary x[0] = 0\nhamiltonian {printed}\n")).unwrap();
    assert_eq!(again.dynamics.energy().expand().unwrap().digest(), energy.expand().unwrap().digest(), "{printed}");
    assert_eq!(again.dynamics.energy().to_string(), printed);
}

/// What a system is, without the order in which its parts were listed.
fn fingerprint(s: &System) -> Vec<String> {
    let mut parts = vec![format!("energy {:?}", s.dynamics.energy().digest())];
    parts.push(format!("state {:?}", s.state().entry_names()));
    let constraints = s.constraints.iter().chain(&s.gauges);
    parts.extend(constraints.map(|c| format!("{:?} {:?} {:?}", c.array, c.kind, c.residual.digest())));
    parts.extend(s.claims.iter().map(|c| format!("{:?} {:?}", c.kind, c.quantity.value.digest())));
    parts.extend(s.observables.iter().chain(&s.splits).map(|q| format!("{:?} {:?}", q.array, q.value.digest())));
    for d in &s.drawings {
        let components: Vec<_> = d.components().map(Tensor::digest).collect();
        parts.push(format!("{} {:?} {components:?}", d.kind, d.array));
    }
    parts.extend(s.initial.iter().map(|i| format!("{:?} {:?} {}", i.array, i.value.digest(), i.named)));
    parts.extend(s.run.iter().map(|(k, v)| format!("{k} {v:?}")));
    parts.sort();
    parts
}

#[test]
fn the_order_of_unrelated_statements_does_not_matter() {
    use cotangent_model::syntax::ast::{File, StatementKind as S};
    use cotangent_model::syntax::{format, parse};
    let mut r = Random(0x0bde2);
    for (name, text) in random::shipped_models() {
        let expected = fingerprint(&System::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}")));
        let (mut first, mut rest) = (vec![], vec![]);
        for s in parse(&text).file.statements {
            // Sizes and variables come first, in their order, and boundaries before one another.
            let declares = matches!(s.kind, S::Param(_) | S::Coord(_) | S::Variables(_) | S::Boundary(_));
            if declares { first.push(s) } else { rest.push(s) }
        }
        for _ in 0..5 {
            for k in (1..rest.len()).rev() {
                rest.swap(k, r.below(k + 1));
            }
            let statements = first.iter().chain(&rest).cloned().collect();
            let shuffled = format(&File { statements });
            let found = System::parse(&shuffled).unwrap_or_else(|e| panic!("{name}: {shuffled}\n{e}"));
            assert_eq!(fingerprint(&found), expected, "{name}: {shuffled}");
        }
    }
}

#[test]
fn shipped_energies_read_back() {
    for (name, text) in random::shipped_models() {
        let system = System::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let printed = system.dynamics.energy().to_string();
        let mut file = cotangent_model::syntax::parse(&text).file;
        let energy =
            cotangent_model::syntax::parse_expression(&printed).unwrap_or_else(|e| panic!("{name}: {printed}\n{e}"));
        for s in &mut file.statements {
            use cotangent_model::syntax::ast::StatementKind as S;
            if let S::Hamiltonian(e) | S::Lagrangian(e) = &mut s.kind {
                *e = energy.clone();
            }
        }
        let text = cotangent_model::syntax::format(&file);
        let again = System::parse(&text).unwrap_or_else(|e| panic!("{name}: {printed}\n{e}"));
        assert_eq!(again.dynamics.energy().digest(), system.dynamics.energy().digest(), "{name}: {printed}");
    }
}
