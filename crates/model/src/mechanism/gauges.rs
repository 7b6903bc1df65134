//! Places of an elastic body whose displacement, section forces or stress are signals, as the files say them.
//!
//!   u = U (q, p),  F = Σ_a F_a q_a + Σ_l F_l p_l,  σ alike                                                        (1)
//!
//! q: the elastic coordinates; p: the loads of inertia, whose static deflections hold what the shapes leave out (mode acceleration
//! method [Craig, Kurdila 2006]):
//!
//!   p = (ω_x², ω_y², ω_z², ω_x ω_y, ω_y ω_z, ω_z ω_x, a − g, α, q̈)      in B, a at the reference of the body               (2)
//!
//! The numbers of (1) follow from the finite elements, above this crate; here are names, places and signals.

use trunnion_equations::Symbol;

use super::elastic_reader::ElasticReader;
use super::fatigue::read_fatigue;
use super::sections::{MechanismPart, Sections};
use crate::component::check_name;
use crate::diagnostic::{Diagnostic, Problems, did_you_mean, one_of};
use crate::file::{Data, Fields, Span, TomlEntry, TomlText};
use crate::instantiate::ModelBuilder;

const UNKNOWN_WORD: &str = "M0112";
const NO_PLACE: &str = "M0540";

/// A place of an elastic body that is looked at.
#[derive(Clone, Debug)]
pub struct StressGauge {
    pub name: String,
    /// In the axes of the body; a node of its finite elements.
    pub at: [f64; 3],
    /// Number of the beam from 0 on, where several meet.
    pub beam: Option<usize>,
    /// None: the mean of the sections on both sides of the node.
    pub side: Option<GaugeSide>,
    pub shows: Vec<(GaugeSignal, Symbol)>,
    pub span: Span,
    /// To be filled in before equations are written.
    pub recovery: GaugeRecovery,
}

/// The part of its beam that a section belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaugeSide {
    From,
    To,
}

/// What a gauge shows; numbers count components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaugeSignal {
    /// Against B, in its axes.
    Displacement(usize),
    /// N, Qy, Qz, T, My, Mz in the axes of the beam.
    SectionForce(usize),
    /// The highest of all points there.
    VonMises,
    /// The highest first and the lowest third principal stress of all points there.
    PrincipalMax,
    PrincipalMin,
}

/// Rows to be multiplied by the elastic coordinates and, beyond them, by the loads (2).
#[derive(Clone, Debug, Default)]
pub struct GaugeRecovery {
    /// Where a of (2) is, in B.
    pub reference: [f64; 3],
    pub displacement: [Vec<f64>; 3],
    /// Sections of beams there.
    pub sections: Vec<SectionRows>,
    /// Points of shells and solids there: xx, yy, zz, xy, yz, zx.
    pub points: Vec<[Vec<f64>; 6]>,
}

/// A section of a beam.
#[derive(Clone, Debug)]
pub struct SectionRows {
    /// N, Qy, Qz, T, My, Mz.
    pub forces: [Vec<f64>; 6],
    pub fibres: SectionFibres,
    /// Shear stress of a unit of T: the largest of the section.
    pub shear: f64,
}

/// Where a section has its extreme normal stress σ.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionFibres {
    /// σ = N a ± b √(My² + Mz²): a = 1/A, b = r/I.
    Round { axial: f64, bending: f64 },
    /// σ = a N + b My + c Mz at each point.
    Points(Vec<[f64; 3]>),
}

/// Words of `shows`, each with its signals: name, unit and what it is.
type GaugeWord = (&'static str, &'static [(&'static str, &'static str, GaugeSignal)]);
const WORDS: [GaugeWord; 3] = [
    (
        "displacement",
        &[
            ("ux", "m", GaugeSignal::Displacement(0)),
            ("uy", "m", GaugeSignal::Displacement(1)),
            ("uz", "m", GaugeSignal::Displacement(2)),
        ],
    ),
    (
        "forces",
        &[
            ("N", "N", GaugeSignal::SectionForce(0)),
            ("Qy", "N", GaugeSignal::SectionForce(1)),
            ("Qz", "N", GaugeSignal::SectionForce(2)),
            ("T", "N m", GaugeSignal::SectionForce(3)),
            ("My", "N m", GaugeSignal::SectionForce(4)),
            ("Mz", "N m", GaugeSignal::SectionForce(5)),
        ],
    ),
    (
        "stress",
        &[
            ("von_mises", "MPa", GaugeSignal::VonMises),
            ("principal_max", "MPa", GaugeSignal::PrincipalMax),
            ("principal_min", "MPa", GaugeSignal::PrincipalMin),
        ],
    ),
];

impl GaugeSignal {
    /// One line for lists of signals.
    pub(super) fn doc(self) -> &'static str {
        match self {
            GaugeSignal::Displacement(_) => "Displacement against the frame of the body",
            GaugeSignal::SectionForce(0..3) => "Force in the section of a beam",
            GaugeSignal::SectionForce(_) => "Moment in the section of a beam",
            GaugeSignal::VonMises => "Equivalent stress of von Mises, the highest of the place",
            GaugeSignal::PrincipalMax => "Highest principal stress of the place",
            GaugeSignal::PrincipalMin => "Lowest principal stress of the place",
        }
    }
}

/// A gauge as it is written, before its signals have symbols.
pub(super) struct ReadGauge {
    at: [f64; 3],
    beam: Option<usize>,
    side: Option<GaugeSide>,
    name: TomlText,
    pub signals: Vec<(String, &'static str, GaugeSignal)>,
}

/// What `gauges` of a body says; what is wrong is said, with `fatigue` too.
pub(super) fn read_gauges(part: &MechanismPart, problems: &Problems) -> Vec<ReadGauge> {
    read_fatigue(part, problems);
    let sections = Sections::default();
    let reader = ElasticReader::new(part, &sections, problems);
    reader.f.entries("gauges").iter().filter_map(|entry| read_gauge(&reader, entry)).collect()
}

fn read_gauge(reader: &ElasticReader<'_>, entry: &TomlEntry) -> Option<ReadGauge> {
    let problems = reader.problems;
    if !check_name(&entry.key, problems) {
        return None;
    }
    let name = TomlText { text: entry.key.name.clone(), span: entry.key.span.clone() };
    let default = || signals(&name.text, "displacement").chain(signals(&name.text, "stress")).collect();
    let Data::Table(table) = &entry.value.data else {
        let at = reader.vector(&entry.value, &entry.key.name, "m")?;
        return Some(ReadGauge { at, beam: None, side: None, signals: default(), name });
    };
    let f = Fields::new(table, format!("gauge `{}`", entry.key.name), &entry.key.span, problems);
    if f.value("at").is_none() {
        f.missing("at", "a node of the body, [\"2 m\", 0, 0]");
    }
    let at = f.value("at").and_then(|value| reader.vector(value, "at", "m"));
    let side = match f.entry("side") {
        Some(_) => Some(f.choice("side", &[("from", GaugeSide::From), ("to", GaugeSide::To)])?),
        None => None,
    };
    let beam = match f.entry("beam") {
        Some(_) => Some(f.count("beam")?),
        None => None,
    };
    let words = f.entry("shows").map(|_| f.texts("shows"));
    if let Some((0, entry)) = beam.zip(f.entry("beam")) {
        problems.add(
            Diagnostic::error(NO_PLACE, "there is no beam 0")
                .at(&entry.value.span, "beams count from 1, in their order"),
        );
        return None;
    }
    f.finish();
    let signals = match words {
        None => default(),
        Some(words) => {
            words.iter().for_each(|word| check_word(word, problems));
            let first = |k: usize| words[..k].iter().all(|other| other.text != words[k].text);
            let once = (0..words.len()).filter(|&k| first(k));
            once.flat_map(|k| signals(&name.text, &words[k].text)).collect()
        }
    };
    Some(ReadGauge { at: at?, beam: beam.map(|k| k - 1), side, signals, name })
}

fn check_word(word: &TomlText, problems: &Problems) {
    let known = || WORDS.iter().map(|(word, _)| *word);
    if !known().any(|k| k == word.text) {
        problems.add(
            Diagnostic::error(UNKNOWN_WORD, format!("a gauge cannot show `{}`", word.text))
                .at(&word.span, format!("has to be {}", one_of(known())))
                .hint_if(did_you_mean(&word.text, known())),
        );
    }
}

/// The signals of a word, "root.My", with unit and meaning.
fn signals(gauge: &str, word: &str) -> impl Iterator<Item = (String, &'static str, GaugeSignal)> {
    let list = WORDS.iter().find(|(known, _)| *known == word).map_or(&[][..], |(_, list)| list);
    let gauge = gauge.to_string();
    list.iter().map(move |(name, unit, what)| (format!("{gauge}.{name}"), *unit, *what))
}

impl ModelBuilder<'_> {
    /// Gauges with the symbols of their signals.
    pub(super) fn gauges(&self, part: &MechanismPart) -> Vec<StressGauge> {
        // What is wrong with them was said with the component.
        let gauge = |read: ReadGauge| StressGauge {
            at: read.at,
            beam: read.beam,
            side: read.side,
            shows: read
                .signals
                .iter()
                .filter_map(|(name, _, what)| Some((*what, self.symbol_of(part, name)?)))
                .collect(),
            name: read.name.text,
            span: read.name.span,
            recovery: GaugeRecovery::default(),
        };
        read_gauges(part, &Problems::default()).into_iter().map(gauge).collect()
    }
}
