//! `trunnion linearize`: A, B, C, D at a point, poles, frequency response.
//!
//! Matrices are in the units the quantities are shown in, as results are.

use std::path::PathBuf;

use clap::Args;
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::{self, views};
use trunnion_engine::Failure;
use trunnion_num::text::number;
use trunnion_sim::linear::Pole;
use trunnion_study::linear::{
    self, NamedLinearModel, PointChoice, ResponseCurve, Signal, frequencies, inputs, outputs, responses,
    write,
};

use crate::failure::usage_hint;
use crate::given::Given;
use crate::options::{MethodOptions, time};
use crate::output::{Print, say};
use crate::report::AnswerOptions;
use crate::session::Session;

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
    #[command(flatten)]
    pub answer: AnswerOptions,
}

/// Where a model is made linear.
#[derive(Args, Clone, Debug, Default)]
pub struct PointArgs {
    /// Linearize where a run is at this time: 2, "200 ms"; default: at the start
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true, conflicts_with = "balance")]
    pub at: Option<f64>,
    /// Linearize at the static equilibrium
    #[arg(long)]
    pub balance: bool,
    /// Unknowns to keep while looking for the equilibrium
    #[arg(long, value_name = "X,…", value_delimiter = ',', requires = "balance")]
    pub hold: Vec<String>,
    #[command(flatten)]
    pub method: MethodOptions,
}

impl PointArgs {
    pub fn choice(&self) -> PointChoice {
        let (hold, overrides) = (self.hold.clone(), self.method.overrides());
        PointChoice { at: self.at, balance: self.balance, hold, overrides }
    }
}

/// What a linear model does not show of the model at its point.
pub fn say_cautions(shown: &NamedLinearModel) {
    shown.cautions.iter().for_each(|caution| say(format_args!("note: {caution}")));
}

/// Curves of a frequency response, to be drawn.
pub fn curves(list: Vec<ResponseCurve>) -> Vec<views::BodeCurve> {
    let curve = |r: ResponseCurve| views::BodeCurve {
        name: r.name,
        frequency: r.frequency,
        magnitude_db: r.magnitude_db,
        phase_deg: r.phase_deg,
    };
    list.into_iter().map(curve).collect()
}

pub fn execute(args: &LinearizeArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.given.sets())?;
    let range = args.frequencies.as_deref().map(frequencies).transpose()?;
    let inputs = inputs(&project, &args.inputs)?;
    let outputs = outputs(&project, &args.outputs)?;
    if args.bode.is_some() && inputs.is_empty() {
        return Err(no_inputs());
    }
    let mut point = args.point.choice().find(&project, &session.monitor)?;
    let shown = NamedLinearModel::at(&project, &mut point, &inputs, &outputs)?;
    if session.answer(|| linear::document(&shown)).is_none() {
        show(&shown);
    }
    if let Some(path) = &args.out {
        write(&shown, path)?;
        session.note(format_args!("\nmatrices in {}", path.display()));
    }
    if let Some(path) = &args.poles {
        let poles: Vec<(f64, f64)> = shown.poles.iter().map(|p| (p.re, p.im)).collect();
        let mut chart = views::poles(&poles);
        (chart.title, chart.subtitle) = (shown.title.clone(), format!("poles {}", shown.place));
        plot::save(&chart, path)?;
        session.note(format_args!("poles drawn in {}", path.display()));
    }
    if let Some(path) = &args.bode {
        let mut chart = views::bode(&curves(responses(&shown, range)));
        (chart.title, chart.subtitle) = (shown.title.clone(), format!("frequency response {}", shown.place));
        plot::save(&chart, path)?;
        session.note(format_args!("frequency response drawn in {}", path.display()));
    }
    Ok(())
}

fn no_inputs() -> Failure {
    usage_hint(
        "a frequency response needs an input, and the model has none",
        "name inputs, parameters or modes with --inputs",
    )
}

/// Wider matrices are for files.
const WIDEST: usize = 10;
const TALLEST: usize = 40;
const DIGITS: usize = 6;

fn show(shown: &NamedLinearModel) {
    say(format_args!("{}, linear {}", shown.title, shown.place));
    say_cautions(shown);
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
fn show_gain(shown: &NamedLinearModel) {
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
