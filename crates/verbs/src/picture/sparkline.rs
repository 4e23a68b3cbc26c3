//! A series in one line of text.

use super::film::Film;
use crate::figures::short;

/// A series in one line of text.
pub(crate) struct Sparkline {
    /// What it shows.
    pub(crate) label: String,
    /// The drawing and its range.
    pub(crate) line: String,
}

/// Characters of a drawing.
const WIDTH: usize = 30;

/// Characters of a label.
const LABEL: usize = 11;

/// The energy error and the first quantity, of a motion that is shown from its start.
pub(crate) fn sparklines(film: &Film) -> Vec<Sparkline> {
    if film.times.len() < 2 || !film.is_whole {
        return vec![];
    }
    let mut list = vec![Sparkline { label: "|H - H(0)|".to_owned(), line: bars(&film.energy_error) }];
    if let Some(first) = film.quantities.shown.first() {
        let mut label: String = first.name.chars().take(LABEL).collect();
        if first.name.chars().count() > LABEL {
            label = first.name.chars().take(LABEL - 1).chain(['…']).collect();
        }
        list.push(Sparkline { label, line: band(first.ends()) });
    }
    list
}

/// The samples of each of so many columns; fewer columns if there are fewer samples.
fn columns(values: &[f64], most: usize) -> impl Iterator<Item = &[f64]> {
    let count = most.min(values.len()).max(1);
    (0..count).map(move |k| &values[k * values.len() / count..(k + 1) * values.len() / count])
}

/// Sizes on a logarithmic scale: in each column the largest. A zero is blank, what is no number a
/// cross.
fn bars(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let worse = |a: f64, b: f64| if a.is_finite() && (b > a || !b.is_finite()) { b } else { a };
    let largest = |column: &[f64]| column.iter().map(|x| x.abs()).fold(0.0, worse);
    let sizes: Vec<f64> = columns(values, WIDTH).map(largest).collect();
    let positive = sizes.iter().copied().filter(|s| *s > 0.0 && s.is_finite());
    let (low, high) = positive.fold((f64::INFINITY, 0.0f64), |(l, h), s| (l.min(s), h.max(s)));
    let lost = values.iter().any(|x| !x.is_finite());
    match (high == 0.0, lost) {
        (true, false) => return "0 throughout".to_owned(),
        (true, true) if values.contains(&0.0) => return "0, then not a number".to_owned(),
        (true, true) => return "not a number".to_owned(),
        _ => {}
    }
    // At least a decade, so that small differences look small.
    let span = (high.log10() - low.log10()).max(1.0);
    let bar = |size: &f64| match (size.is_finite(), *size > 0.0) {
        (false, _) => '×',
        (true, false) => ' ',
        (true, true) => {
            let level = 8.0 - (high.log10() - size.log10()) / span * 8.0;
            BARS[(level.floor().max(0.0) as usize).min(7)]
        }
    };
    let drawing: String = sizes.iter().map(bar).collect();
    let end = if lost { ", NaN ×" } else { ", log" };
    match low == high {
        true => format!("{drawing:WIDTH$}  {}{end}", short(high)),
        false => format!("{drawing:WIDTH$}  {} to {}{end}", short(low), short(high)),
    }
}

/// Values on a linear scale: each column reaches from its smallest to its largest value, two columns
/// to a character of four dots.
fn band((lows, highs): (&[f64], &[f64])) -> String {
    const DOTS: [[u32; 4]; 2] = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]];
    let extent = |lows: &[f64], highs: &[f64]| {
        let finite = lows.iter().chain(highs).copied().filter(|x| x.is_finite());
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)))
    };
    let (low, high) = extent(lows, highs);
    if low > high {
        return "no values".to_owned();
    }
    if low == high {
        return format!("{} throughout", short(low));
    }
    // Halves keep the difference finite.
    let level = |x: f64| ((((x / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)) * 4.0) as usize).min(3);
    let mut codes = vec![0x2800; WIDTH];
    for (k, (lows, highs)) in columns(lows, 2 * WIDTH).zip(columns(highs, 2 * WIDTH)).enumerate() {
        let (least, most) = extent(lows, highs);
        if least <= most {
            (level(least)..=level(most)).for_each(|row| codes[k / 2] |= DOTS[k % 2][row]);
        }
    }
    let drawing: String = codes.into_iter().filter_map(char::from_u32).collect();
    match short(low) == short(high) {
        true => format!("{drawing}  {} + {}", short(low), short(high - low)),
        false => format!("{drawing}  {} to {}", short(low), short(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f64]) -> String {
        band((values, values))
    }

    #[test]
    fn the_highest_bar_is_the_largest_error_wherever_it_is() {
        for at in [0, 1, 499, 777, 999] {
            let mut errors = vec![1e-9; 1000];
            errors[at] = -1e-3;
            let line = bars(&errors);
            assert_eq!(line.chars().position(|c| c == '█'), Some((at * WIDTH + WIDTH - 1) / 1000), "{line}");
            assert!(line.ends_with("1.0e-9 to 0.001, log"), "{line}");
        }
    }

    #[test]
    fn a_band_reaches_as_far_as_the_values_do() {
        let drawn = line(&(0..6400).map(|k| f64::from(k % 10)).collect::<Vec<_>>());
        assert!(drawn.chars().take(WIDTH).all(|c| c == '⣿') && drawn.ends_with("0 to 9"), "{drawn}");
        let ranges = band((&[0.0; 64], &[1.0; 64]));
        assert!(ranges.chars().take(WIDTH).all(|c| c == '⣿') && ranges.ends_with("0 to 1"), "{ranges}");
        let rising = line(&(0..64).map(f64::from).collect::<Vec<_>>());
        assert!(rising.starts_with("⣀⣀⣀⣀") && rising.contains("⠉⠉⠉⠉"), "{rising}");
    }

    #[test]
    fn awkward_values_are_lines_too() {
        assert_eq!(bars(&[0.0; 5]), "0 throughout");
        assert_eq!(bars(&[f64::NAN; 5]), "not a number");
        assert_eq!(bars(&[0.0, f64::NAN]), "0, then not a number");
        let broken = bars(&[0.0, 1e-3, 1e-2, f64::NAN]);
        assert!(broken.starts_with(" ▁█×") && broken.ends_with("0.001 to 0.01, NaN ×"), "{broken}");
        assert_eq!(line(&[f64::NAN, f64::INFINITY]), "no values");
        assert_eq!(line(&[3.0; 5]), "3 throughout");
        for values in [vec![f64::MAX, f64::MIN], vec![1e-320, 1e308, f64::NAN], vec![1.0], vec![], vec![-1.5e-300; 3]] {
            for line in [bars(&values), line(&values)] {
                assert!(line.chars().count() <= 72 - 14, "{line}");
            }
        }
    }
}
