//! `trunnion linearize`: A, B, C, D at a point, poles, frequency response.
//!
//! Matrices are in the units the quantities are shown in, as results are.

pub mod bode;
mod export;

use std::path::PathBuf;

use clap::Args;
use trunnion_equations::flat::Kind;
use trunnion_equations::{Symbol, Unit};
use trunnion_model::run::matches;
use trunnion_num::Matrix;
use trunnion_sim::equilibrium::balance_machine;
use trunnion_sim::linear::{LinearModel, Pole, linearise};

use crate::given::Given;
use crate::output::{Print, say};
use crate::session::Session;
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot;
use trunnion_engine::Failure;
use trunnion_engine::project::Project;
use trunnion_num::text::number;
use trunnion_results::nearest;
use trunnion_study::Monitor;
use trunnion_study::simulate::{Overrides, Point, describe, point};

#[derive(Args, Debug)]
pub struct LinearizeArgs {
    /// The model file
    pub model: String,
    #[command(flatten)]
    pub point: PointArgs,
    /// Inputs of the linear model: inputs, parameters or modes; default: the model's inputs
    #[arg(long, value_name = "U,…", value_delimiter = ',')]
    pub inputs: Vec<String>,
    /// Outputs of the linear model, `*` for anything; default: the states
    #[arg(long, value_name = "Y,…", value_delimiter = ',')]
    pub outputs: Vec<String>,
    /// Write the matrices, as .json or .csv
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the frequency response, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub bode: Option<PathBuf>,
    /// Draw the poles, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub poles: Option<PathBuf>,
    /// Frequencies of the response, in Hz, as 0.1:100; default: around the poles
    #[arg(long, value_name = "FROM:TO")]
    pub frequencies: Option<String>,
    #[command(flatten)]
    pub given: Given,
}

/// Where a model is made linear.
#[derive(Args, Clone, Debug, Default)]
pub struct PointArgs {
    /// Linearize where a run is at this time, in seconds; default: at the start
    #[arg(long, value_name = "S", allow_negative_numbers = true, conflicts_with = "balance")]
    pub at: Option<f64>,
    /// Linearize at the static equilibrium
    #[arg(long)]
    pub balance: bool,
    /// Unknowns to keep while looking for the equilibrium
    #[arg(long, value_name = "X,…", value_delimiter = ',', requires = "balance")]
    pub hold: Vec<String>,
    /// Solver of a run
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Relative tolerance of a run
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub rtol: Option<f64>,
}

impl PointArgs {
    /// The model there, and the place in words.
    pub fn find(&self, project: &Project, monitor: &Monitor) -> Result<(Point, String), Failure> {
        let overrides = Overrides { t_end: None, solver: self.solver.clone(), rtol: self.rtol };
        let mut at = point(project, &overrides, self.at, monitor)?;
        if self.balance {
            let hold = super::balance::held(&project.prepared, &self.hold)?;
            balance_machine(&mut at.machine, at.t, &mut at.y, &hold)
                .map_err(|no_rest| super::balance::refusal(project, at.t, &no_rest))?;
        }
        let place = match (self.balance, self.at) {
            (true, _) => "at rest".to_string(),
            (false, Some(t)) => format!("at t = {} s of a run", number(t, 9)),
            (false, None) => format!("at the start, t = {} s", number(at.t, 9)),
        };
        Ok((at, place))
    }
}

/// A quantity of the linear model.
#[derive(Clone, Debug)]
pub struct Signal {
    pub name: String,
    pub unit: Unit,
    /// Value at the point, in its unit.
    pub value: f64,
}

impl Signal {
    /// `x [mm]`.
    pub fn label(&self) -> String {
        if self.unit.text.is_empty() {
            self.name.clone()
        } else {
            format!("{} [{}]", self.name, self.unit.text)
        }
    }
}

/// The linear model with names, in the units shown.
pub struct Shown {
    pub title: String,
    /// "at the start, t = 0 s".
    pub place: String,
    pub t: f64,
    pub states: Vec<Signal>,
    pub inputs: Vec<Signal>,
    pub outputs: Vec<Signal>,
    pub linear: LinearModel,
    /// The same in SI.
    pub si: LinearModel,
    pub poles: Vec<Pole>,
}

pub fn execute(args: &LinearizeArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.given.sets())?;
    let frequencies = args.frequencies.as_deref().map(bode::range).transpose()?;
    let inputs = inputs(&project, &args.inputs)?;
    let outputs = outputs(&project, &args.outputs)?;
    if args.bode.is_some() && inputs.is_empty() {
        return Err(no_inputs());
    }
    let (mut at, place) = args.point.find(&project, &session.monitor)?;
    let shown = Shown::at(&project, &mut at, place, &inputs, &outputs)?;
    show(&shown);
    if let Some(path) = &args.out {
        export::write(&shown, path)?;
        say(format_args!("\nmatrices in {}", path.display()));
    }
    if let Some(path) = &args.poles {
        let poles: Vec<(f64, f64)> = shown.poles.iter().map(|p| (p.re, p.im)).collect();
        let mut chart = plot::views::poles(&poles);
        (chart.title, chart.subtitle) = (shown.title.clone(), format!("poles {}", shown.place));
        plot::save(&chart, path)?;
        say(format_args!("poles drawn in {}", path.display()));
    }
    if let Some(path) = &args.bode {
        let mut chart = plot::views::bode(&bode::responses(&shown, frequencies));
        (chart.title, chart.subtitle) = (shown.title.clone(), format!("frequency response {}", shown.place));
        plot::save(&chart, path)?;
        say(format_args!("frequency response drawn in {}", path.display()));
    }
    Ok(())
}

fn no_inputs() -> Failure {
    Failure::usage_hint(
        "a frequency response needs an input, and the model has none",
        "name inputs, parameters or modes with --inputs",
    )
}

/// Parameters, inputs and modes by name.
pub fn inputs(project: &Project, names: &[String]) -> Result<Vec<Symbol>, Failure> {
    let system = &project.prepared.system;
    let hidden = |s: Symbol| system.relations.iter().any(|r| r.mode == s);
    let all: Vec<Symbol> = system.slow.iter().copied().filter(|&s| !hidden(s)).collect();
    if names.is_empty() {
        let is_input = |s: &Symbol| matches!(system.quantity(*s).kind, Kind::Input { .. });
        return Ok(all.into_iter().filter(is_input).collect());
    }
    let known = |s: &Symbol| system.quantity(*s).name.as_str();
    let find = |name: &String| {
        let found = all.iter().copied().find(|s| known(s) == name);
        found.ok_or_else(|| no_such(name, "input, parameter or mode", all.iter().map(known)))
    };
    names.iter().map(find).collect()
}

/// Columns by name or pattern.
pub fn outputs(project: &Project, patterns: &[String]) -> Result<Vec<usize>, Failure> {
    let prepared = &project.prepared;
    if patterns.is_empty() {
        return Ok((0..prepared.system.n_states).collect());
    }
    let mut found: Vec<usize> = vec![];
    for pattern in patterns {
        let fits = |&i: &usize| matches(pattern, &prepared.columns[i].name);
        let before = found.len();
        let new: Vec<usize> =
            (0..prepared.columns.len()).filter(fits).filter(|i| !found.contains(i)).collect();
        found.extend(new);
        if found.len() == before && !(0..prepared.columns.len()).any(|i| fits(&i)) {
            return Err(no_such(pattern, "signal", prepared.columns.iter().map(|c| c.name.as_str())));
        }
    }
    Ok(found)
}

/// Places in y by name.
pub fn unknowns(project: &Project, names: &[String]) -> Result<Vec<usize>, Failure> {
    let known = &project.prepared.layout.names;
    let find = |name: &String| {
        let found = known.iter().position(|k| k == name);
        found.ok_or_else(|| no_such(name, "state or unknown", known.iter().map(String::as_str)))
    };
    names.iter().map(find).collect()
}

pub(crate) fn no_such<'a>(name: &str, what: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let near = nearest(name, known);
    let hint = match near.as_slice() {
        [] => "`trunnion equations` lists all names".to_string(),
        near => format!(
            "did you mean {}?",
            near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" or ")
        ),
    };
    Failure::usage_hint(format!("there is no {what} `{name}`"), hint)
}

impl Shown {
    /// The model at a point, made linear.
    pub fn at(
        project: &Project,
        at: &mut Point,
        place: String,
        inputs: &[Symbol],
        outputs: &[usize],
    ) -> Result<Shown, Failure> {
        let linear = linearise(&mut at.machine, at.t, &at.y, inputs, outputs)
            .map_err(|failure| describe(project, &failure))?;
        in_shown_units(project, at, place, inputs, outputs, linear)
    }
}

/// An SI model in the units of its signals: deviations scale by the unit's factor.
fn in_shown_units(
    project: &Project,
    at: &mut Point,
    place: String,
    inputs: &[Symbol],
    outputs: &[usize],
    (si, states): (LinearModel, Vec<usize>),
) -> Result<Shown, Failure> {
    let prepared = &project.prepared;
    let system = &prepared.system;
    let mut row = vec![0.0; prepared.columns.len()];
    at.record(&mut row)?;
    let of = |column: usize| {
        let c = &prepared.columns[column];
        Signal { name: c.name.clone(), unit: c.unit.clone(), value: row[column] }
    };
    // The first columns are the unknowns.
    let states: Vec<Signal> = states.into_iter().map(of).collect();
    let outputs: Vec<Signal> = outputs.iter().map(|&column| of(column)).collect();
    let value = |s: Symbol| system.slow_place(s).map_or(f64::NAN, |place| at.machine.slow(place));
    let input = |&s: &Symbol| {
        let q = system.quantity(s);
        Signal { name: q.name.clone(), unit: q.unit.clone(), value: q.unit.shown(value(s)) }
    };
    let inputs: Vec<Signal> = inputs.iter().map(input).collect();
    let scaled = |m: &Matrix, rows: &[Signal], columns: &[Signal]| {
        Matrix::from_fn(m.rows(), m.columns(), |i, j| {
            m[(i, j)] * columns[j].unit.factor / rows[i].unit.factor
        })
    };
    let poles = si.poles().map_err(|_| Failure::Run {
        message: format!("the poles at t = {} s could not be found", at.t),
        hint: Some("the matrix A has entries that are not finite: look at it with -o FILE.csv".into()),
    })?;
    let linear = LinearModel {
        a: scaled(&si.a, &states, &states),
        b: scaled(&si.b, &states, &inputs),
        c: scaled(&si.c, &outputs, &states),
        d: scaled(&si.d, &outputs, &inputs),
    };
    Ok(Shown { title: project.name.clone(), place, t: at.t, states, inputs, outputs, linear, si, poles })
}

/// Wider matrices are for files.
const WIDEST: usize = 10;
const TALLEST: usize = 40;
const DIGITS: usize = 6;

fn show(shown: &Shown) {
    say(format_args!("{}, linear {}", shown.title, shown.place));
    let parts = [
        ("A", &shown.linear.a, &shown.states, &shown.states),
        ("B", &shown.linear.b, &shown.states, &shown.inputs),
        ("C", &shown.linear.c, &shown.outputs, &shown.states),
        ("D", &shown.linear.d, &shown.outputs, &shown.inputs),
    ];
    for (title, matrix, rows, columns) in parts {
        if matrix.rows() == 0 || matrix.columns() == 0 {
            continue;
        }
        say("");
        if matrix.columns() > WIDEST || matrix.rows() > TALLEST {
            say(format_args!(
                "{title}: {} × {}, to be written with -o FILE",
                matrix.rows(),
                matrix.columns()
            ));
            continue;
        }
        let head = columns.iter().map(Signal::label).collect::<Vec<_>>();
        let head = head.iter().map(|label| (label.as_str(), Align::Right));
        let mut table = Listing::new([(title, Align::Left)].into_iter().chain(head));
        for (i, signal) in rows.iter().enumerate() {
            let label =
                if title < "C" { format!("  der({})", signal.name) } else { format!("  {}", signal.label()) };
            let entries = matrix.row(i).iter().map(|&v| number(v, DIGITS));
            table.push([label].into_iter().chain(entries));
        }
        table.print();
    }
    show_gain(shown);
    show_poles(&shown.poles);
}

/// What a constant input does in the end, where there is such an end.
fn show_gain(shown: &Shown) {
    let settles = !shown.poles.is_empty() && shown.poles.iter().all(|p| p.re < 0.0);
    let Some(gain) = shown.linear.static_gain().filter(|_| settles && !shown.inputs.is_empty()) else {
        return;
    };
    if gain.columns() > WIDEST || gain.rows() > TALLEST {
        return;
    }
    say("");
    let labels: Vec<String> = shown.inputs.iter().map(Signal::label).collect();
    let head = labels.iter().map(|label| (label.as_str(), Align::Right));
    let mut table = Listing::new([("static gain", Align::Left)].into_iter().chain(head));
    for (i, output) in shown.outputs.iter().enumerate() {
        let entries = gain.row(i).iter().map(|&v| number(v, DIGITS));
        table.push([format!("  {}", output.label())].into_iter().chain(entries));
    }
    table.print();
}

pub fn show_poles(poles: &[Pole]) {
    if poles.is_empty() {
        say("\nno states, so no poles");
        return;
    }
    say("");
    let right = |text| (text, Align::Right);
    let mut table = Listing::new([
        ("poles  real [1/s]", Align::Right),
        right("imaginary [rad/s]"),
        right("frequency [Hz]"),
        right("damping ratio"),
        right("time constant [s]"),
        ("", Align::Left),
    ]);
    // Zero up to rounding of the fastest pole.
    let zero = 1e-12 * poles.iter().fold(0.0, |m: f64, p| m.max(p.re.hypot(p.im)));
    for pole in poles.iter().filter(|p| p.im >= 0.0) {
        let none = || "–".to_string();
        let size = pole.re.hypot(pole.im);
        let imaginary = if pole.im == 0.0 { "0".into() } else { format!("±{}", number(pole.im, DIGITS)) };
        let damping = if size <= zero { none() } else { number(pole.damping_ratio(), 4) };
        let constant = if pole.re.abs() <= zero { none() } else { number(-1.0 / pole.re, 5) };
        let note = if pole.re > zero { "unstable" } else { "" };
        let frequency = if pole.im == 0.0 { none() } else { number(pole.natural_frequency(), DIGITS) };
        table.push([number(pole.re, DIGITS), imaginary, frequency, damping, constant, note.into()]);
    }
    table.print();
}
