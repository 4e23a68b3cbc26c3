//! Velocities of `let`s, by the chain rule: (f(q))' = Σ ∂f/∂q q'.

use super::Elaborator;
use super::index::MAX_LOOPS;
use super::scope::{LetState, Loops, Meaning, Part, Parts};
use crate::diagnostic::{Code, Diagnostic, Span};
use cotangent_expr::{Expr, Node, Role};

impl Elaborator<'_> {
    /// The velocity of a `let` that has been worked out, in its own indices; worked out once.
    pub(super) fn velocity_of_let(&mut self, k: usize, prime: Span) -> Option<Parts> {
        if let Some(known) = self.velocities.get(&k) {
            return known.clone();
        }
        let found = self.has_velocity(k, prime).and_then(|()| self.differentiated(k, prime));
        self.velocities.insert(k, found.clone());
        found
    }

    /// Refuses the velocity of what is not made of positions.
    fn has_velocity(&mut self, k: usize, prime: Span) -> Option<()> {
        let LetState::Done { roles, .. } = &self.lets[k].state else { return None };
        let roles = *roles;
        let head = &self.lets[k].definition.head;
        let (name, declared) = (&head.name.text, head.span);
        let (message, help) = match () {
            _ if self.is_poisson && roles.has(Role::Coordinate) => (
                format!("`{name}` is made of variables of the bracket: it has no velocity here"),
                "in a Poisson or constant-form model the bracket or form gives the motion",
            ),
            _ if roles.has(Role::Momentum) => (
                format!("`{name}` contains a momentum: its velocity does not exist before the motion is known"),
                "a velocity follows by the chain rule where a `let` is made of positions alone; the rate of change of a momentum \
                 follows from the energy",
            ),
            _ if roles.has(Role::Velocity) => (
                format!("`{name}` contains a velocity: its own would be an acceleration"),
                "there are no second derivatives in a model; accelerations follow from the lagrangian or hamiltonian",
            ),
            _ if !roles.has(Role::Coordinate) => (
                format!("`{name}` is made of constants: it has no velocity"),
                "only coordinates, and `let`s made of them, have velocities",
            ),
            _ => return Some(()),
        };
        let d = Diagnostic::new(Code::MisplacedPrime, prime, message).label(declared, "defined here");
        self.error(d.help(help));
        None
    }

    fn differentiated(&mut self, k: usize, span: Span) -> Option<Parts> {
        let LetState::Done { loops, parts, .. } = &self.lets[k].state else { return None };
        let (loops, parts) = (loops.clone(), parts.clone());
        let mut all = vec![];
        for p in parts.0 {
            let inner = loops.with(&p.loops);
            let value = self.rate(&p.value, &inner, span)?;
            if p.loops.is_empty() {
                all.push(value);
                continue;
            }
            // (c Σ f)' = c Σ f' + c' Σ f
            let value = self.close(value, &inner, span)?;
            let factor = self.rate(&p.factor, &loops, span)?;
            let factor = self.close(factor, &loops, span)?;
            all.push(Parts(vec![
                Part { loops: p.loops.clone(), factor: p.factor, value },
                Part { loops: p.loops, factor, value: p.value },
            ]));
        }
        Some(Parts::sum(all))
    }

    /// The derivative of an expression in positions along the motion.
    fn rate(&mut self, e: &Expr, loops: &Loops, span: Span) -> Option<Parts> {
        let nodes = self.count_nodes(e);
        self.spend(4 * nodes, span)?;
        let slopes = match e.partials() {
            Ok(slopes) => slopes,
            Err(e) => {
                self.refused(&e, span);
                return None;
            }
        };
        let mut all = vec![];
        for (leaf, slope) in slopes {
            let Node::At(array, index) = leaf.node() else { continue };
            if let Some(Meaning::Coordinate { position, velocity }) = self.names.get(array.name())
                && position == array
            {
                all.push(Parts::plain(slope * Expr::at(velocity, index.clone())));
            } else if !array.is_given() {
                // A sum inside a function: the rate of the sum is the sum of the rates.
                let Some((ranges, value)) = self.summand(&leaf, loops.len()) else {
                    let message = format!("more than {MAX_LOOPS} indices are nested in this velocity");
                    self.error(Diagnostic::new(Code::TooDeep, span, message).help("nest fewer sums"));
                    return None;
                };
                let inner = loops.with(&ranges);
                let value = self.rate(&value, &inner, span)?;
                let value = self.close(value, &inner, span)?;
                all.push(Parts(vec![Part { loops: ranges, factor: slope, value }]));
            }
        }
        Some(Parts::sum(all))
    }
}
