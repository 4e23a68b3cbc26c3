//! Files: PNG pixels, destinations, atomic replacement, and the same bytes every time.

mod support;

use cotangent_plot::{
    Axis, Bodies, Colour, Colours, DestinationError, Figure, Format, HeatMap, Joint, Movie, Panel, PlotError, Series,
    Snapshot, Theme, check_destination,
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

fn swinging(frames: usize) -> Movie {
    let frame = |k: usize| {
        let angle = (k as f64 * 0.3).sin();
        let points = vec![[0.0, 0.0], [angle.sin(), -angle.cos()]];
        let bodies = Bodies {
            snapshots: vec![Snapshot::new("", points)],
            rods: vec![(0, 1)],
            joints: vec![Joint::Support, Joint::Mass(1.0)],
            colours: Colours { points: vec![None, Colour::named("red")], ..Colours::default() },
            ..Bodies::default()
        };
        let mut panel = Panel::bodies("x", "y", bodies);
        (panel.x, panel.y) = (Axis::linear("x").from_to(-1.2, 1.2), Axis::linear("y").from_to(-1.2, 0.2));
        Figure::new(format!("t = {:.1}", k as f64 * 0.1)).with(panel).sized(320.0, 240.0)
    };
    Movie { frames: (0..frames).map(frame).collect(), delay: 5 }
}

/// The frames of a GIF as colours, each drawn over the one before.
fn played(bytes: &[u8]) -> Vec<Vec<[u8; 3]>> {
    let mut decoder = gif::DecodeOptions::new().read_info(bytes).expect("a GIF");
    let palette: Vec<[u8; 3]> =
        decoder.global_palette().expect("a palette").chunks(3).map(|c| [c[0], c[1], c[2]]).collect();
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    let mut canvas = vec![[0; 3]; width * height];
    let mut frames = vec![];
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        assert_eq!(frame.delay, 5);
        for (k, &index) in frame.buffer.iter().enumerate() {
            if Some(index) != frame.transparent {
                let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
                canvas[(y + usize::from(frame.top)) * width + x + usize::from(frame.left)] =
                    palette[usize::from(index)];
            }
        }
        frames.push(canvas.clone());
    }
    frames
}

#[test]
fn a_movie_shows_the_pictures_that_it_is_made_of() {
    let movie = swinging(12);
    let bytes = movie.to_gif().expect("a GIF");
    let frames = played(&bytes);
    assert_eq!(frames.len(), 12);
    for (frame, figure) in frames.iter().zip(&movie.frames) {
        let png = figure.to_png(1.0).expect("a picture");
        let mut reader = png::Decoder::new(std::io::Cursor::new(&png)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels");
        // Colours that are rare are replaced by others of the palette.
        let apart = |a: &[u8; 3], b: &[u8]| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        let far = frame.iter().zip(pixels.chunks(3)).filter(|(a, b)| apart(a, b) > 40).count();
        assert_eq!((frame.len() * 3, far), (pixels.len(), 0));
    }
    assert!(frames.windows(2).all(|pair| pair[0] != pair[1]), "something moves");
    assert!(bytes.len() < 12 * 4000, "{} bytes", bytes.len());
    assert_eq!(bytes, movie.to_gif().expect("a GIF"), "the same figures give the same bytes");
}

#[test]
fn a_movie_without_frames_or_with_others_is_refused() {
    assert!(matches!(Movie::default().to_gif(), Err(PlotError::NoFrames)));
    let mut movie = swinging(2);
    movie.frames[1] = movie.frames[1].clone().sized(400.0, 240.0);
    assert!(matches!(movie.to_gif(), Err(PlotError::FrameSize)));
    let error = cotangent_plot::check_movie_destination("a.mp4").unwrap_err();
    assert_eq!(error.to_string(), "cannot write a movie to `a.mp4`: the name must end in .gif");
}

#[test]
fn a_movie_is_left_before_the_next_frame_once_somebody_asks() {
    let movie = swinging(30);
    // Some frames are looked at for the palette, then all are drawn: in both parts.
    for most in [0, 3, 25] {
        let asked = std::cell::Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() <= most
        };
        assert!(matches!(movie.to_gif_while(&goes_on), Err(PlotError::Interrupted)));
        assert_eq!(asked.get(), most + 1);
    }
    assert_eq!(movie.to_gif_while(&|| true).unwrap(), movie.to_gif().unwrap());
}
