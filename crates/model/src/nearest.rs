//! The nearest valid name, for "did you mean".

/// The candidate most like `word`, if any is like enough: at most one edit (insertion, deletion,
/// substitution, swap of neighbours) in every three characters, case counting for little. Ties go
/// to the earliest candidate.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let folded = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let size = candidate.chars().count();
        if candidate == word || size > LONGEST {
            continue;
        }
        // A difference in case alone is half an edit.
        let edits = distance(&folded, &candidate.to_lowercase());
        let cost = 2 * edits + usize::from(edits == 0);
        let affordable = 2 * (length.max(size) / 3).max(1);
        let same_short_word = length.max(size) <= 2 && cost > 1;
        if cost <= affordable && !same_short_word && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Words longer than this have no neighbours.
const LONGEST: usize = 64;

/// The Damerau–Levenshtein distance (optimal string alignment).
pub fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitute = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitute.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distance_counts_each_kind_of_edit_once() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("lagrangian", "lagrangian"), 0);
        assert_eq!(distance("hamitlonian", "hamiltonian"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn nearest_is_near() {
        let words = ["param", "coord", "hamiltonian", "lagrangian", "let"];
        assert_eq!(nearest("parm", words), Some("param"));
        assert_eq!(nearest("Hamiltonian", words), Some("hamiltonian"));
        assert_eq!(nearest("hamitlonain", words), Some("hamiltonian"));
        assert_eq!(nearest("velocity", words), None);
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("P_x", ["p_y", "p_x"]), Some("p_x"));
        assert_eq!(nearest("X", ["y", "x"]), Some("x"));
    }
}
