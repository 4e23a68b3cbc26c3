//! Matrices of variables: what `algebra so(n): W` declares, and the bracket that follows.

use super::Elaborator;
use super::declare::Declared;
use super::matrix::{Entry, Matrix, lie_poisson, whole};
use super::scope::{Loops, Meaning, Parts, Purpose};
use crate::algebra::{Algebra, Part, Symmetry};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::Keyword;
use crate::syntax::ast::{self, Name, Reference, Statement};
use cotangent_expr::{Array, Dim, Expr, Ix, Layout, Role, Table, Tensor};

impl Elaborator<'_> {
    /// Declares the variables of a matrix.
    pub(super) fn matrix(&mut self, m: &ast::Matrix, declared: &mut Declared) {
        let Some(algebra) = self.algebra(m) else {
            // Whatever its parts are called, nothing more is said about them.
            self.declare(&m.name, Meaning::Broken);
            for suffix in ["_re", "_im"] {
                self.names.declare(&format!("{}{suffix}", m.name.text), Meaning::Broken, m.name.span);
            }
            return;
        };
        for part in algebra.parts() {
            let name = Name { text: format!("{}{}", m.name.text, part.suffix), span: m.name.span };
            let Some((array, meaning)) = self.part(&name.text, part, algebra.size) else { return };
            self.declare(&name, meaning);
            declared.variables.push(array);
        }
        declared.algebras.push(algebra);
    }

    /// The algebra, if there is one of that size.
    fn algebra(&mut self, m: &ast::Matrix) -> Option<Algebra> {
        let size = self.integer(&m.size, &Loops::default())?;
        let algebra = Algebra { kind: m.kind, size: usize::try_from(size).unwrap_or(0) };
        let kind = m.kind;
        if let Err(why) = algebra.exists() {
            let message = format!("there is no algebra {kind}({size}) to move in");
            self.error(Diagnostic::new(Code::MalformedAlgebra, m.size.span, message).help(why));
            return None;
        }
        if algebra.products() > self.limits.members {
            let message = format!(
                "{kind}({size}) has {} variables and some {} products in its bracket: more than {}",
                algebra.dimension(),
                algebra.products(),
                self.limits.members
            );
            self.error(Diagnostic::new(Code::TooLarge, m.size.span, message).help("reduce the size"));
            return None;
        }
        Some(algebra)
    }

    /// A real matrix of an algebra, and its variables.
    fn part(&mut self, name: &str, part: Part, size: usize) -> Option<(Array, Meaning)> {
        let square = vec![Dim { first: 1, len: size }; 2];
        let members: Vec<[i64; 2]> = part.members(size).iter().map(|m| m.map(|k| k as i64)).collect();
        let (mut own, mut number) = (vec![0; size * size], vec![0; size * size]);
        for (k, &[i, j]) in (1..).zip(&members) {
            let flat = |i: i64, j: i64| (i as usize - 1) * size + j as usize - 1;
            own[flat(i, j)] = k;
            number[flat(i, j)] = k;
            if part.symmetry != Symmetry::None {
                number[flat(j, i)] = k;
            }
        }
        let array = Array::listed(name, Role::Coordinate, members.iter().map(|m| m.to_vec()).collect());
        self.numbered.insert(array.digest(), Table::new(name, square.clone(), own)?);
        let number = Table::new(name, square.clone(), number)?;
        let whole = whole(&array, &members, &part, square)?;
        let matrix = Matrix { array: array.clone(), name: name.into(), part, size, number, whole };
        Some((array, Meaning::Matrix(matrix)))
    }

    /// An entry of a matrix in an expression.
    pub(super) fn matrix_entry(
        &mut self,
        r: &Reference,
        matrix: &Matrix,
        span: Span,
        loops: &Loops,
        purpose: Purpose,
    ) -> Option<Parts> {
        self.roles.add(Role::Coordinate);
        self.check_role(Role::Coordinate, &r.name.text, span, purpose, None)?;
        let index = self.indices(r, matrix.number.dims(), span, loops)?;
        // What it is at all points, if that is the same.
        let mut kind: Option<Entry> = None;
        let mut same = loops.domain().count(self.limits.points + 1) <= self.limits.points;
        if same {
            loops.domain().for_each(&mut |point| {
                let at = index.iter().map(|i| i.eval(point)).collect::<Option<Vec<i64>>>();
                let own = at.as_deref().map(|at| matrix.entry(at));
                same &= own.is_some() && (kind.is_none() || kind == own);
                kind = own;
                same
            });
        }
        let variable = || Expr::at(&matrix.array, vec![Ix::table(matrix.number.clone(), index.clone())]);
        Some(Parts::plain(match kind.filter(|_| same) {
            Some(Entry::Variable) => variable(),
            Some(Entry::Opposite) => -variable(),
            Some(Entry::Zero) => Expr::zero(),
            Some(Entry::Rest) => {
                let diagonal = (1..matrix.size as i64).filter_map(|k| matrix.number.get(&[k, k]));
                -Expr::sum(diagonal.map(|k| matrix.array.element(&[k])))
            }
            None => Expr::at(&matrix.whole, index),
        }))
    }

    /// Refuses entries that follow from others where values are given.
    pub(super) fn own_entries(&mut self, matrix: &Matrix, index: &[Ix], loops: &Loops, span: Span) -> Option<()> {
        let mut other = None;
        loops.domain().for_each(&mut |point| {
            let at: Option<Vec<i64>> = index.iter().map(|i| i.eval(point)).collect();
            if let Some([i, j]) = at.as_deref().and_then(|at| <[i64; 2]>::try_from(at).ok())
                && !matrix.part.has(i, j, matrix.size)
            {
                other = Some([i, j]);
            }
            other.is_none()
        });
        let Some([i, j]) = other else { return Some(()) };
        let name = &matrix.name;
        let (is, help) = match matrix.part.symmetry {
            Symmetry::Antisymmetric if i == j => ("0".to_string(), "leave it out".to_string()),
            Symmetry::Antisymmetric => (format!("-{name}[{j}, {i}]"), format!("give `{name}[{j}, {i}]`")),
            Symmetry::Symmetric if i != j => (format!("{name}[{j}, {i}]"), format!("give `{name}[{j}, {i}]`")),
            _ => ("minus the sum of the others on the diagonal".into(), "give these: the trace is 0".into()),
        };
        let message = format!("`{name}[{i}, {j}]` is {is}, and gets no value of its own");
        self.error(Diagnostic::new(Code::IndexOutOfRange, span, message).help(help));
        None
    }

    /// The bracket of all algebras of the model: each is one family of products.
    pub(super) fn commutators(&mut self, declared: &Declared) -> Option<Tensor> {
        let layout = Layout::new(declared.variables.clone());
        let mut arrays = declared.variables.iter();
        let mut terms = vec![];
        for algebra in &declared.algebras {
            let own: Vec<Array> = arrays.by_ref().take(algebra.parts().len()).cloned().collect();
            terms.extend(lie_poisson(*algebra, &own));
        }
        match Tensor::new(vec![layout.clone(), layout], terms) {
            Ok(t) => Some(t),
            Err(e) => {
                self.refused(&e, self.end());
                None
            }
        }
    }

    /// Checks what stands beside an `algebra`.
    pub(super) fn consistent_algebra(&mut self, algebra: &Statement) -> bool {
        let parsed = self.parsed;
        let others = [Keyword::Coord, Keyword::Variables, Keyword::Bracket, Keyword::Form, Keyword::Lagrangian];
        let mut good = true;
        for s in parsed.file.statements.iter().filter(|s| others.contains(&s.kind.keyword())) {
            let (message, help) = match s.kind.keyword() {
                Keyword::Lagrangian => (
                    "a Lagrangian needs coordinates, which have velocities; the matrix of an `algebra` has none".into(),
                    "give a `hamiltonian`",
                ),
                word @ (Keyword::Bracket | Keyword::Form) => (
                    format!("a model with an `algebra` has its bracket from it, and no `{word}`"),
                    "remove it, or declare `variables` and all of their brackets instead of the `algebra`",
                ),
                word => (
                    format!("a model has an `algebra` or `{word}`, not both"),
                    "keep one of them; a product of algebras is written `algebra so(3): L, so(3): M`",
                ),
            };
            let d = Diagnostic::new(Code::DuplicateStatement, s.span, message);
            self.error(d.label(algebra.span, "the algebra is declared here").help(help));
            good = false;
        }
        good
    }
}
