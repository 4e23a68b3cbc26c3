//! Cotangent: constrained Hamiltonian and Poisson systems, from text to numbers.
//!
//! A system is written down as a paper does, as a Lagrangian, a Hamiltonian or a bracket, with
//! constraints. It is parsed into a [`System`] of symbols, whose expressions are differentiated
//! and compiled; a [`Formulation`] makes equations of motion of it, a [`Method`] integrates them.
//! The verbs [`check()`], [`analyze()`], [`run()`], [`certify()`] and [`compare()`] do what the program does, and return documents.
//! This crate re-exports the crates it is made of, holds the shipped [`models`] and the [`experiments`] of papers, and builds the program `cotangent`.
//!
//! From text to a run:
//!
//! ```
//! use cotangent::{Choice, Method, System, run};
//!
//! let system = System::parse("
//! param g = 1
//! coord x, y
//! hamiltonian (p_x^2 + p_y^2)/2 + g*y
//! constraint rod: (x^2 + y^2 - 1)/2 = 0
//! initial x = 1, p_y = -2
//! ")?;
//! let swing = run(&system, &Choice::default().method(Method::Rattle).step(0.1).until(100.0))?;
//! assert!((swing.energy.max_abs_error - 1.391032e-2).abs() < 1e-8);
//! assert!(swing.constraints.iter().all(|(_, rod)| rod.max_abs < 1e-15));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From text to the gradient of the energy:
//!
//! ```
//! use cotangent::{FunctionBuilder, System, compile::values};
//!
//! let system = System::parse("
//! param g = 1
//! coord x, y
//! hamiltonian (p_x^2 + p_y^2)/2 + g*y
//! constraint rod: (x^2 + y^2 - 1)/2 = 0
//! initial x = 1, p_y = -2
//! ")?;
//! let (parameters, state) = (system.parameter_layout(), system.state());
//! let energy = system.dynamics.energy();
//! let gradient = FunctionBuilder::new()
//!     .input(&parameters)
//!     .input(&state)
//!     .output(energy)
//!     .output(&energy.gradient(&state)?)
//!     .compile()?;
//!
//! let given = values::parameters(&system, &[])?;
//! let (mut value, mut slope) = ([0.0], [0.0; 4]);
//! let at = [1.0, 0.0, 0.0, -2.0]; // x, y, p_x, p_y
//! gradient.call(&[&given, &at], &mut [&mut value, &mut slope], &mut gradient.workspace())?;
//! assert_eq!(value, [2.0]);
//! assert_eq!(slope, [0.0, 1.0, 0.0, -2.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The modules, from the arithmetic up: [`scalar`], [`solve`], [`dynamics`], [`expr`], [`model`], [`fields`],
//! [`theory`], [`integrate`], [`compile`], [`analysis`], [`problem`], [`observe`], [`plot`], [`report`], [`lab`], [`verbs`];
//! and [`host`], the machine around them.

pub use cotangent_analysis as analysis;
pub use cotangent_compile as compile;
pub use cotangent_dynamics as dynamics;
pub use cotangent_expr as expr;
pub use cotangent_fields as fields;
pub use cotangent_host as host;
pub use cotangent_integrate as integrate;
pub use cotangent_lab as lab;
pub use cotangent_model as model;
pub use cotangent_observe as observe;
pub use cotangent_plot as plot;
pub use cotangent_problem as problem;
pub use cotangent_report as report;
pub use cotangent_scalar as scalar;
pub use cotangent_solve as solve;
pub use cotangent_theory as theory;
pub use cotangent_verbs as verbs;

pub use cotangent_compile::{Engine, Function, FunctionBuilder, Workspace};
pub use cotangent_expr::{Array, Expr, Layout, Role, Tensor};
pub use cotangent_integrate::{Method, Prepared, Projection, Recipe};
pub use cotangent_lab::Run;
pub use cotangent_model::diagnostic::{Diagnostic, Diagnostics};
pub use cotangent_model::{Dynamics, System, SystemBuilder};
pub use cotangent_observe::Schedule;
pub use cotangent_problem::{Equations, Instance, Integrator, Model, Repairs};
pub use cotangent_scalar::{Real, Scalar};
pub use cotangent_theory::Formulation;
pub use cotangent_verbs::{Choice, analyze, certify, check, compare, run};

pub mod experiments;
pub mod models;

// The Rust code of the README and of the book runs with the documentation tests.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/src/introduction.md")]
    mod introduction {}
    #[doc = include_str!("../../../docs/src/tutorial.md")]
    mod tutorial {}
    #[doc = include_str!("../../../docs/src/language.md")]
    mod language {}
    #[doc = include_str!("../../../docs/src/models.md")]
    mod models {}
    #[doc = include_str!("../../../docs/src/running.md")]
    mod running {}
    #[doc = include_str!("../../../docs/src/analyze.md")]
    mod analyze {}
    #[doc = include_str!("../../../docs/src/fields.md")]
    mod fields {}
    #[doc = include_str!("../../../docs/src/pictures.md")]
    mod pictures {}
    #[doc = include_str!("../../../docs/src/gallery.md")]
    mod gallery {}
    #[doc = include_str!("../../../docs/src/methods.md")]
    mod methods {}
    #[doc = include_str!("../../../docs/src/certify.md")]
    mod certify {}
    #[doc = include_str!("../../../docs/src/compare.md")]
    mod compare {}
    #[doc = include_str!("../../../docs/src/rust.md")]
    mod rust {}
}
