//! Phase space: its variables and their brackets.
//!
//! {F, G} = Σ ∂ᵢF Bᵢⱼ ∂ⱼG; for coordinates and momenta Bᵢⱼ is ±1 on conjugate pairs.

use cotangent_expr::{Array, Error, Expr, Ix, Layout, Place, Tensor};
use std::collections::BTreeMap;

/// A vector by its entries that are not zero.
pub type Sparse = BTreeMap<usize, Expr>;

/// The variables of phase space, one by one, and the bracket.
#[derive(Clone, Debug)]
pub struct Phase {
    /// The variables.
    pub layout: Layout,
    /// Their names, one by one.
    pub names: Vec<String>,
    /// The same as expressions.
    pub symbols: Vec<Expr>,
    /// The rows of B.
    pub bracket: Vec<Sparse>,
    /// Whether they are coordinates and momenta.
    pub canonical: bool,
}

impl Phase {
    /// Coordinates followed by their momenta.
    pub fn canonical(coordinates: &Layout, momenta: &Layout) -> Phase {
        let layout = coordinates.then(momenta);
        let n = coordinates.len();
        let row = |i: usize| match i < n {
            true => Sparse::from([(i + n, Expr::one())]),
            false => Sparse::from([(i - n, -Expr::one())]),
        };
        Phase::new(layout, (0..2 * n).map(row).collect(), true)
    }

    /// Variables with the brackets of a matrix.
    pub fn general(variables: &Layout, bracket: &Tensor) -> Result<Phase, Error> {
        let bracket = bracket.expand()?;
        let mut rows = vec![Sparse::new(); variables.len()];
        for (at, value) in entries(&bracket) {
            if let [i, j] = at[..] {
                let sum = rows[i].get(&j).map_or(value.clone(), |known| known + &value);
                rows[i].insert(j, sum);
            }
        }
        Ok(Phase::new(variables.clone(), rows, false))
    }

    fn new(layout: Layout, bracket: Vec<Sparse>, canonical: bool) -> Phase {
        Phase { names: layout.entry_names(), symbols: symbols(&layout), layout, bracket, canonical }
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The derivatives of an expression by the variables it contains.
    pub fn gradient(&self, e: &Expr) -> Result<Sparse, Error> {
        gradient(e, &self.layout)
    }

    /// {zᵢ, F} for every variable, from the gradient of F.
    pub fn flow(&self, gradient: &Sparse) -> Sparse {
        let mut out: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
        for (&j, slope) in gradient {
            // Bᵢⱼ = −Bⱼᵢ: the row of j has all that meets it.
            for (&i, b) in &self.bracket[j] {
                out.entry(i).or_default().push(-(b * slope));
            }
        }
        out.into_iter().map(|(i, terms)| (i, Expr::sum(terms))).filter(|(_, e)| !e.is_zero()).collect()
    }

    /// {F, G} from the gradient of F and the flow of G.
    pub fn pair(gradient: &Sparse, flow: &Sparse) -> Expr {
        Expr::sum(gradient.iter().filter_map(|(i, slope)| flow.get(i).map(|f| slope * f)))
    }
}

/// A member of an array.
pub(crate) fn member(array: &Array, k: usize) -> Place {
    Place { array: array.clone(), index: array.multi_index(k).into_iter().map(Ix::constant).collect() }
}

/// The variables of a layout, one by one.
pub fn symbols(layout: &Layout) -> Vec<Expr> {
    layout.arrays().iter().flat_map(|a| (0..a.len()).map(|k| a.element(&a.multi_index(k)))).collect()
}

/// The derivatives by the variables of a layout.
pub fn gradient(e: &Expr, by: &Layout) -> Result<Sparse, Error> {
    let mut gradient = Tensor::scalar(e.clone())?.gradient(by)?;
    if gradient.terms().iter().any(|t| !t.domain.is_point()) {
        gradient = gradient.expand()?;
    }
    let mut out: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
    for (at, value) in entries(&gradient) {
        out.entry(at[0]).or_default().push(value);
    }
    Ok(out.into_iter().map(|(i, terms)| (i, Expr::sum(terms))).filter(|(_, e)| !e.is_zero()).collect())
}

/// (positions, value) of an expanded tensor, entries that occur in several terms several times.
pub fn entries(t: &Tensor) -> Vec<(Vec<usize>, Expr)> {
    let mut out = vec![];
    for term in t.terms() {
        let position = |(place, layout): (&Place, &Layout)| Some(layout.offset(&place.array)? + place.position(&[])?);
        if let Some(at) = term.at.iter().zip(t.shape()).map(position).collect::<Option<Vec<usize>>>() {
            out.push((at, term.value.clone()));
        }
    }
    out
}
