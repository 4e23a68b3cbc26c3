//! The antisymmetric matrices of `bracket` and `form`.

use super::Elaborator;
use super::scope::{Loops, Meaning, Purpose};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::Keyword;
use crate::syntax::ast::{self, StatementKind};
use cotangent_expr::{Array, Layout, Place, Tensor, Term};

impl Elaborator<'_> {
    /// The antisymmetric matrix of all `bracket` or `form` entries.
    pub(super) fn pairs(&mut self, variables: &Layout, word: Keyword) -> Option<Tensor> {
        let parsed = self.parsed;
        let mut terms: Vec<Term> = vec![];
        let mut entries = Entries::default();
        let mut good = true;
        for s in &parsed.file.statements {
            let list = match &s.kind {
                StatementKind::Bracket(list) if word == Keyword::Bracket => list,
                StatementKind::Form(list) if word == Keyword::Form => list,
                _ => continue,
            };
            for pair in list {
                match self.pair(pair, variables, word, &mut entries) {
                    Some(more) => terms.extend(more),
                    None => good = false,
                }
            }
        }
        for (before, again, (p, q)) in entries.repeated() {
            let names = match word {
                Keyword::Bracket => format!("{{{}, {}}}", variables.entry_name(p), variables.entry_name(q)),
                _ => format!("({}, {})", variables.entry_name(p), variables.entry_name(q)),
            };
            let d = Diagnostic::new(Code::DuplicateName, again, format!("the {word} entry {names} is given twice"));
            let d = if before == again { d } else { d.label(before, "first given here") };
            self.error(d.help("give each pair once: the opposite order follows by antisymmetry"));
            good = false;
        }
        if !good {
            return None;
        }
        match Tensor::new(vec![variables.clone(), variables.clone()], terms) {
            Ok(t) => Some(t),
            Err(e) => {
                self.refused(&e, self.end());
                None
            }
        }
    }

    fn pair(
        &mut self,
        pair: &ast::Pairing,
        variables: &Layout,
        word: Keyword,
        entries: &mut Entries,
    ) -> Option<Vec<Term>> {
        let (first, second) = (self.variable(&pair.first, word), self.variable(&pair.second, word));
        let (loops, i) = self.place_index(&pair.first);
        let (loops, j) = self.place_index_in(&pair.second, &loops);
        let purpose = if word == Keyword::Bracket { Purpose::Bracket } else { Purpose::Form };
        let parts = self.parts(&pair.value, &loops, purpose);
        let (first, second) = (first?, second?);
        let counts = [(&pair.first, &first), (&pair.second, &second)]
            .map(|(place, a)| self.check_count(&place.name, place.indices.len(), a.dims(), place.span));
        (counts[0].is_some() && counts[1].is_some()).then_some(())?;
        let (i, j) = (i?, j?);
        self.check_range(&pair.first.name.text, &i, first.dims(), pair.first.span, &loops, None)?;
        self.check_range(&pair.second.name.text, &j, second.dims(), pair.second.span, &loops, None)?;
        let parts = parts?;
        let (a, b) = (Place { array: first.clone(), index: i }, Place { array: second.clone(), index: j });
        let (oa, ob) = (variables.offset(&first)?, variables.offset(&second)?);
        let limit = self.limits.members.saturating_sub(entries.list.len() as u64);
        if loops.domain().count(limit + 1) > limit {
            let message = format!("the {word} has more than {} entries", self.limits.members);
            self.error(Diagnostic::new(Code::TooLarge, pair.span, message).help("reduce the ranges"));
            return None;
        }
        let mut diagonal = None;
        loops.domain().for_each(&mut |vars| {
            if let (Some(p), Some(q)) = (a.position(vars), b.position(vars)) {
                let (p, q) = (oa + p, ob + q);
                if p == q {
                    diagonal = Some(p);
                }
                entries.push((p.min(q), p.max(q)), pair.span);
            }
            diagonal.is_none()
        });
        if let Some(p) = diagonal {
            let name = variables.entry_name(p);
            let message = format!("the {word} of `{name}` with itself is zero by antisymmetry");
            let help = match loops.len() {
                0 => "leave this entry out".into(),
                _ => format!("choose the ranges so that the two indices differ: they meet at `{name}`"),
            };
            self.error(Diagnostic::new(Code::WrongPlace, pair.span, message).help(help));
            return None;
        }
        let shape = vec![variables.clone(), variables.clone()];
        let negated = parts.clone().map(|v| -v);
        let upper = self.tensor(parts, &loops, &[a.clone(), b.clone()], shape.clone(), pair.value.span)?;
        let lower = self.tensor(negated, &loops, &[b, a], shape, pair.value.span)?;
        Some(upper.terms().iter().chain(lower.terms()).cloned().collect())
    }

    /// The variable on the left of a bracket or form entry.
    fn variable(&mut self, place: &ast::Place, word: Keyword) -> Option<Array> {
        let name = &place.name.text;
        if let Some(prime) = place.prime {
            let message = format!("a {word} is between variables, not their velocities");
            self.error(Diagnostic::new(Code::MisplacedPrime, prime, message).help("leave out the prime"));
            return None;
        }
        match self.names.get(name).cloned() {
            Some(Meaning::Variable(v)) => Some(v),
            Some(Meaning::Broken) => None,
            Some(m) => {
                let message = format!("a {word} is between variables, and `{name}` is {}", m.describe());
                let help = match m {
                    Meaning::Parameter(_) | Meaning::Integer(_) | Meaning::Table(_) => {
                        format!("the {word} with a constant is zero: leave this entry out")
                    }
                    Meaning::Let(_) => "give the entries for the variables it is made of; the rest follows".into(),
                    _ => "declare it with `variables`".into(),
                };
                self.error(Diagnostic::new(Code::WrongPlace, place.span, message).help(help));
                None
            }
            None => {
                self.unknown(&place.name, &Loops::default());
                None
            }
        }
    }
}

/// The entries of a bracket or form, each with the number of the text that gives it.
#[derive(Default)]
struct Entries {
    list: Vec<((usize, usize), u32)>,
    spans: Vec<Span>,
}

impl Entries {
    fn push(&mut self, entry: (usize, usize), span: Span) {
        if self.spans.last() != Some(&span) {
            self.spans.push(span);
        }
        self.list.push((entry, (self.spans.len() - 1) as u32));
    }

    /// Entries given again: where before, where again, and which; one for each text that repeats.
    fn repeated(&mut self) -> Vec<(Span, Span, (usize, usize))> {
        self.list.sort_unstable();
        let mut found: Vec<(u32, u32, (usize, usize))> =
            self.list.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| (w[1].1, w[0].1, w[0].0)).collect();
        found.sort_unstable();
        found.dedup_by_key(|f| f.0);
        found
            .into_iter()
            .map(|(again, before, e)| (self.spans[before as usize], self.spans[again as usize], e))
            .collect()
    }
}
