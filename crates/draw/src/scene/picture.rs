//! A picture of a mechanism: earlier poses pale, the last one full, with axes, a scale and the time.

use std::fmt::Write;

use super::order::{PaintedFace, far_to_near};
use super::skin::stress_colour;
use super::stage::{Extent, Paint, Stage};
use super::{BentBody, BodyPoint, Scene, ViewDirection};
use crate::plot::colour::{AXIS, PALETTE, QUIET_TEXT, TEXT};
use crate::plot::svg::{Anchor, Canvas, Font, Markup, coordinate, shortened, with_minus};
use trunnion_num::space::{Point, Pose, plus};
use trunnion_num::text::number;

const WIDTH: f64 = 900.0;
const TALLEST: f64 = 720.0;
const LOWEST: f64 = 260.0;
/// Around the mechanism: beside, above with the title, below with axes and scale.
const MARGIN: [f64; 3] = [48.0, 64.0, 84.0];
/// Paleness of the first of several poses, and of the last but one.
const PALE: (f64, f64) = (0.22, 0.5);

/// Poses of all bodies at one instant.
#[derive(Clone, Debug)]
pub struct PoseSnapshot {
    pub t: f64,
    pub poses: Vec<Pose>,
    /// Surfaces of the elastic bodies.
    pub bent: Vec<BentBody>,
    /// Displacements of interfaces: body, number, in the axes of the body.
    pub(crate) moved: Vec<(usize, usize, Point)>,
}

impl PoseSnapshot {
    /// Where a point is in W.
    pub(crate) fn place(&self, spot: BodyPoint) -> Point {
        let own = self.moved.iter().find(|(body, k, _)| *body == spot.body && Some(*k) == spot.interface);
        self.poses[spot.body].of(own.map_or(spot.p, |(_, _, u)| plus(spot.p, *u)))
    }
}

pub struct ScenePicture<'a> {
    pub scene: &'a Scene,
    pub view: ViewDirection,
    pub title: String,
    /// In the order of time.
    pub shots: Vec<PoseSnapshot>,
    /// Ways of points in W, with their names.
    pub traces: Vec<(String, Vec<Point>)>,
    /// Shortest length of every line.
    pub shortest: Vec<f64>,
    /// Elastic bodies have the colours of their stress.
    pub stress: bool,
    /// Instead of the times.
    pub caption: Option<String>,
}

/// From the view to the sheet.
struct SheetTransform {
    scale: f64,
    origin: (f64, f64),
    height: f64,
}

impl SheetTransform {
    fn new(extent: &Extent) -> SheetTransform {
        let side = |i: usize| Some(extent.high[i] - extent.low[i]).filter(|s| s.is_finite()).unwrap_or(0.0);
        // A drawing without extent gets one.
        let (wide, high) = (side(0).max(1e-3 * extent.size()), side(1).max(1e-3 * extent.size()));
        let room = (WIDTH - 2.0 * MARGIN[0], TALLEST - MARGIN[1] - MARGIN[2]);
        let scale = (room.0 / wide).min(room.1 / high);
        let height = (scale * high + MARGIN[1] + MARGIN[2]).max(LOWEST);
        let middle = |i: usize| if side(i) > 0.0 { 0.5 * (extent.low[i] + extent.high[i]) } else { 0.0 };
        let centre = MARGIN[1] + 0.5 * (height - MARGIN[1] - MARGIN[2]);
        SheetTransform {
            scale,
            origin: (0.5 * WIDTH - scale * middle(0), centre + scale * middle(1)),
            height,
        }
    }

    fn of(&self, p: Point) -> (f64, f64) {
        (self.origin.0 + self.scale * p[0], self.origin.1 - self.scale * p[1])
    }
}

impl ScenePicture<'_> {
    /// With these words instead of the times.
    pub fn caption(mut self, words: &str) -> Self {
        self.caption = Some(words.to_string());
        self
    }

    pub fn svg(&self) -> String {
        let shots: Vec<&PoseSnapshot> = self.shots.iter().collect();
        let way: Vec<Point> = self.traces.iter().flat_map(|(_, way)| way.iter().copied()).collect();
        let highest = self.highest_stress();
        let (stage, extent) = Stage::new(self.scene, self.view, &shots, &way, &self.shortest, highest);
        let sheet = SheetTransform::new(&extent);
        let mut canvas = Canvas::new(WIDTH, sheet.height, &self.title);
        let mut paints = vec![];
        let Some((last, earlier)) = self.shots.split_last() else { return canvas.finish() };
        let world = stage.pieces(last, true, &mut paints);
        let size = extent.size();
        if earlier.is_empty() {
            // At one instant the world may hide the rest, and the other way round.
            let all = world.into_iter().chain(stage.pieces(last, false, &mut paints)).collect();
            paint(&mut canvas, &sheet, far_to_near(all, size), &paints);
            self.trace(&mut canvas, &sheet);
            self.knobs(&mut canvas, &sheet, &stage, last);
        } else {
            paint(&mut canvas, &sheet, far_to_near(world, size), &paints);
            for (k, shot) in earlier.iter().enumerate() {
                let pale = PALE.0 + (PALE.1 - PALE.0) * k as f64 / earlier.len() as f64;
                canvas.group(&format!("opacity=\"{}\"", coordinate(pale)));
                self.bodies(&mut canvas, &sheet, &stage, shot, size);
                canvas.end();
            }
            self.before_world(&mut canvas, &sheet, &stage, last, size);
            // Over the bodies: a point inside one of them has a path that is seen.
            self.trace(&mut canvas, &sheet);
        }
        self.texts(&mut canvas);
        axes(&mut canvas, self.view, sheet.height);
        scale_bar(&mut canvas, &sheet);
        if let Some(highest) = highest {
            colour_bar(&mut canvas, sheet.height, highest);
        }
        canvas.finish()
    }

    /// Of all that is drawn, in Pa; None: bodies have their own colours.
    fn highest_stress(&self) -> Option<f64> {
        let all = self.shots.iter().flat_map(|s| &s.bent).flat_map(|b| b.stress.iter().copied());
        // Without stress all is blue.
        all.reduce(f64::max).filter(|_| self.stress).map(|s| s.max(f64::MIN_POSITIVE))
    }

    fn bodies(
        &self,
        canvas: &mut Canvas,
        sheet: &SheetTransform,
        stage: &Stage,
        shot: &PoseSnapshot,
        size: f64,
    ) {
        let mut paints = vec![];
        let pieces = stage.pieces(shot, false, &mut paints);
        paint(canvas, sheet, far_to_near(pieces, size), &paints);
        self.knobs(canvas, sheet, stage, shot);
    }

    /// The bodies over what was drawn already, and again what of the world hides some of them.
    fn before_world(
        &self,
        canvas: &mut Canvas,
        sheet: &SheetTransform,
        stage: &Stage,
        shot: &PoseSnapshot,
        size: f64,
    ) {
        let mut paints = vec![];
        let mut pieces = stage.pieces(shot, true, &mut paints);
        let of_world = paints.len();
        let mut others = vec![];
        let bodies = stage.pieces(shot, false, &mut others);
        paints.append(&mut others);
        pieces.extend(bodies.into_iter().map(|piece| PaintedFace { paint: of_world + piece.paint, ..piece }));
        let mut painted: Vec<[(f64, f64); 2]> = vec![];
        let mut ordered = far_to_near(pieces, size);
        ordered.retain(|piece| {
            let place = [piece.range(0), piece.range(1)];
            let apart = |other: &[(f64, f64); 2]| {
                (0..2).any(|i| other[i].1 <= place[i].0 || place[i].1 <= other[i].0)
            };
            let kept = piece.paint >= of_world || !painted.iter().all(apart);
            if kept {
                painted.push(place);
            }
            kept
        });
        paint(canvas, sheet, ordered, &paints);
        self.knobs(canvas, sheet, stage, shot);
    }

    fn knobs(&self, canvas: &mut Canvas, sheet: &SheetTransform, stage: &Stage, shot: &PoseSnapshot) {
        canvas.group(&format!("fill=\"#ffffff\" stroke=\"{TEXT}\" stroke-width=\"1.3\""));
        for knob in &self.scene.joints {
            let (x, y) = sheet.of(stage.place(shot, knob.spot));
            match knob.slides {
                true => canvas.rect([x - 3.2, y - 3.2, 6.4, 6.4], ""),
                false => canvas.circle((x, y), 3.4, ""),
            }
        }
        canvas.end();
    }

    fn trace(&self, canvas: &mut Canvas, sheet: &SheetTransform) {
        for (k, (_, way)) in self.traces.iter().enumerate() {
            let line = path(way.iter().map(|&p| sheet.of(self.view.of(p))), false);
            let colour = PALETTE[(k + 1) % PALETTE.len()];
            let attributes = format!(
                "fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-linejoin=\"round\" stroke-linecap=\"round\""
            );
            canvas.path(&line, &attributes);
        }
    }

    fn texts(&self, canvas: &mut Canvas) {
        let left = Font { bold: true, ..Font::new(16.0, TEXT, Anchor::Start) };
        canvas.text((24.0, 32.0), left, &Markup::plain(&shortened(&self.title, 17.6, 0.6 * WIDTH)));
        let right = Font::new(14.0, QUIET_TEXT, Anchor::End);
        canvas.text((WIDTH - 24.0, 32.0), right, &Markup::plain(&self.times()));
        let names = self.traces.iter().enumerate();
        for (k, (name, _)) in names {
            let font = Font::new(13.0, PALETTE[(k + 1) % PALETTE.len()], Anchor::Start);
            canvas.text((24.0, 52.0 + 17.0 * k as f64), font, &Markup::plain(&format!("path of {name}")));
        }
    }

    fn times(&self) -> String {
        if let Some(caption) = &self.caption {
            return caption.clone();
        }
        let all: Vec<String> = self.shots.iter().map(|s| with_minus(&number(s.t, 4))).collect();
        match &all[..] {
            few if few.len() <= 5 => format!("t = {} s", few.join(", ")),
            [first, .., last] => format!("t = {first} … {last} s in {} poses", all.len()),
            _ => String::new(),
        }
    }
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn path(points: impl Iterator<Item = (f64, f64)>, close: bool) -> String {
    let mut data = String::new();
    for (k, (x, y)) in points.enumerate() {
        // Writing to memory cannot fail.
        let _ = write!(data, "{}{} {}", if k == 0 { "M" } else { "L" }, coordinate(x), coordinate(y));
    }
    if close { data + "Z" } else { data }
}

/// Faces with a rim of their own colour, which hides the joints between them, then their edges.
fn paint(canvas: &mut Canvas, sheet: &SheetTransform, pieces: Vec<PaintedFace>, paints: &[Paint]) {
    canvas.group("stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    for piece in pieces {
        let paint = &paints[piece.paint];
        let points: Vec<(f64, f64)> = piece.points.iter().map(|&p| sheet.of(p)).collect();
        if let Some(fill) = paint.fill.map(hex) {
            let all = path(points.iter().copied(), true);
            canvas.path(&all, &format!("fill=\"{fill}\" stroke=\"{fill}\" stroke-width=\"0.5\""));
        }
        let lines = edges(&points, &piece.edges);
        if !lines.is_empty() {
            let width = if paint.fill.is_some() { 0.9 } else { 1.5 };
            canvas.path(
                &lines,
                &format!("fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"", hex(paint.line)),
            );
        }
    }
    canvas.end();
}

/// The edges that are drawn, joined where they follow each other.
fn edges(points: &[(f64, f64)], drawn: &[bool]) -> String {
    let n = points.len();
    if drawn.iter().all(|d| *d) {
        return path(points.iter().copied(), true);
    }
    // Begin after a gap, so that no stretch is broken in two.
    let start = drawn.iter().position(|d| !*d).map_or(0, |k| k + 1);
    let (mut data, mut open) = (String::new(), false);
    for i in (0..n).map(|k| (start + k) % n) {
        let (a, b) = (points[i], points[(i + 1) % n]);
        if drawn[i] && !open {
            let _ = write!(data, "M{} {}", coordinate(a.0), coordinate(a.1));
        }
        if drawn[i] {
            let _ = write!(data, "L{} {}", coordinate(b.0), coordinate(b.1));
        }
        open = drawn[i];
    }
    data
}

/// The axes of the world in the lower left corner.
fn axes(canvas: &mut Canvas, view: ViewDirection, height: f64) {
    const LENGTH: f64 = 34.0;
    let centre = (52.0, height - 40.0);
    let axes = [
        ("x", [1.0, 0.0, 0.0], PALETTE[1]),
        ("y", [0.0, 1.0, 0.0], PALETTE[2]),
        ("z", [0.0, 0.0, 1.0], PALETTE[0]),
    ];
    let mut all = axes.map(|(name, axis, colour)| (name, view.of(axis), colour));
    // What is seen from its end comes last, over the beginning of the others.
    all.sort_by(|a, b| a.1[2].abs().total_cmp(&b.1[2].abs()));
    for (name, [right, up, near], colour) in all {
        let flat = right.hypot(up);
        if flat < 1e-6 {
            // A point towards the viewer, a cross away from him, as the tip and the feathers of an arrow are seen.
            let stroke = format!("stroke=\"{colour}\" stroke-width=\"1.6\"");
            canvas.circle(centre, 4.5, &format!("fill=\"#ffffff\" {stroke}"));
            if near > 0.0 {
                canvas.circle(centre, 1.5, &format!("fill=\"{colour}\""));
            } else {
                let at = |x: f64, y: f64| (centre.0 + 3.2 * x, centre.1 + 3.2 * y);
                canvas.line(at(-1.0, -1.0), at(1.0, 1.0), &stroke);
                canvas.line(at(-1.0, 1.0), at(1.0, -1.0), &stroke);
            }
            let font = Font::new(12.0, colour, Anchor::End);
            canvas.text((centre.0 - 6.0, centre.1 + 14.0), font, &Markup::plain(name));
            continue;
        }
        let at = |s: f64, side: f64| {
            let (u, v) = (right / flat, up / flat);
            let s = s * LENGTH * flat;
            (centre.0 + s * u - side * v, centre.1 - s * v - side * u)
        };
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"1.6\"");
        canvas.line(centre, at(1.0, 0.0), &stroke);
        let back = 1.0 - 7.0 / (LENGTH * flat);
        let tip = [at(1.0 + 2.0 / (LENGTH * flat), 0.0), at(back, 3.0), at(back, -3.0)];
        canvas.path(&path(tip.into_iter(), true), &format!("fill=\"{colour}\""));
        let label = at(1.0 + 12.0 / (LENGTH * flat), 0.0);
        canvas.text((label.0, label.1 + 4.0), Font::new(12.0, colour, Anchor::Middle), &Markup::plain(name));
    }
}

/// Colours of stress from 0 to the highest, at the bottom in the middle.
fn colour_bar(canvas: &mut Canvas, height: f64, highest: f64) {
    const STEPS: usize = 48;
    let (x, y, step) = (0.5 * WIDTH - 120.0, height - 34.0, 240.0 / STEPS as f64);
    for k in 0..STEPS {
        let fill = hex(stress_colour((k as f64 + 0.5) / STEPS as f64));
        canvas.rect([x + step * k as f64, y, step + 0.3, 10.0], &format!("fill=\"{fill}\""));
    }
    let text = |canvas: &mut Canvas, at: (f64, f64), anchor, words: &str| {
        canvas.text(at, Font::new(12.0, QUIET_TEXT, anchor), &Markup::plain(words));
    };
    text(canvas, (x, y + 25.0), Anchor::Middle, "0");
    text(canvas, (x + 240.0, y + 25.0), Anchor::Middle, &format!("{} MPa", number(highest * 1e-6, 3)));
    text(canvas, (x + 120.0, y + 25.0), Anchor::Middle, "von Mises stress");
}

/// A round length, about a sixth of the width, in the lower right corner.
fn scale_bar(canvas: &mut Canvas, sheet: &SheetTransform) {
    let wanted = WIDTH / 6.0 / sheet.scale;
    let decade = 10_f64.powf(wanted.log10().floor());
    let length = [5.0, 2.0, 1.0].into_iter().find(|m| m * decade <= wanted).unwrap_or(1.0) * decade;
    let (x, y, width) = (WIDTH - 36.0 - sheet.scale * length, sheet.height - 30.0, sheet.scale * length);
    let stroke = format!("stroke=\"{AXIS}\" stroke-width=\"1.4\"");
    canvas.line((x, y), (x + width, y), &stroke);
    for end in [x, x + width] {
        canvas.line((end, y - 4.0), (end, y + 4.0), &stroke);
    }
    let font = Font::new(12.0, QUIET_TEXT, Anchor::Middle);
    canvas.text((x + 0.5 * width, y - 8.0), font, &Markup::plain(&format!("{} m", number(length, 3))));
}
