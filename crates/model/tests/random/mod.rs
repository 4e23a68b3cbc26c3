//! Random texts, the same on every run.
#![allow(dead_code, reason = "each test file uses a part")]

/// A small generator, so that a failure can be repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit.max(1) as u64)).unwrap_or(0)
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// The declarations that [`expression`] uses. Indices run over 1..4, and stay inside the families.
pub(crate) const HEADER: &str = "param n : int = 4\nparam t[i in 1..n] : int = mod(2*i, 4) + 1\nparam a = 2, b = 3\n\
    param m[i in 1..n] = i\ncoord x, y, u[i in 0..5], w[i in 1..4, j in 1..4]\n\
    let f[k in 1..3] = u[k+1]*k + sum(j in 1..k, u[j+1]^2), g = sum(j in 1..n, m[j]*u[j])\n";

/// An index with a value in 1..4, given those in scope.
fn index(r: &mut Random, scope: &[String]) -> String {
    if scope.is_empty() || r.below(6) == 0 {
        return (1 + r.below(4)).to_string();
    }
    let i = &scope[r.below(scope.len())];
    match r.below(8) {
        0 => format!("t[{i}]"),
        1 => format!("mod({i}, 4) + 1"),
        2 => format!("5 - {i}"),
        3 => format!("floor({i}/2) + 1"),
        4 => format!("t[mod({i} + 1, 3) + 1]"),
        5 => format!("floor((2*{i} + 1)/3) + 1"),
        _ => i.clone(),
    }
}

/// A leaf: a number, parameter, index, coordinate or velocity.
fn leaf(r: &mut Random, scope: &[String]) -> String {
    let numbers = ["0", "1", "2", "3", "0.5", "1.25", "1e-3", "2e20", "1/3", "7.1e-300", "pi"];
    match r.below(14) {
        0 | 1 => r.pick(&numbers).into(),
        2 => r.pick(&["a", "b", "n", "g"]).into(),
        3 => format!("m[{}]", index(r, scope)),
        4 => r.pick(&["x", "y", "x'", "y'"]).into(),
        5 | 6 => {
            let shift = r.pick(&["", " - 1", " + 1"]);
            format!("u[{}{shift}]{}", index(r, scope), r.pick(&["", "'"]))
        }
        7 => format!("w[{}, {}]", index(r, scope), index(r, scope)),
        8 => format!("f[min({}, 3)]", 1 + r.below(4)),
        9 if !scope.is_empty() => format!("f[mod({}, 3) + 1]", scope[r.below(scope.len())]),
        10 if !scope.is_empty() => format!("f[floor({}/2) + 1]", scope[r.below(scope.len())]),
        11 if !scope.is_empty() => index(r, scope),
        _ => r.pick(&["x", "y", "a"]).into(),
    }
}

/// An expression over [`HEADER`].
pub(crate) fn expression(r: &mut Random, depth: usize, scope: &mut Vec<String>) -> String {
    if depth == 0 || r.below(8) == 0 {
        return leaf(r, scope);
    }
    let few = scope.len() < 3;
    let mut sub = |r: &mut Random| expression(r, depth - 1, scope);
    match r.below(15) {
        0..3 => format!("{} + {}", sub(r), sub(r)),
        3 => format!("{} - ({})", sub(r), sub(r)),
        4 | 5 => format!("({})*({})", sub(r), sub(r)),
        6 => format!("({})/({})", sub(r), sub(r)),
        7 => format!("-({})", sub(r)),
        8 => format!("({})^{}", sub(r), r.pick(&["2", "3", "(-1)", "(1/2)", "(-3/2)", "0.3", "a", "(-x)", "(a + 1)"])),
        9 => format!("{}({})", r.pick(&["sin", "cos", "exp", "sqrt", "log", "tanh", "abs", "floor", "sign"]), sub(r)),
        10 => format!("{}({}, {})", r.pick(&["atan2", "min", "max", "mod"]), sub(r), sub(r)),
        11 => format!("stumpff({}, {})", r.below(4), sub(r)),
        _ if few => {
            let name = ["i", "j", "k", "l"][scope.len()].to_string();
            let range = match scope.last() {
                Some(outer) if r.below(2) == 0 => match r.below(3) {
                    0 => format!("1..{outer}"),
                    1 => format!("{outer}..4"),
                    _ => format!("1..t[{outer}]"),
                },
                _ => r.pick(&["1..n", "1..4", "2..3", "2..2", "3..1"]).into(),
            };
            scope.push(name.clone());
            let body = expression(r, depth - 1, scope);
            scope.pop();
            let fold = if range.contains(['i', 'j', 'k', 't']) || r.below(5) > 0 { "sum" } else { "product" };
            format!("{fold}({name} in {range}, {body})")
        }
        _ => sub(r),
    }
}

/// The models that are shipped, by file name.
pub(crate) fn shipped_models() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut found: Vec<(String, String)> = (std::fs::read_dir(folder).into_iter().flatten().flatten())
        .filter(|f| f.path().extension().is_some_and(|e| e == "cot"))
        .filter_map(|f| Some((f.file_name().into_string().ok()?, std::fs::read_to_string(f.path()).ok()?)))
        .collect();
    found.sort();
    assert!(found.len() > 10, "no models in {folder}");
    found
}
