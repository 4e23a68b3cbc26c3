//! A hanging chain, by position-based dynamics: good enough to look at.

use cotangent_report::{Animation, End, Frame, Space};

const FIXED: [f64; 3] = [0.0, 0.0, 0.0];
const GRAVITY: f64 = 9.81;
const FRAMES_A_SECOND: usize = 30;
const STEPS_A_FRAME: usize = 12;

/// A chain of so many links of total length 1, released from the horizontal.
pub(super) fn chain(links: usize, frames: usize) -> Animation {
    let link = 1.0 / links as f64;
    let h = 1.0 / (FRAMES_A_SECOND * STEPS_A_FRAME) as f64;
    let mut now: Vec<[f64; 3]> = (1..=links).map(|k| [k as f64 * link, 0.0, 0.0]).collect();
    let mut before = now.clone();
    let mut shown = Vec::new();
    for f in 0..frames {
        let time = f as f64 / FRAMES_A_SECOND as f64;
        shown.push(Frame { time, positions: now.clone(), headings: Vec::new() });
        for _ in 0..STEPS_A_FRAME {
            for (p, q) in now.iter_mut().zip(&mut before) {
                let old = *p;
                *p = [2.0 * p[0] - q[0], 2.0 * p[1] - q[1] - GRAVITY * h * h, 0.0];
                *q = old;
            }
            (0..60).for_each(|_| tighten(&mut now, link));
        }
    }
    let ends = |k: usize| if k == 0 { End::Fixed(FIXED) } else { End::Body(k - 1) };
    let mut animation = Animation::new(format!("A chain of {links} links"), Space::Plane, shown);
    animation.description = "The chain is released from the horizontal and swings about its left end, \
        whose place is fixed; its free end cracks like a whip and leaves a path."
        .into();
    animation.rods = (0..links).map(|k| (ends(k), End::Body(k))).collect();
    animation.trails = vec![links - 1];
    animation
}

/// Moves neighbours to their distance, each by half.
fn tighten(places: &mut [[f64; 3]], link: f64) {
    for k in 0..places.len() {
        let a = if k == 0 { FIXED } else { places[k - 1] };
        let d = [places[k][0] - a[0], places[k][1] - a[1]];
        let excess = 1.0 - link / d[0].hypot(d[1]).max(1e-12);
        let part = if k == 0 { 1.0 } else { 0.5 };
        for c in 0..2 {
            places[k][c] -= part * excess * d[c];
            if k > 0 {
                places[k - 1][c] += 0.5 * excess * d[c];
            }
        }
    }
}
