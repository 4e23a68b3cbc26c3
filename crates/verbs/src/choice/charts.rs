//! Charts as they are written: `x,y[3]`.

/// Names at commas outside of brackets, without spaces.
pub(crate) fn separated(list: &str) -> Vec<String> {
    let (mut names, mut depth) = (vec![String::new()], 0i32);
    for c in list.chars().filter(|c| !c.is_whitespace()) {
        depth += i32::from(c == '[') - i32::from(c == ']');
        match (c, names.last_mut()) {
            (',', _) if depth == 0 => names.push(String::new()),
            (_, Some(name)) => name.push(c),
            (_, None) => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::separated;

    #[test]
    fn commas_in_brackets_belong_to_a_name() {
        assert_eq!(separated("x, u[1, 2],y"), ["x", "u[1,2]", "y"]);
        assert_eq!(separated("x"), ["x"]);
        assert_eq!(separated("x,"), ["x", ""]);
    }
}
