//! Cleaning, wrapping and shortening text by its measured width.

use crate::font::{has_glyph, text_width};

const ELLIPSIS: char = '…';

/// The text without what neither XML nor a one-line label can hold: control characters become
/// spaces, runs of blanks one space, and mathematical letters missing in the font plain ones.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let character = plain_sign(character);
        if character.is_control()
            || turns(character)
            || character == ' '
            || matches!(character, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
        {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        } else {
            out.push(character);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whether the character changes the direction of what follows, so that a text would read otherwise
/// than it is.
pub(crate) fn turns(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The same text with every character that the embedded font lacks replaced by a visible box.
pub(crate) fn drawable(text: &str) -> String {
    text.chars().map(|character| if has_glyph(character) { character } else { '▯' }).collect()
}

/// What stands for a mathematical sign (𝑞, 𝐇, 𝛗, ⟂ …) that the font lacks.
fn plain_sign(character: char) -> char {
    if character == '⟂' {
        return '⊥';
    }
    let code = u32::from(character);
    if has_glyph(character) || !(0x1d400..=0x1d7ff).contains(&code) {
        return character;
    }
    let plain = match code {
        0x1d400..=0x1d6a3 => {
            let index = (code - 0x1d400) % 52;
            if index < 26 { u32::from('A') + index } else { u32::from('a') + index - 26 }
        }
        0x1d6a8..=0x1d7c9 => match (code - 0x1d6a8) % 58 {
            index @ 0..=24 => u32::from('Α') + index,
            25 => u32::from('∇'),
            index @ 26..=50 => u32::from('α') + index - 26,
            51 => u32::from('∂'),
            52 => u32::from('ϵ'),
            53 => u32::from('ϑ'),
            54 => u32::from('ϰ'),
            55 => u32::from('ϕ'),
            56 => u32::from('ϱ'),
            _ => u32::from('ϖ'),
        },
        0x1d7ce..=0x1d7ff => u32::from('0') + (code - 0x1d7ce) % 10,
        _ => return character,
    };
    char::from_u32(plain).unwrap_or(character)
}

/// Whether the character is drawn over the one before it.
fn combines(character: char) -> bool {
    matches!(u32::from(character), 0x300..=0x36f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0x200d)
}

/// The characters of the text, each with the marks drawn over it.
fn clusters(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = Vec::new();
    for (at, character) in text.char_indices() {
        if starts.is_empty() || !combines(character) {
            starts.push(at);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

/// The text cut in the middle, with an ellipsis, so that it is no wider than `width`.
///
/// Names often differ at their ends, so both ends are kept.
pub(crate) fn shorten(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let parts = clusters(text);
    let mut room = width - text_width("…", size);
    let (mut head, mut tail) = (0, parts.len());
    while head < tail {
        let next = if head <= parts.len() - tail { head } else { tail - 1 };
        room -= text_width(parts[next], size);
        if room < 0.0 {
            break;
        }
        if next == head { head += 1 } else { tail -= 1 }
    }
    let mut out = parts[..head].concat().trim_end().to_owned();
    out.push(ELLIPSIS);
    out.push_str(parts[tail..].concat().trim_start());
    out
}

/// The text broken into at most `lines` lines no wider than `width`; what does not fit is cut
/// from the last line with an ellipsis.
pub(crate) fn wrap(text: &str, size: f64, width: f64, lines: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut words = text.split(' ').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        let mut line = word.to_owned();
        while let Some(next) = words.peek() {
            let longer = format!("{line} {next}");
            if text_width(&longer, size) > width {
                break;
            }
            line = longer;
            words.next();
        }
        if out.len() + 1 == lines && words.peek().is_some() {
            for rest in words.by_ref() {
                line.push(' ');
                line.push_str(rest);
            }
        }
        out.push(shorten(&line, size, width));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_text_fits_and_keeps_both_ends() {
        let long = "projected implicit midpoint with symmetric projection, step 0.001";
        for width in [0.0, 10.0, 60.0, 200.0, 1000.0] {
            let short = shorten(long, 12.0, width);
            assert!(text_width(&short, 12.0) <= width.max(text_width("…", 12.0)), "{short}");
        }
        let short = shorten(long, 12.0, 200.0);
        assert!(short.starts_with("projected") && short.ends_with("0.001"), "{short}");
    }

    #[test]
    fn marks_stay_with_their_letters() {
        assert_eq!(clusters("q̇ + λ̇"), ["q̇", " ", "+", " ", "λ̇"]);
    }

    #[test]
    fn wrapped_lines_fit() {
        let text = "the quick brown fox jumps over Donaudampfschifffahrtsgesellschaftskapitän again and again";
        for lines in 1..5 {
            let wrapped = wrap(text, 12.0, 120.0, lines);
            assert!(wrapped.len() <= lines);
            assert!(wrapped.iter().all(|line| text_width(line, 12.0) <= 120.0), "{wrapped:?}");
        }
    }

    #[test]
    fn control_characters_and_unknown_letters_have_a_plain_form() {
        assert_eq!(clean("a\u{0}\n\tb "), "a b");
        assert_eq!(clean("𝑞 𝛗 𝟑 𝒑"), "q φ 3 p");
        assert_eq!(drawable("a漢b"), "a▯b");
    }

    #[test]
    fn the_font_has_the_signs_of_mechanics() {
        for sign in "q̇p̈φψθλμωΩ‖·×−±∞∂∇∫∑√∈≤≥≈≠→⟨⟩⊥ℓℝ⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺₀₁₂₃ᵀ†°…".chars()
        {
            assert!(has_glyph(sign), "{sign}");
        }
    }
}
