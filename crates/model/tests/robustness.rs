//! No input panics, overflows the stack or hangs.

mod random;

use cotangent_model::diagnostic::Code;
use cotangent_model::fuzzing::{fuzz_model, fuzz_parse};
use cotangent_model::limits::{MAX_NESTING, MAX_SOURCE_BYTES};
use cotangent_model::syntax::parse;
use random::{HEADER, Random, expression, shipped_models};

const MODELS: [&str; 4] = [
    include_str!("models/pendulum.cot"),
    include_str!("models/chain.cot"),
    include_str!("models/rigid_body.cot"),
    include_str!("models/everything.cot"),
];

const PIECES: [&str; 64] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "|",
    "'",
    "\"",
    ",",
    ";",
    ":",
    ":=",
    "=",
    "==",
    "..",
    "...",
    ".",
    "+",
    "-",
    "*",
    "**",
    "/",
    "^",
    "<",
    ">",
    "<=",
    "!=",
    "!",
    "%",
    "#",
    "\n",
    "\r\n",
    " ",
    "\n  ",
    "in",
    " in ",
    "sum(",
    "product(",
    "sin",
    "pi",
    "x",
    "p_x",
    "1",
    "2.5",
    "1.",
    ".5",
    "1e9",
    "θ",
    "²",
    "√",
    "“",
    "ẋ",
    "\u{a0}",
    "coord ",
    "\nparam ",
    "hamiltonian ",
    "constraint ",
    "momentum",
    "\0",
    "--",
    " -- (",
    "\ndraw ",
    "rod a: (",
];

#[test]
fn random_bytes_are_handled() {
    let mut random = Random(0x5eed);
    for _ in 0..3000 {
        let length = random.below(200);
        let data: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        fuzz_parse(&data);
    }
}

#[test]
fn random_tokens_are_handled() {
    let mut random = Random(0xc07a);
    for _ in 0..10_000 {
        let length = random.below(40);
        let text: String = (0..length).map(|_| PIECES[random.below(PIECES.len())]).collect();
        fuzz_parse(text.as_bytes());
    }
}

/// A few random changes of bytes.
fn mutated(random: &mut Random, text: &str) -> Vec<u8> {
    let mut data = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(4) {
        let at = random.below(data.len());
        match random.below(4) {
            0 => drop(data.remove(at)),
            1 => data[at] = random.next() as u8,
            2 => {
                let to = (at + random.below(30)).min(data.len());
                drop(data.drain(at..to));
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                drop(data.splice(at..at, piece.bytes()));
            }
        }
        if data.is_empty() {
            break;
        }
    }
    data
}

#[test]
fn mutated_models_are_handled() {
    let mut random = Random(0xbad5eed);
    for _ in 0..4000 {
        let text = MODELS[random.below(MODELS.len())];
        let data = mutated(&mut random, text);
        fuzz_parse(&data);
    }
}

#[test]
fn random_bytes_and_tokens_have_a_meaning_or_a_reason() {
    let mut random = Random(0x5eed_0002);
    for _ in 0..2000 {
        let length = random.below(200);
        let data: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        fuzz_model(&data);
        let length = random.below(40);
        let text: String = (0..length).map(|_| PIECES[random.below(PIECES.len())]).collect();
        fuzz_model(format!("coord x, y[i in 1..3]\nhamiltonian {text}").as_bytes());
    }
}

#[test]
fn mutated_shipped_models_have_a_meaning_or_a_reason() {
    let mut random = Random(0x5eed_0003);
    let models = shipped_models();
    for (_, text) in &models {
        fuzz_model(text.as_bytes());
    }
    for _ in 0..1500 {
        let (_, text) = &models[random.below(models.len())];
        let data = mutated(&mut random, text);
        fuzz_model(&data);
    }
}

#[test]
fn models_with_exchanged_words_have_a_meaning_or_a_reason() {
    // Words in the place of other words: most of these parse.
    let mut random = Random(0x5eed_0004);
    let models = shipped_models();
    let words = |text: &str| -> Vec<String> {
        text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(str::to_string).collect()
    };
    for _ in 0..2000 {
        let (_, text) = &models[random.below(models.len())];
        let mut list = words(text);
        for _ in 0..1 + random.below(3) {
            let (from, to) = (random.below(list.len()), random.below(list.len()));
            list[to] = list[from].clone();
        }
        fuzz_model(list.concat().as_bytes());
    }
}

#[test]
fn generated_models_have_a_meaning_or_a_reason() {
    let mut random = Random(0x5eed_0005);
    for _ in 0..1500 {
        let mut text = String::from(HEADER);
        let kind = random.pick(&["lagrangian", "hamiltonian"]);
        for k in 0..1 + random.below(4) {
            let head = match random.below(11) {
                0 => format!("constraint c{k}: "),
                1 => format!("vakonomic c{k}: "),
                2 => format!("constraint c{k}[i in 1..n]: "),
                3 => format!("observe o{k} = "),
                4 => format!("observe o{k}[i in 1..n, j in i..n] = "),
                5 => format!("invariant o{k} = "),
                6 => format!("initial u[{k}] = "),
                7 => format!("draw point d{k}: (x, "),
                8 => format!("draw rod d{k}[i in 1..n, j in i..n]: (x, u[i-1]) -- (u[j+1], "),
                9 => format!("draw vehicle d{k}[i in 1..n]: (x, y, "),
                _ => format!("let l{k}[i in 1..3] = "),
            };
            let mut scope = if head.contains("i in") { vec!["i".to_string()] } else { vec![] };
            let value = expression(&mut random, 2, &mut scope);
            let end = match head.as_str() {
                head if head.starts_with("draw") => ")",
                head if head.contains(": ") => " = 0",
                _ => "",
            };
            text.push_str(&format!("{head}{value}{end}\n"));
        }
        let energy = expression(&mut random, 3, &mut vec![]);
        fuzz_model(format!("{text}{kind} {energy}\n").as_bytes());
    }
}

#[test]
fn a_single_deleted_character_costs_few_messages() {
    for source in MODELS {
        for (at, c) in source.char_indices() {
            if matches!(c, '#' | '"' | '\n') {
                continue;
            }
            let text = format!("{}{}", &source[..at], &source[at + c.len_utf8()..]);
            let errors = parse(&text).diagnostics;
            assert!(
                errors.count() <= 2,
                "{text}
{errors}"
            );
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for piece in ["(", "-", "2^", "sin(", "x[", "sum(i in 1..2,", "|", "+", "f("] {
        let source = format!("hamiltonian {}", piece.repeat(MAX_NESTING + 1));
        let errors = parse(&source).diagnostics;
        let deep = errors.iter().filter(|d| d.code == Code::TooDeep).count();
        assert_eq!(deep, 1, "{piece}: {errors}");
    }
    let errors = parse(&format!("hamiltonian {}", "[".repeat(MAX_NESTING + 1))).diagnostics;
    assert_eq!(errors.count(), 1, "{errors}");
    let open = "(".repeat(MAX_NESTING);
    let close = ")".repeat(MAX_NESTING);
    assert!(parse(&format!("hamiltonian {open}x{close}")).diagnostics.is_empty());
}

#[test]
fn large_inputs_are_handled() {
    let pieces = [
        "(",
        ")",
        "((",
        "x",
        "x ",
        "x+",
        "x*",
        "2^",
        "-",
        "1,",
        "),",
        "(,",
        "[",
        "{",
        "'",
        "\"",
        "..",
        "|",
        ";",
        "; ",
        "\n",
        "\nx",
        "\n ",
        "\nparam",
        "\nparam x",
        "θ",
        "é ",
        "\u{ff}",
        "@",
        "#",
        "x'",
        "\n  param x",
        "\n+",
        "x = 1, ",
        "\nhamiltonian (",
        "sin ",
        "f(",
        "x[",
        "x in 1..",
        "1.",
        "!",
        "(x, y) -- ",
        "--",
        "a: (x, y), ",
    ];
    for piece in pieces {
        let body = piece.repeat((MAX_SOURCE_BYTES - 100) / piece.len() / 32);
        for head in ["hamiltonian ", "initial ", "draw rod a: ", ""] {
            fuzz_parse(format!("{head}{body}").as_bytes());
        }
    }
    fuzz_parse(&vec![b'('; 10 << 20]);
    fuzz_parse(format!("hamiltonian {}x", "x + ".repeat(1_000_000)).as_bytes());
}

#[test]
fn a_text_beyond_the_limit_is_refused() {
    let errors = parse(&" ".repeat(MAX_SOURCE_BYTES + 1)).diagnostics;
    assert_eq!(errors.iter().next().map(|d| d.code), Some(Code::SourceTooLarge));
}

#[test]
fn too_many_statements_are_refused() {
    let errors = parse(&"coord x\n".repeat(100_001)).diagnostics;
    assert_eq!(errors.iter().next().map(|d| d.code), Some(Code::TooManyStatements));
}

#[test]
fn the_deepest_nesting_fits_a_small_stack() {
    let work = || {
        for piece in ["(", "-", "2^", "sin(", "x[", "sum(i in 1..2,", "-(a+b*", "|", "x[i,sum(j in 1..x["] {
            for depth in [MAX_NESTING / 3, MAX_NESTING - 1, MAX_NESTING, 10 * MAX_NESTING] {
                fuzz_parse(format!("hamiltonian {}x", piece.repeat(depth)).as_bytes());
                let close: String = piece.chars().rev().filter_map(closer).collect();
                fuzz_parse(format!("hamiltonian {}x{}", piece.repeat(depth), close.repeat(depth)).as_bytes());
            }
        }
    };
    let closed = std::thread::Builder::new().stack_size(512 << 10).spawn(work).map(|thread| thread.join());
    assert!(matches!(closed, Ok(Ok(()))));
}

fn closer(c: char) -> Option<char> {
    match c {
        '(' => Some(')'),
        '[' => Some(']'),
        _ => None,
    }
}
