//! The options that `run` and `certify` share: they fill a choice.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use cotangent::verbs::{Choice, setting};

/// A choice that is filled by options; each has the name of its field.
pub(crate) struct Choose(pub(crate) Choice);

const METHOD: &str = "The method; `cotangent methods` lists them";
const STAGES: &str = "The number of stages of a method that has them (gauss: order 2*S, lobatto-3a3b: 2*S - 2, \
    radau-2a: 2*S - 1, average-vector-field: points of the quadrature)";
const STAGE_SOLVER: &str = "What solves the equations of the stages: newton or fixed-point (an iteration, and Newton's method \
    where it does not converge, unless given)";
const INNER: &str = "The method for the equations without constraints inside `reich`";
const TOL: &str = "The error of a step that dopri5 and dop853 aim at, relative to the state; 0: steps as given";
const COMPOSE: &str = "Compose several steps of a symmetric method to one of higher order; `cotangent methods` lists \
    them; none: not as the model says";
const FORMULATION: &str = "The equations of motion; `cotangent formulations` lists them (those that the model needs, \
    unless given)";
const LAPSE: &str = "How much time passes in a unit of the parameter of which steps are equal: an expression in the variables \
    of the model, such as \"sqrt(x^2 + y^2)\", or equispaced-poses, equispaced-phase, arc-length, kepler";
const CHART: &str = "The coordinates of a chart of `local-chart`, or the variables that `slaved` and its relatives keep, such as \
    x,y[3]; repeated: charts to change among (chosen automatically unless given)";
const OPT: &str = "A number of the formulation, such as alpha=3 (baumgarte); may be repeated";
const PROJECT: &str = "Project onto the constraints after every step: position, momentum, both, symmetric";
const PROJECT_ABOVE: &str = "Project only where a residual is larger than EPS";
const PROJECT_INITIAL: &str = "Move initial data that violate the constraints onto them, and say how far";
const DROP_REDUNDANT: &str = "Go on without constraints that depend on others";
const ALLOW_ALMOST_POISSON: &str = "Integrate a bracket for which Jacobi's identity fails, and say what is lost";
const STEP: &str = "The step size: a number or an expression such as pi/500; negative to go back in time";
const SET: &str = "Give a parameter or an initial value another value; may be repeated";
const SET_LONG: &str = "Give a parameter or an initial value another value; may be repeated\n\ng=9.81, m=2 (a whole \
    family), m[3]=2 (one member), x=1/2, \"x'=0\" (a velocity), n=100 (a size). The value is a number or an expression \
    without names, such as 2/3 or pi/4.";

/// `--name VALUE`
fn option(name: &'static str, value: &'static str, help: &'static str, parser: impl Into<ValueParser>) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help).value_parser(parser)
}

/// `--name`
fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
}

impl Args for Choose {
    fn augment_args(command: Command) -> Command {
        let word = |name, value, help| option(name, value, help, clap::value_parser!(String));
        let real =
            |name, value, help| option(name, value, help, setting::number as fn(&str) -> _).allow_hyphen_values(true);
        command.args([
            word("method", "NAME", METHOD),
            option("stages", "S", STAGES, setting::whole_number as fn(&str) -> _),
            word("stage-solver", "NAME", STAGE_SOLVER),
            word("inner", "NAME", INNER),
            real("tol", "T", TOL),
            word("compose", "NAME", COMPOSE),
            word("formulation", "NAME", FORMULATION),
            word("lapse", "LAPSE", LAPSE).allow_hyphen_values(true),
            word("chart", "NAMES", CHART).action(ArgAction::Append),
            option("opt", "NAME=VALUE", OPT, setting::option as fn(&str) -> _).action(ArgAction::Append),
            word("project", "WHAT", PROJECT),
            real("project-above", "EPS", PROJECT_ABOVE),
            flag("project-initial", PROJECT_INITIAL),
            flag("drop-redundant", DROP_REDUNDANT),
            flag("allow-almost-poisson", ALLOW_ALMOST_POISSON),
            real("step", "H", STEP),
            option("set", "NAME=VALUE", SET, setting::parse as fn(&str) -> _)
                .long_help(SET_LONG)
                .action(ArgAction::Append),
        ])
    }

    fn augment_args_for_update(command: Command) -> Command {
        Choose::augment_args(command)
    }
}

/// The values of an option that may be repeated.
fn all<T: Clone + Send + Sync + 'static>(found: &ArgMatches, name: &str) -> Vec<T> {
    found.get_many(name).into_iter().flatten().cloned().collect()
}

impl FromArgMatches for Choose {
    fn from_arg_matches(found: &ArgMatches) -> Result<Choose, clap::Error> {
        let word = |name: &str| found.get_one::<String>(name).cloned();
        let real = |name: &str| found.get_one::<f64>(name).copied();
        Ok(Choose(Choice {
            method: word("method"),
            stages: found.get_one("stages").copied(),
            stage_solver: word("stage-solver"),
            inner: word("inner"),
            tol: real("tol"),
            compose: word("compose"),
            formulation: word("formulation"),
            lapse: word("lapse"),
            chart: all(found, "chart"),
            opt: all(found, "opt"),
            project: word("project"),
            project_above: real("project-above"),
            project_initial: found.get_flag("project-initial"),
            drop_redundant: found.get_flag("drop-redundant"),
            allow_almost_poisson: found.get_flag("allow-almost-poisson"),
            step: real("step"),
            set: all(found, "set"),
            ..Choice::default()
        }))
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), clap::Error> {
        *self = Choose::from_arg_matches(found)?;
        Ok(())
    }
}
