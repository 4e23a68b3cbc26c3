//! Bodies in motion.

mod encode_frames;

use crate::digits::{count, number};
use crate::error::ReportError;
use crate::escape;
use encode_frames::Encoded;
use serde_json::{Value, json};

/// Bodies in motion: points, rods between them, vehicles, and the paths some of them leave.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    /// Heading.
    pub title: String,
    /// What moves and how, in words: the caption, and the description for who does not see it.
    pub description: String,
    /// Plane or space.
    pub space: Space,
    /// The frames in order of time.
    pub frames: Vec<Frame>,
    /// Frames a second, as given here; thinning does not change how long the animation takes.
    pub rate: f64,
    /// Rods.
    pub rods: Vec<(End, End)>,
    /// Bodies drawn as discs; `None`: all that are not vehicles.
    pub discs: Option<Vec<usize>>,
    /// Bodies drawn as vehicles.
    pub vehicles: Vec<Vehicle>,
    /// Bodies that leave a path.
    pub trails: Vec<usize>,
    /// Colours and sizes.
    pub looks: Looks,
    /// Part of the animation that a path lasts, between 0 and 1.
    pub trail_length: f64,
    /// What is in view; `None`: wherever bodies are.
    pub bounds: Option<Bounds>,
}

/// How something is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The name of a colour; `None`: as usual. The page knows red, orange, yellow, green, blue, purple, pink, brown,
    /// grey, black and white, each seen on light and on dark paper.
    pub colour: Option<&'static str>,
    /// Its size, or the width of its line, 1 being the usual one.
    pub size: f64,
}

impl Default for Look {
    fn default() -> Self {
        Look { colour: None, size: 1.0 }
    }
}

/// How rods, discs, vehicles and paths are drawn, in their order; those missing are as usual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looks {
    /// Of rods.
    pub rods: Vec<Look>,
    /// Of discs.
    pub discs: Vec<Look>,
    /// Of vehicles.
    pub vehicles: Vec<Look>,
    /// Of paths.
    pub trails: Vec<Look>,
}

/// Where the bodies are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Space {
    /// In a plane: third coordinates do not count.
    #[default]
    Plane,
    /// In space, seen from a direction that the reader can turn; the third axis points up.
    Three,
}

/// The bodies at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// The time.
    pub time: f64,
    /// Positions of the bodies, the same number in every frame.
    pub positions: Vec<[f64; 3]>,
    /// For each vehicle its angle in radians from the first axis, in the plane of the first two.
    pub headings: Vec<f64>,
}

/// An end of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// At the body of this index.
    Body(usize),
    /// At a fixed place.
    Fixed([f64; 3]),
}

/// A body drawn as a rectangle with a nose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vehicle {
    /// Index of the body in its centre.
    pub body: usize,
    /// Length along its heading.
    pub length: f64,
    /// Width across it.
    pub width: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates.
    pub low: [f64; 3],
    /// Greatest coordinates.
    pub high: [f64; 3],
}

impl Default for Animation {
    fn default() -> Self {
        Animation {
            title: String::new(),
            description: String::new(),
            space: Space::Plane,
            frames: Vec::new(),
            rate: 30.0,
            rods: Vec::new(),
            discs: None,
            vehicles: Vec::new(),
            trails: Vec::new(),
            looks: Looks::default(),
            trail_length: 0.15,
            bounds: None,
        }
    }
}

impl Animation {
    /// An animation of these frames, 30 a second.
    pub fn new(title: impl Into<String>, space: Space, frames: Vec<Frame>) -> Self {
        Animation { title: title.into(), space, frames, ..Animation::default() }
    }

    /// Number of bodies: that of the first frame.
    pub fn bodies(&self) -> usize {
        self.frames.first().map_or(0, |frame| frame.positions.len())
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn need(&self) -> usize {
        let frame = encode_frames::frame_length(self, self.bodies()) + 12;
        let fixed = 8000 + 80 * self.rods.len().min(10_000);
        self.frames.len().saturating_mul(frame).saturating_add(fixed)
    }

    fn check(&self) -> Result<(), ReportError> {
        let animation = || escape::clip(&self.title, escape::SHORT);
        if !(self.rate > 0.0 && self.rate.is_finite()) {
            return Err(ReportError::FrameRate { animation: animation(), rate: self.rate });
        }
        let bodies = self.bodies();
        for (k, frame) in self.frames.iter().enumerate() {
            let counts =
                [("positions", bodies, frame.positions.len()), ("headings", self.vehicles.len(), frame.headings.len())];
            for (what, expected, found) in counts {
                if expected != found {
                    return Err(ReportError::FrameShape {
                        animation: animation(),
                        frame: k + 1,
                        what,
                        expected,
                        found,
                    });
                }
            }
        }
        let of_end = |end: &End| match end {
            End::Body(body) => Some(*body),
            End::Fixed(_) => None,
        };
        let named = (self.rods.iter().flat_map(|(a, b)| [a, b]).filter_map(of_end))
            .chain(self.discs.iter().flatten().copied())
            .chain(self.vehicles.iter().map(|vehicle| vehicle.body))
            .chain(self.trails.iter().copied());
        match named.filter(|body| *body >= bodies).max() {
            Some(body) => Err(ReportError::NoBody { animation: animation(), body, bodies }),
            None => Ok(()),
        }
    }

    pub(crate) fn html(&self, id: usize, budget: usize) -> Result<String, ReportError> {
        self.check()?;
        let encoded = encode_frames::encode(self, budget.saturating_sub(4000));
        let caption = match self.description.as_str() {
            "" => String::new(),
            text => format!("<p id=\"about-{id}\">{}</p>", escape::text(&escape::clip(text, 3000))),
        };
        let about = if caption.is_empty() { String::new() } else { format!("about-{id} ") };
        let described = format!(" aria-describedby=\"{about}keys-{id}\"");
        let turn = match self.space {
            Space::Three => " Drag, or use a, d and the arrows up and down, to turn; double-click to turn back.",
            Space::Plane => "",
        };
        Ok(format!(
            "<figure class=\"animation\" data-source=\"data-{id}\"><div class=\"drawing\" tabindex=\"0\" role=\"group\" \
             aria-roledescription=\"animation\" aria-label=\"{}\"{described}><canvas role=\"img\" aria-label=\"{}\"></canvas></div>\
             <div class=\"player\"></div><noscript><p class=\"note\">The animation is drawn by a script, which this reader \
             does not run.</p></noscript><figcaption>{caption}<p class=\"note hint\" id=\"keys-{id}\">Keys: space plays and pauses, arrows left \
             and right step, Home and End jump.{turn}</p>{}</figcaption></figure>\
             <script type=\"application/json\" id=\"data-{id}\">{}</script>",
            escape::short(&self.title),
            escape::short(&self.summary()),
            self.notes(&encoded),
            escape::json(&self.data(&encoded)),
        ))
    }

    fn summary(&self) -> String {
        let time = |frame: Option<&Frame>| frame.map_or_else(|| "–".into(), |frame| number(frame.time));
        let of = |n: usize, one: &str, many: &str| format!("{} {}", count(n), if n == 1 { one } else { many });
        format!(
            "{} and {}, from time {} to {}",
            of(self.bodies(), "moving body", "moving bodies"),
            of(self.rods.len(), "rod", "rods"),
            time(self.frames.first()),
            time(self.frames.last())
        )
    }

    fn data(&self, encoded: &Encoded) -> Value {
        let end = |end: &End| match end {
            End::Body(body) => json!(body),
            End::Fixed(place) => json!(place),
        };
        let inside = |body: usize| body < encoded.bodies;
        let held = |end: &End| matches!(end, End::Fixed(_)) || matches!(end, End::Body(body) if inside(*body));
        let rods = || self.rods.iter().enumerate().filter(|(_, (a, b))| held(a) && held(b)).take(encoded.rods);
        let vehicles = self.vehicles.iter().take(encoded.vehicles);
        let is_vehicle = |body: usize| self.vehicles.iter().any(|vehicle| vehicle.body == body);
        let discs: Vec<usize> = match &self.discs {
            Some(discs) => discs.iter().copied().filter(|body| inside(*body)).take(encoded.bodies).collect(),
            None => (0..encoded.bodies).filter(|body| !is_vehicle(*body)).collect(),
        };
        let look = |list: &[Look], k: usize| {
            let look = list.get(k).copied().unwrap_or_default();
            json!([look.colour, look.size])
        };
        let looks = |list: &[Look], places: &mut dyn Iterator<Item = usize>| match list.is_empty() {
            true => json!([]),
            false => places.map(|k| look(list, k)).collect(),
        };
        let inner = |list: &[usize]| -> Vec<usize> { (0..list.len()).filter(|k| inside(list[*k])).collect() };
        let disc_places = self.discs.as_ref().map_or_else(Vec::new, |discs| inner(discs));
        let looks = json!({
            "rods": looks(&self.looks.rods, &mut rods().map(|(k, _)| k)),
            "discs": looks(&self.looks.discs, &mut disc_places.into_iter().take(encoded.bodies)),
            "vehicles": looks(&self.looks.vehicles, &mut (0..encoded.vehicles)),
            "trails": looks(&self.looks.trails, &mut inner(&self.trails).into_iter().take(MOST_TRAILS)),
        });
        json!({
            "title": escape::clip(&self.title, escape::SHORT),
            "space": self.space == Space::Three,
            "bodies": encoded.bodies,
            "frames": encoded.frames.len(),
            "rate": self.rate * encoded.frames.len() as f64 / self.frames.len().max(1) as f64,
            "times": encoded.times,
            "positions": encoded.positions,
            "headings": encoded.headings,
            "low": encoded.low,
            "high": encoded.high,
            "view": encoded.view.map(|bounds| [bounds.low, bounds.high]),
            "looks": looks,
            "rods": rods().map(|(_, (a, b))| json!([end(a), end(b)])).collect::<Vec<_>>(),
            "discs": discs,
            "vehicles": vehicles.map(|v| json!([v.body, v.length, v.width])).collect::<Vec<_>>(),
            "trails": self.trails.iter().filter(|body| inside(**body)).take(MOST_TRAILS).collect::<Vec<_>>(),
            "trail": self.trail_length.clamp(0.0, 1.0),
        })
    }

    fn notes(&self, encoded: &Encoded) -> String {
        let mut notes = Vec::new();
        if encoded.frames.len() < self.frames.len() {
            let (kept, all) = (count(encoded.frames.len()), count(self.frames.len()));
            notes.push(format!("{kept} of {all} frames are in this file, evenly spread; the speed is that of all."));
        }
        if encoded.bodies < self.bodies() {
            let (kept, all) = (count(encoded.bodies), count(self.bodies()));
            notes.push(format!("The first {kept} of {all} bodies are shown, to keep the report small."));
        }
        if encoded.rods < self.rods.len() {
            notes.push(format!("At most {} of {} rods are shown.", count(encoded.rods), count(self.rods.len())));
        }
        if encoded.vehicles < self.vehicles.len() {
            let (kept, all) = (count(encoded.vehicles), count(self.vehicles.len()));
            notes.push(format!("The first {kept} of {all} vehicles are shown."));
        }
        if self.trails.len() > MOST_TRAILS {
            notes.push(format!("The first {MOST_TRAILS} of {} paths are shown.", count(self.trails.len())));
        }
        if encoded.missing > 0 {
            notes.push(format!(
                "Positions not shown because they are not finite or far away: {}.",
                count(encoded.missing)
            ));
        }
        notes.iter().map(|note| format!("<p class=\"note\">{note}</p>")).collect()
    }
}

/// More paths than these are left out, which is said.
const MOST_TRAILS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn swarm(frames: usize, bodies: usize) -> Animation {
        let place = |f: usize, b: usize| [(f + b) as f64, (f * b % 17) as f64, 0.0];
        let frame =
            |f| Frame { time: f as f64, positions: (0..bodies).map(|b| place(f, b)).collect(), headings: Vec::new() };
        Animation::new("S", Space::Plane, (0..frames).map(frame).collect())
    }

    #[test]
    fn one_body_is_not_bodies() {
        let mut animation = swarm(2, 1);
        animation.rods = vec![(End::Body(0), End::Fixed([0.0; 3]))];
        assert_eq!(animation.summary(), "1 moving body and 1 rod, from time 0 to 1");
        assert_eq!(swarm(1, 2).summary(), "2 moving bodies and 0 rods, from time 0 to 0");
    }

    #[test]
    fn many_frames_are_thinned_and_that_is_said() {
        let html = swarm(10_000, 200).html(0, 500_000).unwrap();
        assert!(html.len() < 500_000, "{}", html.len());
        assert!(html.contains("of 10\u{202f}000 frames are in this file"));
    }

    #[test]
    fn the_size_is_that_of_the_budget_whatever_the_data() {
        let mut animation = swarm(3, 100_000);
        animation.rods = vec![(End::Body(0), End::Fixed([1.0 / 3.0; 3])); 100_000];
        animation.trails = (0..100_000).collect();
        for budget in [0, 10_000, 200_000] {
            let html = animation.html(0, budget).unwrap();
            assert!(html.len() < budget + 8_000, "{} for {budget}", html.len());
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let mut animation = swarm(3, 2);
        animation.trails = vec![2];
        assert_eq!(
            animation.html(0, 9000).unwrap_err().to_string(),
            "animation `S`: body 2 does not exist; there are 2, counted from 0"
        );
        animation.trails.clear();
        animation.frames[1].positions.pop();
        assert_eq!(
            animation.html(0, 9000).unwrap_err().to_string(),
            "animation `S`: frame 2 has 1 positions, but 2 are needed"
        );
        animation.rate = f64::NAN;
        assert!(matches!(animation.html(0, 9000), Err(ReportError::FrameRate { .. })));
    }

    #[test]
    fn no_frames_no_bodies_and_no_numbers_are_still_a_page() {
        let mut nothing = swarm(0, 0);
        assert!(nothing.html(0, 9000).is_ok());
        nothing.frames = vec![Frame { time: f64::NAN, positions: vec![[f64::NAN; 3]; 2], headings: vec![] }; 2];
        assert!(nothing.html(0, 9000).unwrap().contains("not finite or far away: 4."));
        nothing.frames[0].positions[0] = [f64::MAX, f64::MIN, 0.0];
        assert!(nothing.html(0, 9000).is_ok());
    }
}
