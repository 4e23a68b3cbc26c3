//! What is zero and what is small, what is generic and what is special, what is a gauge and what is not.

mod common;

use common::{analysis, constraints, counts};
use cotangent_analysis::{Analysis, ConditionOutcome, MultiplierValue, Outcome, latex};

fn fails(report: &Analysis, part: &str) -> bool {
    report.verdicts.iter().any(|v| v.statement.contains(part) && v.outcome == Outcome::Fails)
}

/// p_x = ε y²/2 and p_y = 0 have the bracket ε y: second class for every ε, 10⁻²² included.
#[test]
fn a_small_bracket_is_not_zero() {
    for epsilon in ["1", "1e-12", "1e-22", "1e15"] {
        let report = analysis(&format!("coord x, y\nlagrangian {epsilon}*y^2*x'/2 - (x^2 + y^2)/2\n"));
        assert_eq!(counts(&report), (0, 2, 1), "{epsilon}");
    }
}

/// The pendulum in any units of its constraint and of length.
#[test]
fn units_do_not_matter() {
    for (unit, square) in [("1e-30", "1"), ("1e-12", "1"), ("1e12", "1"), ("1", "1e12"), ("1", "1e-6")] {
        let rod = format!("constraint rod: {unit}*(x^2 + y^2 - {square})/2 = 0\n");
        let report = analysis(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\n{rod}"));
        assert_eq!(counts(&report), (0, 2, 1), "{rod}");
    }
}

/// B = 0 in the model: what is said for generic B is not about the model.
#[test]
fn assumptions_that_the_model_breaks() {
    let text = |b: &str| format!("param B = {b}\ncoord x, y\nlagrangian B*(x*y' - y*x')/2 - (x^2 + y^2)/2\n");
    assert!(analysis(&text("1")).held());
    let report = analysis(&text("0"));
    assert!(fails(&report, "B != 0 for the parameters of the model") && !report.held());
    let report = analysis("param m = 0\ncoord x\nlagrangian m*x'^2/2 - x^2/2\n");
    assert!(fails(&report, "velocity Hessian") && fails(&report, "m != 0"));
    assert_eq!(report.assumptions.iter().map(ToString::to_string).collect::<Vec<_>>(), ["m"]);
    // {φ_x, φ_y} = a − b, which vanishes for the defaults.
    let report = analysis("param a = 1, b = 1\ncoord x, y\nlagrangian a*x*y' + b*y*x' - (x^2 + y^2)/2\n");
    assert_eq!(report.count.map(|c| c.second), Some(2));
    assert!(!report.held());
}

/// p_a[i] = 0 ask for x[i] = 0, p_x[i] = 0 and a[i] + i a[8] = 0 (i < 8), whose derivatives are seven equations for
/// eight multipliers: one is arbitrary. Σ i p_a[i] − p_a[8] is first class: 8 + 3·7 = 1 + 28 of 32.
#[test]
fn more_multipliers_than_equations() {
    let report = analysis(
        "param n : int = 8\ncoord x[i in 1..n], a[i in 1..n]\n\
         lagrangian sum(i in 1..n, x[i]'^2)/2 - sum(i in 1..n-1, (a[i] + i*a[n])*x[i])\n",
    );
    assert_eq!(counts(&report), (1, 28, 1));
    let of = |arbitrary: bool| {
        let own = report.multipliers.iter();
        own.filter(|m| matches!(m.value, MultiplierValue::Arbitrary) == arbitrary).count()
    };
    assert_eq!((of(false), of(true)), (7, 1));
}

const CHRIST_LEE: &str = "coord r, theta, xi\nlagrangian r'^2/2 + r^2*(theta' - xi)^2/2 - r^2/2\n";

/// A gauge condition turns first class into second; one that stops a motion does not fix a gauge.
#[test]
fn what_is_not_a_gauge() {
    let report = analysis("coord x\nhamiltonian p_x^2/2\ngauge g: x = 0\n");
    assert!(fails(&report, "degrees of freedom, 1 without them and 0 with them"));
    let report = analysis(&format!("{CHRIST_LEE}gauge g: p_xi = 0\n"));
    assert!(fails(&report, "`g` says something new"));
    // r = 1 asks for p_r = 0, and that for r = 0.
    let report = analysis(&format!("{CHRIST_LEE}gauge g: r = 1\n"));
    assert_eq!(report.consistent, Some(false));
    assert!(fails(&report, "the gauge conditions can be kept"));
    let good = analysis(&format!("{CHRIST_LEE}gauge g: theta = 0\n"));
    assert!(good.held());
    // Half a gauge is one: the rest stays first class.
    let half = analysis(&format!("{CHRIST_LEE}gauge g: xi = 3\n"));
    assert!(half.held());
    assert_eq!(counts(&half), (1, 2, 1));
}

const SPIN: &str = "variables y1, y2, y3\nbracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2\nhamiltonian y2^2\n";

/// A Casimir commutes everywhere, not only where constraints hold; a counterexample is a point where it does not.
#[test]
fn a_casimir_is_one_everywhere() {
    let report = analysis(&format!(
        "{SPIN}constraint a: y1 = 0\nconstraint b: y3 = 0\ncasimir wrong = y2, right = y1^2 + y2^2 + y3^2\n"
    ));
    assert_eq!(report.claims[0].outcome, Outcome::Fails);
    assert!(matches!(report.claims[1].outcome, Outcome::Holds(_)));
    let witness = report.claims[0].witness.as_ref().unwrap();
    // {y1, y2} = −y3 is shown by the value of y3.
    assert_eq!(witness.at.len(), 1);
    assert_eq!((witness.at[0].0.as_str(), -witness.at[0].1), ("y3", witness.value));
}

/// c = y1 + |y|² − 1: with y1 = y3 = 0 the rest of it is a Casimir, which chooses a sphere and generates nothing.
/// On the sphere, of dimension 2, two second-class constraints leave points.
#[test]
fn a_casimir_among_the_constraints() {
    let report = analysis(&format!(
        "{SPIN}constraint a: y1 = 0\nconstraint b: y3 = 0\nconstraint c: y1 + y1^2 + y2^2 + y3^2 - 1 = 0\n"
    ));
    assert_eq!(counts(&report), (1, 2, 0));
    assert!(report.gauge[0].changes.is_empty(), "{:?}", report.gauge);
}

/// Invariants may be pushed by arbitrary multipliers, alone or through those that follow them: with
/// L = … − a x − b x y the multipliers are tied by u_a + y u_b = −b p_y, so a changes and a + b y does not.
#[test]
fn invariants_and_arbitrary_multipliers() {
    let model = "coord x, y, a, b\nlagrangian (x'^2 + y'^2)/2 - a*x - b*x*y\ninvariant ";
    let judged = |claim: &str| analysis(&format!("{model}I = {claim}\n")).claims[0].outcome;
    assert_eq!(judged("a"), Outcome::Fails);
    assert_eq!(judged("b"), Outcome::Fails);
    assert!(matches!(judged("p_y"), Outcome::Holds(_)));
    assert!(matches!(judged("a + b*y"), Outcome::Holds(_)));
    assert_eq!(judged("y"), Outcome::Fails);
}

/// All components of the angular momentum vanish: x, p parallel. Two of the three conditions are enough near such
/// points, but not everywhere: y p_z = z p_y and z p_x = x p_z hold for z = p_z = 0 as well.
#[test]
fn reducible_constraints() {
    let report = analysis(
        "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2 + x^2 + y^2 + z^2\nconstraint a: y*p_z - z*p_y = 0\n\
         constraint b: z*p_x - x*p_z = 0\nconstraint c: x*p_y - y*p_x = 0\n",
    );
    assert_eq!(counts(&report), (2, 0, 1));
    let dependent = report.conditions.iter().filter(|s| matches!(s.outcome, ConditionOutcome::Dependent(_)));
    assert_eq!(dependent.map(|s| s.constraint.as_str()).collect::<Vec<_>>(), ["c"]);
}

/// An identity restricts nothing, alone or beside others: it is not a contradiction, which 2 in place of 1 makes of it.
#[test]
fn constraints_that_always_hold() {
    let free = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\n";
    for identity in ["(x + y)^2 = x^2 + 2*x*y + y^2", "sin(x)^2 + cos(x)^2 = 1", "exp(x)*exp(-x) = 1"] {
        let report = analysis(&format!("{free}constraint c: {identity}\n"));
        assert_eq!((report.consistent, counts(&report)), (Some(true), (0, 0, 2)), "{identity}");
        assert!(matches!(report.conditions[0].outcome, ConditionOutcome::Dependent(_)), "{identity}");
        let report = analysis(&format!("{free}constraint rod: x^2 + y^2 = 1\nconstraint c: {identity}\n"));
        assert_eq!((report.consistent, counts(&report)), (Some(true), (0, 2, 1)), "{identity}");
    }
    let report = analysis(&format!("{free}constraint c: sin(x)^2 + cos(x)^2 = 2\n"));
    assert_eq!(report.consistent, Some(false));
    let report = analysis(&format!("{CHRIST_LEE}gauge g: (r + xi)^2 = r^2 + 2*r*xi + xi^2\n"));
    assert!(fails(&report, "`g` says something new"));
}

/// {a, p_b} = 0: what moves a is the combination p_b − y p_a, and the page says so.
#[test]
fn a_combination_generates_the_gauge_transformation() {
    let page = latex(&analysis("coord x, y, a, b\nlagrangian (x'^2 + y'^2)/2 - a*x - b*x*y\n"));
    assert!(
        page.contains(r"\{a, \phi_{b} + \left(-y\right)\,\phi_{a}\} \approx \varepsilon\,\left(-y\right)"),
        "{page}"
    );
    assert!(page.contains("so that the primary constraints are"));
    let page = latex(&analysis("coord x\nlagrangian x'^2/2\nconstraint c: x = 1\n"));
    assert!(page.contains("The primary constraints are"), "{page}");
}

/// Where M is singular, the constraint q′ without its denominator has zeros that do not count.
#[test]
fn zeros_of_denominators_are_no_points() {
    let report = analysis(
        "coord a, b, c\nlagrangian (a'^2*(1 + b^2) + b'^2*(1 + c^2) + c'^2*(2 + a*b) + a'*b'*c)/2\n\
         constraint u: a^3 + b^3 + c^3 + a*b*c = 1\n",
    );
    assert_eq!(counts(&report), (0, 2, 2));
}

/// |y| has no derivative at 0, where the constraints lead.
#[test]
fn a_motion_that_is_not_defined() {
    let report = analysis("coord x, y\nlagrangian x'^2/2 + abs(y) - x*y\n");
    assert_eq!(report.consistent, None);
    assert!(report.stopped.is_some_and(|s| s.contains("motion is defined")));
    assert_eq!(report.constraints.len(), 3);
}

/// Lattice gauge theory on a ring: 4 primaries, 4 Gauss laws of which one follows from the others.
#[test]
fn gauge_fields() {
    let field = "(A[i]' - A0[mod(i, n) + 1] + A0[i])^2";
    let coordinates = "param n : int = 4\nparam m > 0 = 1\ncoord A[i in 1..n], A0[i in 1..n]\n";
    let report = analysis(&format!("{coordinates}lagrangian sum(i in 1..n, {field})/2\n"));
    assert_eq!(counts(&report), (7, 0, 1));
    let mass = "m^2*sum(i in 1..n, A0[i]^2 - A[i]^2)/2";
    let report = analysis(&format!("{coordinates}lagrangian sum(i in 1..n, {field})/2 + {mass}\n"));
    assert_eq!(counts(&report), (0, 8, 4));
    // SU(2) in one point: D_t x = x′ + a × x for three vectors, V = |x × y|²/4: 3 primaries and 3 Gauss laws.
    let derivative =
        |v: &str| format!("({v}1' + b*{v}3 - c*{v}2)^2 + ({v}2' + c*{v}1 - a*{v}3)^2 + ({v}3' + a*{v}2 - b*{v}1)^2");
    let kinetic = ["x", "y", "z"].map(derivative).join(" + ");
    let potential = "((x1*y2 - x2*y1)^2 + (x2*y3 - x3*y2)^2 + (x3*y1 - x1*y3)^2)/4";
    let report = analysis(&format!(
        "coord x1, x2, x3, y1, y2, y3, z1, z2, z3, a, b, c\nlagrangian ({kinetic})/2 - {potential}\n"
    ));
    assert_eq!(counts(&report), (6, 0, 6));
}

/// L = q·(∂q)′ on a ring of five: the brackets of the φ have the zero mode (1, …, 1), which asks for Σ q = 0, the
/// partner of Σ φ: six second class, (10 − 6)/2 = 2.
#[test]
fn a_chiral_ring() {
    let report = analysis(
        "param n : int = 5\ncoord q[i in 1..n]\n\
         lagrangian sum(i in 1..n, q[i]*(q[mod(i, n) + 1]' - q[mod(i - 2 + n, n) + 1]'))/4 - sum(i in 1..n, q[i]^2)/2\n",
    );
    assert_eq!(counts(&report), (0, 6, 2));
}

/// H = p₁x₂ + p₂x₃ + p₃²/2 with x₁ = 0: x₂, x₃, p₃, p₂, p₁ follow one from another, and λ = 0.
#[test]
fn six_generations() {
    let report = analysis("coord x1, x2, x3\nhamiltonian p_x1*x2 + p_x2*x3 + p_x3^2/2\nconstraint c: x1 = 0\n");
    let expected = ["x1", "x2", "x3", "p_x3", "p_x2", "p_x1"];
    let named = |(k, e): (usize, &&str)| format!("c{} ({}): {e}", "'".repeat(k), k + 1);
    assert_eq!(constraints(&report), expected.iter().enumerate().map(named).collect::<Vec<_>>());
    assert_eq!(counts(&report), (0, 6, 0));
}

/// Large and dense: it ends, and what is said is sampled.
#[test]
fn a_large_bracket_is_sampled() {
    let text = |e: &str| {
        format!(
            "param n : int = 30\nvariables y[i in 1..n]\nbracket {{y[i in 1..n], y[j in i+1..n]}} = {e}\nhamiltonian y[1]\n"
        )
    };
    use cotangent_analysis::Certainty::Sampled;
    let jacobi = |e: &str| analysis(&text(e)).poisson.unwrap().jacobi;
    assert!(matches!(jacobi("y[i]*y[j]"), Outcome::Holds(Sampled(_))));
    assert_eq!(jacobi("y[i]*y[j]^2"), Outcome::Fails);
}

/// Zeros of high order that no factor shows: y + x⁴ with y = 0 is x = 0, and z alone is free.
#[test]
fn zeros_of_high_order_are_not_taken_for_regular() {
    for power in [2, 3, 4, 6] {
        let pair = format!("constraint a: y = 0\nconstraint b: y + x^{power} = 0\n");
        let report = analysis(&format!("coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2\n{pair}"));
        assert_eq!((report.consistent, counts(&report)), (Some(true), (0, 4, 1)), "{power}");
        let (name, _, new) = &report.irregular[0];
        assert_eq!(
            (name.as_str(), new.iter().map(ToString::to_string).collect::<Vec<_>>()),
            ("b", vec!["x".to_owned()])
        );
    }
}

/// p_y = 0 leaves u arbitrary: y changes as it likes, although {y, H_c} = 0.
#[test]
fn an_arbitrary_multiplier_changes_things() {
    let report = analysis("coord x, y\nlagrangian (x' - y)^2/2\ninvariant free = y, kept = p_x\n");
    assert_eq!(report.claims[0].outcome, Outcome::Fails);
    assert!(matches!(report.claims[1].outcome, Outcome::Holds(_)));
}

/// Brackets too many for symbols, all proportional to B: what is said does not hold for the B = 0 of the model.
#[test]
fn ranks_that_the_model_changes() {
    let text = |b: &str| {
        format!(
            "param B = {b}\nparam n : int = 16\ncoord q[i in 1..n]\n\
             lagrangian B*sum(i in 1..n-1, q[i]*q[i+1]') - sum(i in 1..n, q[i]^2)/2\n"
        )
    };
    let report = analysis(&text("1"));
    assert!(report.held());
    assert_eq!(counts(&report), (0, 16, 8));
    assert!(fails(&analysis(&text("0")), "the classes are the same"));
}

/// sin 2x = 2 sin x cos x is not known to the symbols: the conditions have rank 2 at points and 4 by elimination.
/// Nothing is said.
#[test]
fn symbols_and_points_that_disagree() {
    let report = analysis(
        "coord a, b, x, y, z\nhamiltonian 0\nconstraint c1: p_a = 0\nconstraint c2: p_b = 0\n\
         constraint c3: a*sin(2*x) + b*sin(x) + p_y = 0\nconstraint c4: 2*a*cos(x) + b + p_z = 0\n",
    );
    assert_eq!(report.consistent, None);
    assert!(report.stopped.is_some_and(|s| s.contains("could not be eliminated")));
}

/// A circle of any radius, by a number and by a parameter of the model, its gradient being (2x, 2y); and a chain of two links.
#[test]
fn lengths_of_any_size() {
    let circle = |square: &str| {
        let text =
            format!("coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2 + y\nconstraint c: x^2 + y^2 = {square}\n");
        counts(&analysis(&text))
    };
    for square in ["1e-30", "1e-18", "1e-8", "1", "1e12", "1e20", "1e30"] {
        assert_eq!(circle(square), (0, 2, 2), "{square}");
    }
    for length in ["1e-10", "1e11"] {
        let text = format!(
            "coord x1, y1, x2, y2\nhamiltonian (p_x1^2 + p_y1^2 + p_x2^2 + p_y2^2)/2 + y1 + y2\n\
             constraint a: x1^2 + y1^2 = {length}^2\nconstraint b: (x2 - x1)^2 + (y2 - y1)^2 = {length}^2\n"
        );
        assert_eq!(counts(&analysis(&text)), (0, 4, 2), "{length}");
        let text = format!(
            "param l > 0 = {length}\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: x^2 + y^2 = l^2\n"
        );
        let report = analysis(&text);
        assert_eq!(counts(&report), (0, 2, 1), "{length}");
        assert!(
            report.held() && report.verdicts.iter().all(|v| v.outcome != Outcome::Undecided),
            "{:?}",
            report.verdicts
        );
        let text = format!("coord x, y, a\nlagrangian (x'^2 + y'^2)/2 - a*(x^2 + y^2 - {length}^2)\n");
        assert_eq!(counts(&analysis(&text)), (0, 4, 1), "{length}");
    }
}

/// x² + y² = −1 has no points at any size, and 1/x = 0 and tanh x = 1 have none but in the limit: no point is found.
#[test]
fn no_points_in_the_limit() {
    for c in ["x^2 + y^2 + 1", "1/x", "tanh(x) - 1", "exp(-x^2)*y^2 + exp(-x^2)"] {
        let report = analysis(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: {c} = 0\n"));
        assert_ne!(report.consistent, Some(true), "{c}");
    }
    // It leaves out x < 0, which is no constraint.
    let report = analysis("coord x\nhamiltonian p_x^2/2\nconstraint c: sqrt(x^2) = x\n");
    assert_ne!(report.consistent, Some(true));
}

/// Coordinates that are called as a primary constraint, its multiplier or a Hamiltonian.
#[test]
fn made_names_are_no_others() {
    let report = analysis("coord x, phi_x, u_x, y\nlagrangian x'*phi_x + u_x*y' - x^2 - phi_x^2*y^2 - u_x^2\n");
    let mut names: Vec<&str> = report.variables.iter().map(String::as_str).collect();
    names.extend(report.constraints.iter().map(|c| c.name.as_str()));
    names.extend(report.multipliers.iter().map(|m| m.name.as_str()));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), count), (16, 16), "{names:?}");
    let report = analysis("coord H_c, L, H_T, H\nlagrangian L'*H_c - H_T*H\n");
    let text = latex(&report);
    assert!(!text.contains("H_c &=") && !text.contains(", H_T\\}") && !text.contains("\n  L &="), "{text}");
    let report = analysis("variables x, pi_x\nform (x, pi_x) = 1\nhamiltonian (x^2 + pi_x^2)/2\n");
    assert_eq!(report.variables.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
}

/// A chain has two second-class constraints for each link, whatever the length of these.
#[test]
fn a_chain_of_links_of_any_length() {
    let text = "param n : int = 10, l = LENGTH\ncoord x[i in 1..n], y[i in 1..n]\n\
                hamiltonian sum(i in 1..n, (p_x[i]^2 + p_y[i]^2)/2 + y[i])\nconstraint c: x[1]^2 + y[1]^2 = LENGTH^2\n\
                constraint link[i in 2..n]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = LENGTH^2\n";
    for length in ["1e-10", "1", "1e11"] {
        assert_eq!(counts(&analysis(&text.replace("LENGTH", length))), (0, 20, 10), "{length}");
    }
}

/// A bead on a circle whose constraint is called like a coordinate; one called like nothing keeps its name.
#[test]
fn a_constraint_that_is_called_like_a_variable_is_told_apart() {
    let named = |label: &str| {
        analysis(&format!(
            "param k = 1\ncoord x, y\nhamiltonian k*(p_x^2 + p_y^2)/2\nconstraint {label}: x^2 + y^2 = 1\n"
        ))
    };
    for (label, shown) in [("x", "phi_x"), ("k", "phi_k"), ("rod", "rod"), ("phi_x", "phi_x")] {
        let report = named(label);
        assert_eq!(report.constraints[1].name, format!("{label}'"));
        let read = report.legible().0;
        let names: Vec<&str> = read.constraints.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, [shown.to_owned(), format!("{shown}'")]);
        assert_eq!(
            (read.multipliers[0].name.clone(), read.multipliers[0].constraint.as_str()),
            (format!("lambda_{label}"), shown)
        );
        assert_eq!(read.conditions[0].outcome, ConditionOutcome::Constraint(vec![format!("{shown}'")]));
    }
    assert!(latex(&named("x")).contains("H_{c} + \\lambda_{x} \\phi_{x}"), "{}", latex(&named("x")));
    assert!(latex(&named("x")).contains("\\{\\phi_{x}, H_T\\}"));
    // y = 0 needs p_x = 0, and p_x decreases whatever the multiplier is.
    let fallen = analysis("coord x, y\nhamiltonian p_x*p_y + x\nconstraint x: y = 0\n").legible().0;
    let quoted: Vec<&str> = fallen.verdicts.iter().map(|v| v.statement.as_str()).filter(|s| s.contains('`')).collect();
    assert_eq!((fallen.consistent, quoted.len()), (Some(false), 1), "{fallen:?}");
    assert!(quoted[0].starts_with("`phi_x'` stays zero"), "{quoted:?}");
}

/// phi_x2 is the name for `x` beside a parameter phi_x, and the one for `x2` otherwise: each constraint has a name of its own.
#[test]
fn names_of_constraints_are_given_once() {
    let text = "param phi_x = 2\ncoord x, x2, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2 + phi_x*p_x2^2)/2\n\
                constraint x: x^2 + y^2 = 1\nconstraint x2: x2^2 + z^2 = 1\n";
    let names: Vec<String> = analysis(text).legible().0.constraints.into_iter().map(|c| c.name).collect();
    assert_eq!(names.len(), 4);
    assert!(names.iter().enumerate().all(|(k, name)| !names[..k].contains(name)), "{names:?}");
}

/// √12 − 2√3 is zero: x² + y² = 0 is left, whose point is the origin.
#[test]
fn a_number_that_may_be_zero_contradicts_nothing() {
    for zero in ["sqrt(12) - 2*sqrt(3)", "2*tan(pi/3) - sqrt(12)", "log(exp(1)) - 1"] {
        let report =
            analysis(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x^2 + y^2 + ({zero})^2 = 0\n"));
        assert_ne!(report.consistent, Some(false), "{zero}");
        assert!(report.assumptions.is_empty(), "{zero}: {:?}", report.assumptions);
    }
    let other = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x^2 + y^2 + (sqrt(12) - sqrt(3))^2 = 0\n";
    assert_eq!(analysis(other).consistent, Some(false));
}
