//! What an instance costs when its equations are compiled already: a thousand of the pendulum and of the four-bar
//! linkage, with other parameters each.
//!
//! `cargo bench -p cotangent-problem --bench instances`

#![allow(clippy::print_stdout)]

use cotangent_compile::Engine;
use cotangent_compile::values::Setting;
use cotangent_integrate::Method;
use cotangent_model::System;
use cotangent_problem::{Equations, Repairs};
use cotangent_theory::Formulation;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const INSTANCES: usize = 1000;

fn main() {
    for (name, text) in [
        ("pendulum", include_str!("../../../models/pendulum.cot")),
        ("four-bar", include_str!("../../../models/four-bar.cot")),
    ] {
        let system = System::parse(text).expect("a model");
        let begin = Instant::now();
        let equations = Equations::new(&system, Formulation::Multipliers, Engine::Best).expect("equations");
        let equations = Arc::new(equations);
        let rattle = equations.prepare(Method::Rattle).expect("rattle fits");
        let first = equations.instance(&[], Repairs::default()).expect("an instance");
        drop(black_box(first.integrator(&rattle).expect("it compiles")));
        let once = begin.elapsed().as_secs_f64();
        let mut best = [f64::INFINITY; 2];
        for _ in 0..5 {
            let (mut posed, mut made) = (0.0, 0.0);
            for k in 0..INSTANCES {
                let g = 1.0 + k as f64 / INSTANCES as f64;
                let begin = Instant::now();
                let set = [Setting { name: "g".into(), index: None, value: g }];
                let instance = equations.instance(&set, Repairs::default()).expect("an instance");
                posed += begin.elapsed().as_secs_f64();
                let begin = Instant::now();
                let integrator = black_box(instance.integrator(&rattle).expect("steps"));
                made += begin.elapsed().as_secs_f64();
                drop(integrator);
            }
            best = [best[0].min(posed), best[1].min(made)];
        }
        let each = best.map(|seconds| 1e6 * seconds / INSTANCES as f64);
        println!(
            "{name}: {:.1} µs for each of {INSTANCES} instances ({:.1} values and start, {:.1} integrator); \
             compiled once in {:.1} ms",
            each[0] + each[1],
            each[0],
            each[1],
            1e3 * once
        );
    }
}
