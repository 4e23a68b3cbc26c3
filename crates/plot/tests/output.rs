//! Files: PNG pixels, destinations, atomic replacement, and the same bytes every time.

mod support;

use cotangent_plot::{
    Axis, DestinationError, Figure, Format, HeatMap, Panel, PlotError, Series, Theme, check_destination,
};
use std::collections::BTreeSet;
use std::fs;

fn figure() -> Figure {
    let x: Vec<f64> = (0..200).map(|i| f64::from(i) * 0.1).collect();
    let y = x.iter().map(|x| 1e-6 * x.sin()).collect();
    let panel = Panel::new(Axis::linear("time"), Axis::log_absolute("‖g(q)‖ and q̇"), vec![Series::line("φ", x, y)]);
    Figure::new("Residual 漢").with(panel)
}

/// Width, height and pixels.
fn decode(bytes: &[u8]) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    let pixels = buffer[..info.buffer_size()].chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    (info.width, info.height, pixels)
}

#[test]
fn a_png_has_the_size_and_colours_of_the_figure() {
    let read = support::read(&figure().to_svg());
    for scale in [0.5, 1.0, 2.0] {
        let (width, height, pixels) = decode(&figure().to_png(scale).unwrap());
        assert!((f64::from(width) - read.width * scale).abs() <= 1.0);
        assert!((f64::from(height) - read.height * scale).abs() <= 1.0);
        assert_eq!(pixels[0], [255; 3]);
        let blue = pixels.iter().filter(|[r, _, b]| i32::from(*b) - i32::from(*r) > 60).count();
        assert!(blue > 200, "{blue} blue pixels at scale {scale}");
    }
}

#[test]
fn labels_are_drawn_in_a_png() {
    let panel = |label: &str| Panel::new(Axis::linear(label), Axis::linear(""), vec![]);
    let dark = |label: &str| {
        let (_, _, pixels) = decode(&Figure::new("").with(panel(label)).to_png(1.0).unwrap());
        pixels.iter().map(|[r, ..]| 255 - u64::from(*r)).sum::<u64>()
    };
    assert!(dark("WWWWWWWWWWWW") > dark("WWWW") + 5000);
    assert!(dark("漢漢漢漢") > dark("漢") + 500, "characters that the font lacks are boxes");
    assert!(dark("q̇q̇q̇q̇") > dark("qqqq") + 100, "dots over letters are drawn");
}

#[test]
fn a_dark_png_is_dark_and_auto_is_light() {
    assert!(decode(&figure().themed(Theme::Dark).to_png(1.0).unwrap()).2[0][0] < 60);
    assert_eq!(decode(&figure().themed(Theme::Auto).to_png(1.0).unwrap()).2[0], [255; 3]);
    let svg = figure().themed(Theme::Auto).to_svg();
    assert!(svg.contains("prefers-color-scheme: dark") && svg.contains("class=\"series k-s0\""));
    assert!(!figure().to_svg().contains("<style"));
}

#[test]
fn a_fine_heat_map_has_many_colours_in_a_png() {
    let map = HeatMap::new(120, 100, (0..12_000).map(f64::from).collect(), Axis::linear("c"));
    let (_, _, pixels) = decode(&Figure::new("").with(Panel::heat_map("x", "y", map)).to_png(1.0).unwrap());
    assert!(pixels.into_iter().collect::<BTreeSet<_>>().len() > 150);
}

#[test]
fn unreasonable_scales_are_refused() {
    assert!(matches!(figure().to_png(f64::NAN), Err(PlotError::Scale { .. })));
    assert!(matches!(figure().to_png(-1.0), Err(PlotError::Scale { .. })));
    assert!(matches!(figure().to_png(1e9), Err(PlotError::TooLarge { .. })));
    assert!(figure().to_png(1e-9).is_ok());
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    assert_eq!(figure().to_svg(), figure().to_svg());
    assert_eq!(figure().to_png(1.0).unwrap(), figure().to_png(1.0).unwrap());
    let angle = |i: i32| f64::from(i) * 0.7;
    let orbit =
        || Series::line("", (0..9000).map(|i| angle(i).cos()).collect(), (0..9000).map(|i| angle(i).sin()).collect());
    let portrait = || Figure::new("").with(Panel::phase_portrait("q", "p", vec![orbit()])).to_svg();
    assert_eq!(portrait(), portrait());
}

#[test]
fn the_description_tells_series_and_ranges() {
    let description = support::read(&figure().to_svg()).description;
    assert!(description.contains("‖g(q)‖ and q̇ (absolute value, logarithmic) over time"), "{description}");
    assert!(description.contains("φ: 199 points, x from 0 to 19.9"), "{description}");
}

#[test]
fn destinations_are_refused_before_anything_is_computed() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    assert!(matches!(check_destination(at("a.svg")), Ok(Format::Svg)));
    assert!(matches!(check_destination(at("a.PNG")), Ok(Format::Png)));
    for name in ["a.pdf", "a", "svg", "a.svg.txt"] {
        assert!(matches!(check_destination(at(name)), Err(PlotError::UnknownExtension { .. })), "{name}");
    }
    assert!(matches!(
        check_destination(at("none/a.svg")),
        Err(PlotError::Destination(DestinationError::NoFolder { .. }))
    ));
    fs::create_dir(at("d.svg")).unwrap();
    assert!(matches!(check_destination(at("d.svg")), Err(PlotError::Destination(DestinationError::Folder { .. }))));
    fs::write(at("r.svg"), "kept").unwrap();
    let mut permissions = fs::metadata(at("r.svg")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(at("r.svg"), permissions).unwrap();
    assert!(matches!(figure().write(at("r.svg")), Err(PlotError::Destination(DestinationError::Protected { .. }))));
    assert_eq!(fs::read_to_string(at("r.svg")).unwrap(), "kept");
    let names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "asking leaves nothing behind: {names:?}");
}

#[test]
fn existing_files_are_replaced_and_nothing_else_is_left() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["a.svg", "a.png"] {
        let path = directory.path().join(name);
        fs::write(&path, "old").unwrap();
        figure().write(&path).unwrap();
        assert!(fs::read(&path).unwrap().len() > 1000);
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let (real, link) = (directory.path().join("real.svg"), directory.path().join("link.svg"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&real, &link).unwrap();
    figure().write(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().starts_with("<svg"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}
