//! Motions that end in finite time: no method goes over their end without a word.

mod problems;

use cotangent_integrate::Method;
use cotangent_observe::{End, Monitor};
use cotangent_theory::Formulation;
use problems::{Case, shipped};

/// What was noticed along a run, and whether it came to its end.
fn watched(text: &str, method: Method, step: f64, until: f64) -> (Monitor, bool) {
    let case = Case::new(text, Formulation::Multipliers);
    let (run, end) = case.run(method, step, (until / step).round() as u64);
    (run.monitor().clone(), matches!(end, End::Finished))
}

fn is_silent(text: &str, method: Method, step: f64, until: f64) -> bool {
    let (seen, finished) = watched(text, method, step, until);
    finished && seen.unresolved.is_none() && seen.jump.is_none() && seen.lost.is_none()
}

const AVERAGE: Method = Method::AverageVectorField { stages: 6 };

/// x″ = x³ from x = x′ = 1 is infinite at t = 1.2945, ∫ dx/√(½(x⁴ + 1)) from 1 on; the energy is a polynomial, which the average
/// vector field keeps whatever it steps over. The others fall to where the potential is infinite, along a line or nearly so.
#[test]
fn no_end_is_gone_over_in_silence() {
    let models = [
        "coord x\nhamiltonian p_x^2/2 - x^4/4\ninitial x = 1, p_x = 1\n",
        "coord x\nhamiltonian p_x^2/2 - x^6/6\ninitial x = 1, p_x = 1\n",
        "coord x\nhamiltonian p_x^2/2 - x^3\ninitial x = 1, p_x = 1\n",
        "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - (x^2 + y^2)^2/4\ninitial x = 1, p_x = 1, p_y = 0.2\n",
        "coord x\nhamiltonian p_x^2/2 - 1/x\ninitial x = 1\n",
        "coord x\nhamiltonian p_x^2/2 - 1/x^2\ninitial x = 1\n",
        "coord x\nhamiltonian p_x^2/2 + log(x)\ninitial x = 1\n",
        "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)\ninitial x = 1, p_y = 0.001\n",
    ];
    for text in models {
        for step in [0.1, 0.05, 0.03, 0.02, 0.0137, 0.01, 0.005, 0.002, 0.001] {
            assert!(!is_silent(text, AVERAGE, step, 3.0), "step {step}: {text}");
        }
    }
}

/// What grows without an end, grows from nothing, or passes the centre at a distance that the step resolves.
#[test]
fn nothing_is_said_of_motions_that_go_on() {
    let models = [
        "coord x\nhamiltonian p_x^2/2 - x^2/2\ninitial x = 0, p_x = 1e-9\n",
        "coord x\nhamiltonian p_x^2/2 - 18*x^2\ninitial x = 0.001\n",
        "coord x\nhamiltonian p_x^2/2 - x\ninitial x = 0\n",
        "coord x\nhamiltonian p_x^2/2 + x^4/4\ninitial x = 1, p_x = 1\n",
        "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)\ninitial x = 1, p_y = 0.6\n",
        "coord x\nhamiltonian p_x^2/2 + 1/x^2\ninitial x = 5, p_x = -2\n",
        "coord x\nhamiltonian p_x^2/2 + 100*(exp(-2*x) - 2*exp(-x))\ninitial x = 6\n",
    ];
    let methods = [AVERAGE, Method::StormerVerlet, Method::ImplicitMidpoint, Method::Rk4, Method::Bdf2];
    for text in models {
        for method in methods {
            for step in [0.01, 0.002] {
                let (seen, _) = watched(text, method, step, 8.0);
                assert_eq!(seen.unresolved, None, "{method:?}, step {step}: {text}");
            }
        }
    }
    assert!(is_silent(&shipped("kepler"), AVERAGE, 0.01, 10.0));
}
