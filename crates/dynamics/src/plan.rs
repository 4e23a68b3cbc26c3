//! The implicit equations of a step, listed before it runs.

use cotangent_solve::{Pattern, filling};

/// One place in a step where equations are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site(usize);

impl Site {
    /// Its position in the plan.
    pub fn index(self) -> usize {
        self.0
    }
}

/// What an equation determines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A constraint φ(q) = 0 holds.
    Constraint,
    /// A hidden constraint G(q) q̇ = 0 holds.
    HiddenConstraint,
    /// A coordinate.
    Coordinate,
    /// A momentum.
    Momentum,
    /// An entry of the state at a stage.
    State,
    /// An entry of a matrix at a stage.
    Matrix,
}

/// An equation of a step: the `index`-th of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Equation {
    /// What it determines.
    pub kind: Kind,
    /// Which one.
    pub index: usize,
}

/// The equations of a site.
#[derive(Clone, PartialEq, Debug)]
pub struct Unknowns {
    /// Where the Jacobian has entries; `None` for a fixed-point equation.
    pub pattern: Option<Pattern>,
    /// What the equations determine: a kind and how many, in order.
    pub rows: Vec<(Kind, usize)>,
    /// Whether they are affine in their unknowns: one update of Newton's method solves them.
    pub affine: bool,
    /// How often the rows repeat where they are a fixed-point equation for the stages of a vector.
    pub stages: Option<usize>,
    /// Whether the stages are followed by a row that the map keeps: how large the numbers are whose rounding the entries have.
    pub rounded: bool,
}

/// Fewer equations are solved in no time, whatever their pattern.
const MANY: usize = 200;

/// Every site of a step: what a [`Machine`](crate::Machine) makes its workspaces from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan(Vec<Unknowns>);

impl Plan {
    /// A plan without sites yet.
    pub fn new() -> Plan {
        Plan::default()
    }

    /// Adds equations that Newton's method solves.
    pub fn newton(&mut self, pattern: Pattern, rows: Vec<(Kind, usize)>) -> Site {
        self.push(Unknowns { pattern: Some(pattern), rows, affine: false, stages: None, rounded: false })
    }

    /// Adds equations that are affine in their unknowns: they are solved once.
    pub fn affine(&mut self, pattern: Pattern, rows: Vec<(Kind, usize)>) -> Site {
        self.push(Unknowns { pattern: Some(pattern), rows, affine: true, stages: None, rounded: false })
    }

    /// Adds a fixed-point equation.
    pub fn fixed_point(&mut self, rows: Vec<(Kind, usize)>) -> Site {
        self.push(Unknowns { pattern: None, rows, affine: false, stages: None, rounded: false })
    }

    /// Adds a fixed-point equation for so many stages of a vector.
    pub fn stages(&mut self, stages: usize, of: &[(Kind, usize)]) -> Site {
        self.push(Unknowns {
            pattern: None,
            rows: of.repeat(stages),
            affine: false,
            stages: Some(stages),
            rounded: false,
        })
    }

    /// The same, followed by a row that the map keeps: how large the numbers are whose rounding the entries have. For stages
    /// that are determined by equations the rounding of whose terms is more than their own.
    pub fn rounded_stages(&mut self, stages: usize, of: &[(Kind, usize)]) -> Site {
        self.push(Unknowns {
            pattern: None,
            rows: of.repeat(stages + 1),
            affine: false,
            stages: Some(stages),
            rounded: true,
        })
    }

    fn push(&mut self, unknowns: Unknowns) -> Site {
        self.0.push(unknowns);
        Site(self.0.len() - 1)
    }

    /// Equations that no order of elimination keeps sparse, if an update of Newton's method is long for that: how many, and
    /// about how many nanoseconds it takes.
    pub fn filling(&self) -> Option<(usize, f64)> {
        let patterns = self.0.iter().filter_map(|site| site.pattern.as_ref()).filter(|p| p.rows() >= MANY);
        let costly = patterns.filter_map(|pattern| Some((pattern.rows(), filling(pattern)?)));
        costly.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The sites, in order.
    pub fn sites(&self) -> &[Unknowns] {
        &self.0
    }

    /// The equations of a site, if it belongs to this plan.
    pub fn unknowns(&self, site: Site) -> Option<&Unknowns> {
        self.0.get(site.0)
    }
}

impl Unknowns {
    /// How many equations of one kind follow each other, in one stage where there are several: they have a unit in common.
    pub fn groups(&self) -> Vec<usize> {
        let rows = &self.rows[..self.rows.len() / self.repeats()];
        let kinds = rows.chunk_by(|(a, _), (b, _)| a == b);
        kinds.map(|rows| rows.iter().map(|&(_, count)| count).sum()).collect()
    }

    /// How often the rows repeat.
    pub fn repeats(&self) -> usize {
        self.stages.unwrap_or(1).max(1) + usize::from(self.rounded)
    }

    /// The number of equations.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|(_, count)| count).sum()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a row is.
    pub fn equation(&self, row: usize) -> Option<Equation> {
        let mut first = 0;
        for &(kind, count) in &self.rows {
            if row < first + count {
                return Some(Equation { kind, index: row - first });
            }
            first += count;
        }
        None
    }
}
