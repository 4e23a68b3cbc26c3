//! Names in a list as they are written on the command line: `x,y[3],u[1,2]`.

/// The names at commas outside of brackets, each as the model calls it: the member `u[1,2]`, in a table `u[1; 2]`, is
/// `u[1, 2]`.
pub(crate) fn separated(list: &str) -> Vec<String> {
    let (mut names, mut depth) = (vec![String::new()], 0i32);
    for c in list.chars().filter(|c| !c.is_whitespace()) {
        depth += i32::from(c == '[') - i32::from(c == ']');
        match (c, names.last_mut()) {
            (',', _) if depth <= 0 => names.push(String::new()),
            (',' | ';', Some(name)) if depth > 0 => name.push_str(", "),
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
        assert_eq!(separated("x, u[1, 2],y"), ["x", "u[1, 2]", "y"]);
        assert_eq!(separated("d[3,1],d[3; 2] ,d[4;1]"), ["d[3, 1]", "d[3, 2]", "d[4, 1]"]);
        assert_eq!(separated("x"), ["x"]);
        assert_eq!(separated("x,"), ["x", ""]);
        assert_eq!(separated("x],y"), ["x]", "y"]);
    }
}
