//! Names of numbers and of families of numbers.

/// A scalar (no dimensions) or a family of numbers with one or more indices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// The name, without indices.
    pub name: String,
    /// For every index its first value and how many values it takes. Members are in the order in
    /// which the last index runs fastest.
    pub dims: Vec<(i64, usize)>,
    /// The indices of its members, where they are not all of those in `dims`: one dimension then numbers them.
    pub listed: Option<Vec<Vec<i64>>>,
}

impl Family {
    /// A single number.
    pub fn scalar(name: impl Into<String>) -> Self {
        Family { name: name.into(), dims: Vec::new(), listed: None }
    }

    /// A family with the given indices (first value, number of values).
    pub fn indexed(name: impl Into<String>, dims: impl Into<Vec<(i64, usize)>>) -> Self {
        Family { name: name.into(), dims: dims.into(), listed: None }
    }

    /// A family of these members, such as the pairs (i, j) with j < i.
    pub fn listed(name: impl Into<String>, members: Vec<Vec<i64>>) -> Self {
        Family { name: name.into(), dims: vec![(1, members.len())], listed: Some(members) }
    }

    /// How many numbers it has in a row; `None` if that is beyond counting.
    pub fn width(&self) -> Option<usize> {
        if self.dims.iter().any(|&(_, len)| len == 0) {
            return Some(0);
        }
        self.dims.iter().try_fold(1, |width: usize, &(_, len)| width.checked_mul(len))
    }

    /// The names of its members, such as `t`, `x[3]` or `u[2; 5]`, in the order of the row: without a comma, which
    /// readers of comma-separated values would split at.
    pub fn members(&self) -> impl Iterator<Item = String> + '_ {
        let mut next = if self.width() == Some(0) { None } else { Some(vec![0; self.dims.len()]) };
        std::iter::from_fn(move || {
            let index = next.as_mut()?;
            let name = self.member(index);
            if !advance(index, &self.dims) {
                next = None;
            }
            Some(name)
        })
    }

    fn member(&self, index: &[usize]) -> String {
        if index.is_empty() {
            return self.name.clone();
        }
        // Wider than i64: the first value may be any, and so may the number of values.
        if let (Some(listed), &[i]) = (&self.listed, index) {
            let own: Vec<String> = listed.get(i).into_iter().flatten().map(i64::to_string).collect();
            return format!("{}[{}]", self.name, own.join("; "));
        }
        let value = |(&i, &(first, _)): (&usize, &(i64, usize))| (first as i128 + i as i128).to_string();
        let values: Vec<String> = index.iter().zip(&self.dims).map(value).collect();
        format!("{}[{}]", self.name, values.join("; "))
    }
}

/// Moves to the next member, the last index fastest; false behind the last one.
fn advance(index: &mut [usize], dims: &[(i64, usize)]) -> bool {
    for (i, &(_, len)) in index.iter_mut().zip(dims).rev() {
        *i += 1;
        if *i < len {
            return true;
        }
        *i = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_called_by_their_own_indices_without_a_comma() {
        let pairs = Family::listed("d", vec![vec![2, 1], vec![3, 1], vec![3, 2]]);
        assert_eq!(pairs.members().collect::<Vec<_>>(), ["d[2; 1]", "d[3; 1]", "d[3; 2]"]);
        assert_eq!(pairs.width(), Some(3));
        assert_eq!(Family::indexed("u", [(1, 1), (0, 2)]).members().collect::<Vec<_>>(), ["u[1; 0]", "u[1; 1]"]);
    }

    #[test]
    fn extreme_indices_neither_overflow_nor_wrap() {
        let last = Family::indexed("x", [(i64::MAX, 2)]);
        assert_eq!(last.members().last().unwrap(), "x[9223372036854775808]");
        let huge = Family::indexed("x", [(0, usize::MAX), (0, 2)]);
        assert_eq!(huge.width(), None);
        assert_eq!(Family::indexed("x", [(0, usize::MAX), (0, 2), (0, 0)]).width(), Some(0));
    }
}
