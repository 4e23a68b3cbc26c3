//! A Poisson model in other coordinates, as a text that can be run.

use crate::failure::{Code, Failure};
use crate::input::Input;
use crate::kind::ClaimKind;
use crate::loaded::Loaded;
use cotangent_analysis::{Coordinates, CoordinatesError};
use cotangent_compile::values::{self, Setting};
use cotangent_compile::{Engine, FunctionBuilder};
use cotangent_expr::{Array, Expr, Tensor};
use cotangent_model::syntax::ast::{Statement, StatementKind};
use cotangent_model::{Constraint, Dynamics, Options, System};
use cotangent_theory::phase::symbols;
use std::fmt::Write as _;

/// The text of the model in the coordinates `u = x + y, v = x - y`; `back` are the variables in these, `x = (u + v)/2, …`.
pub(super) fn text(model: &Loaded, set: &[Setting], to: &str, back: Option<&str>) -> Result<String, Failure> {
    let system = &model.system;
    if model.input.source.is_empty() {
        return Err(Failure::new(Code::Usage, "coordinates are changed in the text of a model, and there is none"));
    }
    // Statements about parameters are copied, with the values that are written there.
    let families = system.parameters.iter().any(|p| !p.array.dims().is_empty());
    if let Some(s) = model.settings.first().or_else(|| set.first().filter(|_| families)) {
        let message =
            format!("--set {} does not go with --coordinates, which copies parameters as they are written", s.name);
        return Err(Failure::new(Code::Usage, message).help("set it where the model in other coordinates is used"));
    }
    let new = items(to, "coordinates")?;
    let (given, needed) = (new.len(), system.dynamics.variables().len());
    if given != needed {
        return Err(refused(&CoordinatesError::Number { given, needed }));
    }
    let functions = read(&new, &model.input.source, &model.input, system)?;
    let names: Vec<&str> = new.iter().map(|(name, _)| name.as_str()).collect();
    // The new coordinates are the variables of a model of their own, with the same parameters.
    let parameters = copied(model, |kind| matches!(kind, StatementKind::Param(_) | StatementKind::Require(_)));
    let bare = format!("{parameters}variables {}\nhamiltonian 0\n", names.join(", "));
    let bare = match &names[..] {
        [first, second, ..] => format!("{bare}bracket {{{first}, {second}}} = 0\n"),
        _ => bare,
    };
    let plain = parsed(&bare, &model.input, system)?;
    let unknowns = symbols(plain.dynamics.variables());
    let inverse = back.map(|back| inverse(back, &bare, model, system)).transpose()?;
    let mut changed =
        Coordinates::new(system, &functions, &unknowns, inverse, &model.limits).map_err(|e| refused(&e))?;
    let mut page = Page { text: String::new(), changed: &mut changed };
    page.line(&format!("# `{}` in other coordinates:", system.name));
    new.iter().for_each(|(name, function)| page.line(&format!("#   {name} = {function}")));
    page.heading(system);
    page.text.push_str(&parameters);
    page.line(&format!("variables {}", names.join(", ")));
    for (i, j, e) in page.changed.bracket.clone() {
        page.line(&format!("bracket {{{}, {}}} = {e}", names[i], names[j]));
    }
    if let (true, [first, second, ..]) = (page.changed.bracket.is_empty(), &names[..]) {
        page.line(&format!("bracket {{{first}, {second}}} = 0"));
    }
    page.statements(system).map_err(|e| unmade(&e))?;
    if let Some(start) = start(model, &functions) {
        let values: Vec<String> = names.iter().zip(start).map(|(name, x)| format!("{name} = {x:?}")).collect();
        page.line(&format!("initial {}", values.join(", ")));
    }
    page.text.push_str(&copied(model, |kind| matches!(kind, StatementKind::Run(_))));
    let text = page.text;
    // What is printed is read again: a name that the language does not allow is found here.
    parsed(&text, &model.input, system)?;
    Ok(text)
}

/// Names and expressions of a list `u = x + y, v = f(x, y)`.
fn items(list: &str, option: &str) -> Result<Vec<(String, String)>, Failure> {
    let (mut parts, mut depth) = (vec![String::new()], 0i32);
    for c in list.chars() {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        match (c, parts.last_mut()) {
            (',', _) if depth == 0 => parts.push(String::new()),
            (_, Some(part)) => part.push(if c.is_control() { ' ' } else { c }),
            (_, None) => {}
        }
    }
    let item = |part: &String| match part.split_once('=') {
        Some((name, e)) if !name.trim().is_empty() && !e.trim().is_empty() => {
            Ok((name.split_whitespace().collect(), e.trim().to_owned()))
        }
        _ => Err(Failure::new(Code::Usage, format!("--{option} has `{}`, which is no definition", part.trim()))
            .help(format!("write --{option} \"u = x + y, v = x - y\""))),
    };
    parts.iter().map(item).collect()
}

/// The expressions of definitions, in what a text declares.
fn read(list: &[(String, String)], source: &str, input: &Input, system: &System) -> Result<Vec<Expr>, Failure> {
    let name = |k: usize| format!("coordinate_number_{k}");
    let line: Vec<String> = list.iter().enumerate().map(|(k, (_, e))| format!("{} = {e}", name(k))).collect();
    let read = parsed(&format!("{source}\nobserve {}\n", line.join(", ")), input, system)?;
    let mut out = vec![];
    for k in 0..list.len() {
        if let Some(q) = read.observables.iter().find(|q| q.array.name() == name(k)) {
            out.push(Expr::sum(q.value.expand().map_err(|e| unmade(&e))?.entries()));
        }
    }
    Ok(out)
}

/// The variables of the model in terms of the new coordinates, in their order.
fn inverse(back: &str, bare: &str, model: &Loaded, system: &System) -> Result<Vec<Expr>, Failure> {
    let list = items(back, "inverse")?;
    let given = read(&list, bare, &model.input, system)?;
    let variables = system.dynamics.variables().entry_names();
    let plain = |name: &str| name.replace(' ', "");
    if let Some((name, _)) = list.iter().find(|(name, _)| variables.iter().all(|v| plain(v) != *name)) {
        return Err(Failure::new(Code::UnknownName, format!("--inverse names `{name}`, which is no variable")));
    }
    let one = |variable: &String| {
        let at = list.iter().position(|(name, _)| *name == plain(variable));
        at.and_then(|k| given.get(k).cloned()).ok_or_else(|| {
            Failure::new(Code::MissingValue, format!("--inverse does not say what `{variable}` is"))
                .help("give every variable of the model in terms of the new coordinates")
        })
    };
    variables.iter().map(one).collect()
}

fn parsed(text: &str, input: &Input, system: &System) -> Result<System, Failure> {
    let shown = Input { name: format!("{} with --coordinates", input.name), source: text.to_owned(), ..input.clone() };
    System::parse_with(text, &Options { integers: system.integers.clone() })
        .or_else(|_| System::parse(text))
        .map_err(|diagnostics| shown.failure(diagnostics))
}

/// Statements of the model as they are written.
fn copied(model: &Loaded, wanted: impl Fn(&StatementKind) -> bool) -> String {
    let own = model.file.statements.iter().filter(|s| wanted(&s.kind));
    let line = |s: &Statement| format!("{}\n", model.input.source[s.span.start..s.span.end].trim_end());
    own.map(line).collect()
}

/// The new coordinates at the start of the model, if it has one.
fn start(model: &Loaded, functions: &[Expr]) -> Option<Vec<f64>> {
    let parameters = values::parameters(&model.system, &model.settings).ok()?;
    let state = values::initial(&model.system, &parameters, &model.settings).ok()?.coordinates;
    let outputs = Tensor::vector("value", functions.to_vec()).ok()?;
    let builder = FunctionBuilder::new().input(&model.system.parameter_layout());
    let f = builder.input(&model.system.state()).output(&outputs).engine(Engine::Tape).compile().ok()?;
    let mut out = vec![0.0; functions.len()];
    let mut work = f.workspace_in::<f64>().ok()?;
    f.call_in(&[&parameters, &state], &mut [&mut out], &mut work).ok()?;
    out.iter().all(|x| x.is_finite()).then_some(out)
}

/// The members of a family with names of their own.
fn named(array: &Array, value: &Tensor) -> Result<Vec<(String, Expr)>, cotangent_expr::Error> {
    let name = |k: usize| {
        let words = array.element_name(&array.multi_index(k));
        let words: Vec<&str> =
            words.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        words.join("_")
    };
    Ok(value.expand()?.entries().into_iter().enumerate().map(|(k, e)| (name(k), e)).collect())
}

struct Page<'a> {
    text: String,
    changed: &'a mut Coordinates,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn heading(&mut self, system: &System) {
        let title = system.title.as_ref().map_or(String::new(), |title| format!(" {title:?}"));
        self.line(&format!("model {}{title}\n", system.name));
    }

    /// Energy, constraints, claims, observables and parts of the energy.
    fn statements(&mut self, system: &System) -> Result<(), cotangent_expr::Error> {
        if let Dynamics::Poisson { hamiltonian, .. } = &system.dynamics {
            let energy = Expr::sum(hamiltonian.expand()?.entries());
            let energy = self.changed.put_in(&energy);
            self.line(&format!("hamiltonian {energy}"));
        }
        let constraints = |list: &[Constraint]| -> Result<Vec<(String, Expr)>, cotangent_expr::Error> {
            let all = list.iter().map(|c| named(&c.array, &c.residual)).collect::<Result<Vec<_>, _>>()?;
            Ok(all.concat())
        };
        for (keyword, list) in [("constraint", &system.constraints), ("gauge", &system.gauges)] {
            for (name, e) in constraints(list)? {
                let e = self.changed.put_in(&e);
                self.line(&format!("{keyword} {name}: {e} = 0"));
            }
        }
        let claims = system.claims.iter().map(|c| (ClaimKind::from(c.kind).to_string(), &c.quantity));
        let observed = system.observables.iter().map(|q| ("observe".to_owned(), q));
        let parts = system.splits.iter().map(|q| ("split".to_owned(), q));
        for (keyword, q) in claims.chain(observed).chain(parts) {
            for (name, e) in named(&q.array, &q.value)? {
                let e = self.changed.put_in(&e);
                self.line(&format!("{keyword} {name} = {e}"));
            }
        }
        Ok(())
    }
}

fn unmade(error: &cotangent_expr::Error) -> Failure {
    Failure::new(Code::Derive, error.to_string())
}

fn refused(error: &CoordinatesError) -> Failure {
    let failure = |code: Code| Failure::new(code, format!("no change of coordinates: {error}"));
    match error {
        CoordinatesError::NotPoisson(_) => failure(Code::DoesNotFit),
        CoordinatesError::Number { .. } => failure(Code::Usage)
            .help("give as many as there are variables; `a = x` keeps a variable under another name"),
        CoordinatesError::Singular => failure(Code::Singular).help("give independent ones"),
        CoordinatesError::NotAffine(_) => failure(Code::MissingValue)
            .help("add --inverse \"x = …, y = …\", the variables in terms of the new coordinates"),
        CoordinatesError::NotInverse { .. } => failure(Code::Inconsistent).help("correct --coordinates or --inverse"),
        CoordinatesError::Undecided(_) => failure(Code::Undecided),
        CoordinatesError::TooLarge => failure(Code::TooLarge).help("add --inverse \"x = …, y = …\""),
        CoordinatesError::Analysis(error) => super::refused(error.clone()),
    }
}
