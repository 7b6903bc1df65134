//! A beam in several bodies: deflections are small in each of them, and large together.
//!
//! `pieces = 4` makes bodies `arm`, `arm_2`, `arm_3` and `arm_4` of a body with one straight beam. Each is an elastic body in a frame of its own, at its beginning, and is welded
//! to the end of the one before. Frames keep their names: `arm.tip` is on the last piece.

use super::elastic_nodes::{minus, norm};
use super::elastic_part::is_described;
use super::sections::{MechanismPart, Sections};
use crate::component::Section;
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{Data, Span, TomlEntry, TomlKey, TomlTable, TomlValue};
use crate::units::{parse_unit, parse_value};

const NOT_DIVIDED: &str = "M0546";
/// Pieces of one body.
const MOST: usize = 100;
/// Elements of a beam that does not say how many, as without pieces.
const ELEMENTS: i64 = 8;
/// The frame at the end of a piece, where the next one is.
const END: &str = "piece_end";

/// A frame of a divided body that stands on another piece than the first.
#[derive(Clone, Debug)]
pub(crate) struct MovedFrame {
    pub body: String,
    pub frame: String,
    pub piece: String,
}

/// A straight beam with everything that is needed to cut it.
struct StraightBeam<'t> {
    table: &'t TomlTable,
    from: [f64; 3],
    to: [f64; 3],
    elements: i64,
}

fn text(text: String, span: &Span) -> TomlValue {
    TomlValue { data: Data::Text(text), span: span.clone() }
}

fn point(at: [f64; 3], span: &Span) -> TomlValue {
    TomlValue { data: Data::List(at.map(|x| text(format!("{x} m"), span)).to_vec()), span: span.clone() }
}

/// A plain point; what is none is told where it is read.
fn plain(value: &TomlValue) -> Option<[f64; 3]> {
    let length = parse_unit("m").ok()?;
    let number = |v: &TomlValue| match &v.data {
        Data::Text(text) => parse_value(text)
            .ok()
            .filter(|x| x.unit.dimension == length.dimension || x.si == 0.0)
            .map(|x| x.si),
        _ => v.as_number().filter(|x| *x == 0.0),
    };
    match &value.data {
        Data::List(list) => match list.as_slice() {
            [x, y, z] => Some([number(x)?, number(y)?, number(z)?]),
            _ => None,
        },
        _ => None,
    }
}

fn set(table: &mut TomlTable, name: &str, value: TomlValue) {
    let key = TomlKey { name: name.into(), span: value.span.clone() };
    table.entries.retain(|e| e.key.name != name);
    table.entries.push(TomlEntry { key, value });
}

impl Sections {
    /// Makes several bodies of each that asks for `pieces`.
    pub(crate) fn divide(&mut self, problems: &Problems) {
        let bodies = std::mem::take(&mut self.parts[Section::Bodies as usize]);
        for part in bodies {
            let asked = part.table.get("pieces").filter(|_| is_described(&part)).cloned();
            let Some(asked) = asked else {
                self.parts[Section::Bodies as usize].push(part);
                continue;
            };
            let mut whole = part;
            whole.table.entries.retain(|e| e.key.name != "pieces");
            let rigid =
                whole.table.get("model").and_then(|e| e.value.as_text()).is_some_and(|t| t.text == "rigid");
            match count(&asked).filter(|_| undivided(&whole).is_none()) {
                None => problems.add(refusal(&whole, &asked)),
                Some(count) if count > 1 && !rigid => {
                    if self.cut(&whole, count, &asked.key.span).is_some() {
                        continue;
                    }
                }
                Some(_) => {}
            }
            self.parts[Section::Bodies as usize].push(whole);
        }
    }

    /// None: something is no plain number, which whoever reads the whole body tells.
    fn cut(&mut self, whole: &MechanismPart, count: usize, span: &Span) -> Option<()> {
        let beam = straight(whole)?;
        let axis = minus(beam.to, beam.from);
        let at = |k: usize| -> [f64; 3] {
            let share = k as f64 / count as f64;
            std::array::from_fn(|i| if k == count { beam.to[i] } else { beam.from[i] + share * axis[i] })
        };
        let name =
            |k: usize| if k == 0 { whole.key.name.clone() } else { format!("{}_{}", whole.key.name, k + 1) };
        // Frames and gauges, each on its piece. One between two pieces is at the end of the first of them.
        let shared_out = |key: &str| {
            let mut lists: Vec<Vec<TomlEntry>> = vec![vec![]; count];
            for entry in entries(whole, key) {
                let place = place_of(entry)?;
                let arm = minus(place, beam.from);
                let share = (0..3).map(|i| arm[i] * axis[i]).sum::<f64>() / norm(axis).powi(2);
                let piece = ((share * count as f64 - 1e-6).ceil().max(1.0) as usize).min(count) - 1;
                lists[piece].push(moved(entry, minus(place, if piece == 0 { [0.0; 3] } else { at(piece) })));
            }
            Some(lists)
        };
        let (frames, mut gauges) = (shared_out("frames")?, shared_out("gauges")?);
        for (k, mut own) in frames.into_iter().enumerate() {
            let origin = if k == 0 { [0.0; 3] } else { at(k) };
            for entry in own.iter().filter(|_| k > 0) {
                let (body, frame) = (whole.key.name.clone(), entry.key.name.clone());
                self.moved_frames.push(MovedFrame { body, frame, piece: name(k) });
            }
            if k + 1 < count {
                let key = TomlKey { name: END.into(), span: span.clone() };
                own.push(TomlEntry { key, value: point(minus(at(k + 1), origin), span) });
                self.weld(&name(k), &name(k + 1), span);
            }
            let mut table = whole.table.clone();
            if k > 0 {
                table.entries.retain(|e| e.key.name != "shapes");
            }
            if whole.table.get("gauges").is_some() {
                let list = TomlTable { entries: std::mem::take(&mut gauges[k]), span: span.clone() };
                set(&mut table, "gauges", TomlValue { data: Data::Table(list), span: span.clone() });
            }
            let mut piece = beam.table.clone();
            set(&mut piece, "from", point(minus(at(k), origin), span));
            set(&mut piece, "to", point(minus(at(k + 1), origin), span));
            let elements = (beam.elements + count as i64 - 1) / count as i64;
            set(&mut piece, "elements", TomlValue { data: Data::Integer(elements), span: span.clone() });
            let piece = TomlValue { data: Data::Table(piece), span: span.clone() };
            set(&mut table, "beams", TomlValue { data: Data::List(vec![piece]), span: span.clone() });
            let list = TomlTable { entries: own, span: span.clone() };
            set(&mut table, "frames", TomlValue { data: Data::Table(list), span: span.clone() });
            let key = TomlKey { name: name(k), span: whole.key.span.clone() };
            self.parts[Section::Bodies as usize].push(MechanismPart { key, table });
        }
        Some(())
    }

    fn weld(&mut self, near: &str, far: &str, span: &Span) {
        let mut table = TomlTable { entries: vec![], span: span.clone() };
        let values =
            [("type", "weld".to_string()), ("parent", format!("{near}.{END}")), ("child", far.to_string())];
        values.into_iter().for_each(|(name, value)| set(&mut table, name, text(value, span)));
        let key = TomlKey { name: format!("{far}_weld"), span: span.clone() };
        self.parts[Section::Joints as usize].push(MechanismPart { key, table });
    }
}

fn count(asked: &TomlEntry) -> Option<usize> {
    match asked.value.data {
        Data::Integer(n) => usize::try_from(n).ok().filter(|n| (1..=MOST).contains(n)),
        _ => None,
    }
}

fn entries<'t>(part: &'t MechanismPart, key: &str) -> &'t [TomlEntry] {
    match part.table.get(key).map(|e| &e.value.data) {
        Some(Data::Table(table)) => &table.entries,
        _ => &[],
    }
}

/// The one beam of a body.
fn only_beam(part: &MechanismPart) -> Option<&TomlTable> {
    match part.table.get("beams").map(|e| &e.value.data) {
        Some(Data::List(list)) => match list.as_slice() {
            [TomlValue { data: Data::Table(beam), .. }] => Some(beam),
            _ => None,
        },
        _ => None,
    }
}

/// What keeps a body from being divided.
fn undivided(part: &MechanismPart) -> Option<String> {
    let other = ["mesh", "plates", "point_masses"].into_iter().find(|key| part.table.get(key).is_some());
    let Some(beam) = only_beam(part) else { return Some("it does not have one beam".into()) };
    let ends_at_origin = beam.get("to").and_then(|to| plain(&to.value)).is_some_and(|to| norm(to) == 0.0);
    if ends_at_origin {
        return Some(
            "its beam ends at the origin of the body, where its frame is: draw it from there".into(),
        );
    }
    let varied = ["section_to", "release"].into_iter().find(|key| beam.get(key).is_some());
    other.or(varied).map(|key| format!("beside `{key}`"))
}

fn refusal(part: &MechanismPart, asked: &TomlEntry) -> Diagnostic {
    let label = undivided(part).unwrap_or_else(|| format!("a whole number from 1 to {MOST}"));
    Diagnostic::error(NOT_DIVIDED, format!("`{}` cannot be divided into pieces", part.key.name))
        .at(&asked.value.span, label)
        .hint("pieces are made of one straight beam of one section; write bodies of your own, welded, for others")
}

/// None: its ends are no plain points, or it has no length.
fn straight(part: &MechanismPart) -> Option<StraightBeam<'_>> {
    let table = only_beam(part)?;
    let (from, to) = (plain(&table.get("from")?.value)?, plain(&table.get("to")?.value)?);
    let elements = match table.get("elements").map(|e| &e.value.data) {
        None => ELEMENTS,
        Some(Data::Integer(n)) if (1..=10_000).contains(n) => *n,
        Some(_) => return None,
    };
    (norm(minus(to, from)) > 0.0).then_some(StraightBeam { table, from, to, elements })
}

/// Where a frame is.
fn place_of(entry: &TomlEntry) -> Option<[f64; 3]> {
    match &entry.value.data {
        Data::Table(table) => match table.get("at") {
            Some(at) => plain(&at.value),
            None => Some([0.0; 3]),
        },
        _ => plain(&entry.value),
    }
}

/// The same frame at another place.
fn moved(entry: &TomlEntry, at: [f64; 3]) -> TomlEntry {
    let value = &entry.value;
    let place = point(at, &value.span);
    let value = match &value.data {
        Data::Table(table) => {
            let mut table = table.clone();
            set(&mut table, "at", place);
            TomlValue { data: Data::Table(table), span: value.span.clone() }
        }
        _ => place,
    };
    TomlEntry { key: entry.key.clone(), value }
}
