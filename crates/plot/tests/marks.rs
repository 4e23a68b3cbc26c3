//! What tells things apart: dashes, ticks, the direction of rows and colours, bands.

use cotangent_plot::{Axis, Figure, HeatMap, Panel, Series};

fn ramp(n: u32) -> Vec<f64> {
    (0..n).map(f64::from).collect()
}

/// The bytes of the picture inside an SVG text.
fn picture(svg: &str) -> Vec<u8> {
    let text = svg.split("data:image/png;base64,").nth(1).and_then(|rest| rest.split('"').next()).expect("a picture");
    let digit = |c: u8| match c {
        b'A'..=b'Z' => u32::from(c - b'A'),
        b'a'..=b'z' => u32::from(c - b'a') + 26,
        b'0'..=b'9' => u32::from(c - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let quads = text.trim_end_matches('=').as_bytes().chunks(4);
    quads
        .flat_map(|quad| {
            let word = quad.iter().fold(0, |word, c| word << 6 | digit(*c)) << (6 * (4 - quad.len()));
            [16, 8, 0].map(|shift| (word >> shift) as u8).into_iter().take(quad.len() - 1)
        })
        .collect()
}

/// Columns, rows and the colours by number, the highest row first.
fn shades(svg: &str) -> (usize, usize, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture(svg))).read_info().expect("a picture");
    let mut data = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut data).expect("a frame");
    (info.width as usize, info.height as usize, data)
}

fn map(columns: usize, rows: usize, value: impl Fn(usize, usize) -> f64) -> String {
    let values = (0..rows).flat_map(|j| (0..columns).map(move |i| (i, j))).map(|(i, j)| value(i, j)).collect();
    let map = HeatMap::new(columns, rows, values, Axis::linear("c"));
    Figure::new("").with(Panel::heat_map("x", "y", map)).to_svg()
}

#[test]
fn rows_go_up_and_columns_to_the_right() {
    let (columns, _, data) = shades(&map(100, 80, |i, j| (j * 100 + i) as f64));
    assert!(data[0] > 240 && data[data.len() - 1] < 15, "the last row is on top");
    let (_, _, data) = shades(&map(100, 80, |i, _| i as f64));
    assert!(data[0] == 0 && data[columns - 1] == 254);
}

#[test]
fn many_cells_keep_what_is_farthest_from_the_rest_on_either_side() {
    let lone = |sign: f64| {
        map(1000, 900, move |i, j| match (i, j) {
            (333, 444) => sign,
            (5, 5) => -sign / 2.0,
            _ => 0.0,
        })
    };
    for sign in [1.0, -1.0] {
        let (columns, rows, data) = shades(&lone(sign));
        assert!(columns * rows <= 150_000 && columns > 300, "{columns} × {rows}");
        let at = data.iter().position(|s| *s == if sign > 0.0 { 254 } else { 0 }).expect("the peak");
        let (x, y) = ((at % columns) as f64 / columns as f64, 1.0 - (at / columns) as f64 / rows as f64);
        assert!((x - 0.333).abs() < 0.01 && (y - 444.5 / 900.0).abs() < 0.01, "{x} {y}");
        let most = data.iter().filter(|s| (80..=175).contains(*s)).count();
        assert!(most + 2 == data.len(), "both peaks and nothing else: {most} of {}", data.len());
    }
}

#[test]
fn the_highest_colour_is_on_top_of_the_bar() {
    // A small map is made of rectangles, those of the lowest colour first.
    let svg = map(2, 2, |i, j| (i + 2 * j) as f64);
    let value = |part: &str, name: &str| {
        part.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned)
    };
    let cells: Vec<String> =
        svg.lines().filter(|l| l.contains("class=\"cells\"")).filter_map(|l| value(l, "fill")).collect();
    let stops: Vec<String> =
        svg.lines().filter(|l| l.starts_with("<stop")).filter_map(|l| value(l, "stop-color")).collect();
    assert_eq!((cells.first(), cells.last()), (stops.first(), stops.last()));
    let bar = svg.lines().find(|l| l.starts_with("<linearGradient")).expect("a bar");
    assert_eq!((value(bar, "y1").as_deref(), value(bar, "y2").as_deref()), (Some("1"), Some("0")), "from below");
}

#[test]
fn lines_differ_in_their_dashes_and_axes_have_small_ticks() {
    let line = |k: u32| Series::line(format!("{k}"), ramp(50), ramp(50).iter().map(|x| x * f64::from(k)).collect());
    let svg =
        Figure::new("").with(Panel::new(Axis::linear("x"), Axis::linear("y"), (1..5).map(line).collect())).to_svg();
    let dashes: std::collections::BTreeSet<&str> =
        svg.split("stroke-dasharray=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(dashes.len(), 3, "{dashes:?}");
    assert!(svg.contains("class=\"minor x\"") && svg.contains("class=\"minor y\""));
}

#[test]
fn a_band_reaches_from_its_lower_to_its_upper_end() {
    let high: Vec<f64> = ramp(5000).iter().map(|t| if *t == 777.0 { 9.0 } else { 1.0 }).collect();
    let series = Series::band("b", &ramp(5000), &[-1.0; 5000], &high);
    let svg = Figure::new("").with(Panel::new(Axis::linear("x"), Axis::linear("y"), vec![series])).to_svg();
    assert_eq!(svg.matches("class=\"band").count(), 1);
    let description = svg.split("<desc>").nth(1).and_then(|d| d.split("</desc>").next()).expect("a description");
    assert!(description.contains("−1 to 9"), "{description}");
}

#[test]
fn a_point_at_rest_is_a_dot_and_zeros_are_called_zeros() {
    let rest = Series::line("", vec![1.0; 50], vec![2.0; 50]);
    assert!(
        Figure::new("").with(Panel::phase_portrait("q", "p", vec![rest])).to_svg().contains("class=\"series-dot\"")
    );
    let zeros = Series::line("none", ramp(3), vec![0.0; 3]);
    let some = Series::line("some", ramp(3), vec![1.0; 3]);
    let lost = Series::line("lost", ramp(3), vec![f64::NAN; 3]);
    let svg = Figure::new("").with(Panel::new(Axis::linear("x"), Axis::log("y"), vec![zeros, some, lost])).to_svg();
    assert!(svg.contains("none (zero throughout)") && svg.contains("lost (no data)"), "{svg}");
    assert!(!Figure::new("a\u{202e}b").to_svg().contains('\u{202e}'));
}
