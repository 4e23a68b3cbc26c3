//! Names for what formulas only know as the solution of equations.
//!
//! Where the velocities are the root v of ∂L/∂v = p, derivatives by phase space contain vectors w with W w = b,
//! W = ∂²L/∂v∂v: by the implicit function theorem ∂f(v)/∂p = W⁻¹ ∂f/∂v. They have names of their own only here, where
//! they are read.

use crate::labels::distinguish;
use crate::report::{Analysis, DiracBracket, MultiplierValue};
use cotangent_expr::{Array, Definition, Digest, Expr, Node, Role};
use std::collections::{BTreeMap, BTreeSet};

/// A vector that occurs in formulas.
#[derive(Clone, Debug)]
pub struct Implicit {
    /// Its name.
    pub name: String,
    /// b of W w = b, entry by entry; of w = b where nothing is solved.
    pub right: Vec<Expr>,
    /// Whether it is solved for.
    pub solved: bool,
}

/// Names that were given.
struct Names {
    taken: BTreeSet<String>,
    known: BTreeMap<Digest, Array>,
    found: Vec<Implicit>,
}

impl Analysis {
    /// The same for a reader, and the expressions that the names w1, w2, … in it denote; constraints that are called like
    /// variables have other names. These formulas can be printed, not evaluated.
    pub fn legible(&self) -> (Analysis, Vec<Implicit>) {
        let mut names = Names { taken: BTreeSet::new(), known: BTreeMap::new(), found: vec![] };
        let mut shown = self.clone();
        each(&mut shown, &mut |e| {
            let name = |leaf: &Expr| match leaf.node() {
                Node::At(a, _) => Some(a.name().to_owned()),
                _ => None,
            };
            names.taken.extend(e.leaves().iter().filter_map(name));
            e.clone()
        });
        distinguish(&mut shown, &names.taken);
        each(&mut shown, &mut |e| names.rename(e));
        (shown, names.found)
    }
}

impl Names {
    fn rename(&mut self, e: &Expr) -> Expr {
        e.rewrite(&mut |leaf| match leaf.node() {
            Node::At(a, index) => self.named(a).map(|own| Expr::at(&own, index.clone())),
            _ => None,
        })
    }

    fn named(&mut self, a: &Array) -> Option<Array> {
        if let Some(known) = self.known.get(&a.digest()) {
            return Some(known.clone());
        }
        let (right, solved) = match a.definition() {
            Definition::Solved { rhs, .. } => (rhs, true),
            // Adjoints have no other name that a model knows; sums have.
            Definition::Defined(values) if a.name().ends_with("_adjoint") => (values, false),
            _ => return None,
        };
        let right = right.expand().ok()?.entries();
        let right: Vec<Expr> = right.iter().map(|e| self.rename(e)).collect();
        let free = |name: &String| !self.taken.contains(name);
        let name = (self.known.len() + 1..).map(|k| format!("w{k}")).find(free)?;
        self.taken.insert(name.clone());
        let own = Array::given(&name, Role::Auxiliary, a.dims().to_vec());
        self.known.insert(a.digest(), own.clone());
        self.found.push(Implicit { name, right, solved });
        Some(own)
    }
}

/// Replaces every formula.
fn each(a: &mut Analysis, f: &mut dyn FnMut(&Expr) -> Expr) {
    let mut put = |e: &mut Expr| *e = f(e);
    a.hamiltonian.iter_mut().for_each(&mut put);
    for c in &mut a.constraints {
        put(&mut c.expression);
        c.combination.iter_mut().for_each(|(_, e)| put(e));
    }
    a.conditions.iter_mut().filter_map(|s| s.condition.as_mut()).for_each(&mut put);
    for (_, old, new) in &mut a.irregular {
        put(old);
        new.iter_mut().for_each(&mut put);
    }
    for m in &mut a.multipliers {
        if let MultiplierValue::Determined(e) = &mut m.value {
            put(e);
        }
    }
    for g in &mut a.gauge {
        put(&mut g.expression);
        g.changes.iter_mut().for_each(|(_, e)| put(e));
    }
    if let Some(matrix) = &mut a.brackets {
        matrix.entries.iter_mut().for_each(|entry| put(&mut entry.2));
    }
    if let Some(DiracBracket::Table(rows)) = &mut a.dirac_bracket {
        rows.iter_mut().for_each(|row| put(&mut row.2));
    }
    a.assumptions.iter_mut().for_each(&mut put);
    for claim in &mut a.claims {
        put(&mut claim.value);
        claim.defect.iter_mut().for_each(&mut put);
    }
    a.poisson.iter_mut().flat_map(|p| &mut p.table).for_each(|entry| put(&mut entry.2));
    for branch in &mut a.branches {
        branch.factors.iter_mut().for_each(&mut put);
    }
    for branch in &mut a.branches {
        each(&mut branch.analysis, f);
    }
}
