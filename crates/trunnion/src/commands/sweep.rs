//! `trunnion sweep`: one model for many values of its parameters, on all cores.
//!
//! The model is compiled once; each run gets its parameters beside the compiled code, and gives the same bits as
//! `trunnion run --set` with these values.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use trunnion_equations::Symbol;
use trunnion_equations::flat::Kind;
use trunnion_model::units::Unit;
use trunnion_model::{ASSUMED_UNIT, Diagnostic, Run};
use trunnion_sim::run::Settings;
use trunnion_sim::solvers::choose::Entry;

use crate::commands::run::{metadata, seconds};
use crate::failure::Failure;
use crate::given::{Given, answered, completed, measuring};
use crate::listing::{Align, Listing};
use crate::measure::{Measured, Probe, Wanted};
use crate::output::{say, tell};
use crate::parallel::{for_each, workers};
use crate::plot::{Chart, save, views};
use crate::project::{Project, read_model};
use crate::range::{self, Range};
use crate::simulate::{Overrides, settings};
use trunnion_num::text::{count, number};
use trunnion_results::{CANCELLED, COMPLETE, Column, Metadata, Table, Writer};

/// More runs than anybody waits for.
const MOST_RUNS: usize = range::MOST;
/// A longer table is printed only in part where it is in a file too.
const MOST_LINES: usize = 50;
/// Failed runs that are reported one by one.
const MOST_WARNINGS: usize = 5;

#[derive(Args, Clone, Debug, Default)]
pub struct SweepArgs {
    /// The model file
    pub model: String,
    /// Parameter and values: k=100:200:11, k="1 N/m:1000 N/m:4:log" or k=1,2,5; may be given several times
    #[arg(long, short, required = true, value_name = "P=A:B:N")]
    pub param: Vec<String>,
    /// What to measure: 'max(body.x)', min, mean, rms, final, 'at(body.x, 2 s)', 'count(event)', 'time(event, 2)'
    #[arg(long, short, required = true, value_name = "MEASURE")]
    pub measure: Vec<String>,
    /// End of the runs in seconds
    #[arg(long, value_name = "S")]
    pub t_end: Option<f64>,
    /// Solver, by name
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Relative tolerance of adaptive solvers
    #[arg(long, value_name = "X")]
    pub rtol: Option<f64>,
    #[command(flatten)]
    pub given: Given,
    /// Write the table as .csv or .parquet
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the measures over one parameter, or as maps over two, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

pub fn execute(args: &SweepArgs, colour: bool) -> Result<(), Failure> {
    let start = Instant::now();
    let sweep = Sweep::open(args)?;
    sweep.project.show_warnings(colour);
    let n = sweep.runs()?;
    if args.plot.is_some() && sweep.swept.len() > 2 {
        return Err(Failure::usage("a plot takes one or two parameters"));
    }
    let mut writer = args.out.as_ref().map(|path| Writer::open(path, &sweep.header())).transpose()?;
    for note in sweep.swept.iter().filter_map(Swept::assumed_unit) {
        eprintln!("{}", note.render(colour));
    }
    let mut rows: Vec<Option<Vec<f64>>> = vec![None; n];
    let mut failures: Vec<(usize, Failure)> = vec![];
    let mut absent: Vec<(usize, usize, String)> = vec![];
    let mut written = 0;
    let mut lost = None;
    let cancelled = for_each(n, workers(), "runs", &|k| sweep.run(k), |k, result| {
        rows[k] = match result {
            Ok(Measured { values, absent: none }) => {
                absent.extend(none.into_iter().map(|(m, why)| (k, m, why)));
                Some(values)
            }
            // Not finished: as if it had not been begun.
            Err(Failure::Cancelled) => None,
            Err(failure) => {
                failures.push((k, failure));
                Some(vec![f64::NAN; args.measure.len()])
            }
        };
        // In order, so that a killed sweep leaves a table without holes.
        while let (Some(writer), Some(Some(values))) = (&mut writer, rows.get(written)) {
            lost = writer.push_row(&sweep.row(written, values)).err().or(lost.take());
            written += 1;
        }
    });
    if let Some(mut writer) = writer {
        for k in written..n {
            if let Some(values) = &rows[k] {
                lost = writer.push_row(&sweep.row(k, values)).err().or(lost.take());
            }
        }
        writer.finish(if cancelled { CANCELLED } else { COMPLETE }, Metadata::new())?;
    }
    sweep.print(&rows, args.out.is_some());
    if let Some(path) = &args.plot {
        save(&sweep.chart(&rows), path)?;
    }
    sweep.note(&mut absent);
    sweep.warn(&mut failures);
    let done = rows.iter().flatten().count();
    let files: Vec<String> = args.out.iter().chain(&args.plot).map(|p| p.display().to_string()).collect();
    let files = if files.is_empty() { String::new() } else { format!("; {}", files.join(", ")) };
    let failed = if failures.is_empty() { String::new() } else { format!(", {} failed", failures.len()) };
    let time = seconds(start.elapsed().as_secs_f64());
    say(format_args!("\n{}{failed} in {time}{files}", count(done, "run")));
    match (lost, cancelled) {
        (Some(error), _) => Err(error.into()),
        (None, true) => Err(Failure::Cancelled),
        (None, false) if failures.is_empty() => Ok(()),
        (None, false) if failures.len() == n => Err(failures.swap_remove(0).1),
        // The others are in the table, and told.
        (None, false) => Err(Failure::Run {
            message: format!("{} of {} failed", failures.len(), count(n, "run")),
            hint: None,
        }),
    }
}

/// A parameter and the values it takes.
struct Swept {
    name: String,
    symbol: Symbol,
    unit: Unit,
    doc: String,
    /// In `unit`.
    values: Vec<f64>,
    log: bool,
    /// Some value was given without a unit.
    bare: bool,
}

/// Everything the runs share.
pub struct Sweep {
    project: Project,
    swept: Vec<Swept>,
    probe: Probe,
    solver: &'static Entry,
    settings: Settings,
    /// The model, and how it is changed for all runs, where the settings of a run depend on a swept parameter
    /// (`t_end = "5*tau"`) and have to be read again.
    reread: Option<(String, Vec<String>, Overrides)>,
}

impl Sweep {
    pub fn open(args: &SweepArgs) -> Result<Self, Failure> {
        let wanted = args.measure.iter().map(|m| Wanted::parse(m)).collect::<Result<Vec<_>, _>>()?;
        let signals = wanted.iter().filter_map(Wanted::signal);
        let set = measuring(&args.given.sets(), signals);
        // A parameter that is left open has the values it is swept over.
        let firsts: Vec<String> = args.param.iter().map(|p| first(p)).collect();
        let set = answered(&args.model, &completed(&args.model, &set, &firsts)?)?;
        let project = Project::open(&args.model, &set)?;
        let probe = Probe::new(&project, wanted)?;
        let overrides = Overrides { t_end: args.t_end, solver: args.solver.clone(), rtol: args.rtol };
        let (solver, settings) = settings(&project.run, &overrides)?;
        let mut swept: Vec<Swept> = vec![];
        let mut moves = false;
        for text in &args.param {
            let one = Swept::read(text, &project, &args.model, &set)?;
            if swept.iter().any(|s| s.name == one.name) {
                return Err(Failure::usage(format!("`{}` is swept twice", one.name)));
            }
            // Range and unit are checked by the reader of the model, at both ends.
            for value in [one.values[0], one.values[one.values.len() - 1]] {
                let model = read_model(&args.model, &with(&set, &one.name, value))?;
                moves |= fingerprint(&model.run) != fingerprint(&project.run);
            }
            swept.push(one);
        }
        let reread = moves.then(|| (args.model.clone(), set, overrides));
        Ok(Sweep { project, swept, probe, solver, settings, reread })
    }

    pub fn runs(&self) -> Result<usize, Failure> {
        let product = self.swept.iter().try_fold(1_usize, |n, s| n.checked_mul(s.values.len()));
        product.filter(|n| *n <= MOST_RUNS).ok_or_else(|| {
            Failure::usage(format!("more than {MOST_RUNS} runs: sweep fewer values, or fewer parameters"))
        })
    }

    /// Values of the parameters in run k, in their units; the last parameter changes fastest.
    fn values(&self, mut k: usize) -> Vec<f64> {
        let mut values: Vec<f64> = self
            .swept
            .iter()
            .rev()
            .map(|s| {
                let value = s.values[k % s.values.len()];
                k /= s.values.len();
                value
            })
            .collect();
        values.reverse();
        values
    }

    /// The measures of run k, in the units they are shown in.
    pub fn run(&self, k: usize) -> Result<Measured, Failure> {
        let values = self.values(k);
        let pairs = || self.swept.iter().zip(&values);
        let given: HashMap<Symbol, f64> = pairs().map(|(s, &v)| (s.symbol, s.unit.to_si(v))).collect();
        let own = match &self.reread {
            Some((model, set, overrides)) => {
                let set = pairs().fold(set.clone(), |set, (s, &v)| with(&set, &s.name, v));
                Some(settings(&read_model(model, &set)?.run, overrides)?.1)
            }
            None => None,
        };
        let settings = own.as_ref().unwrap_or(&self.settings);
        let (measured, outcome) = self.probe.run(&self.project, &given, (self.solver, settings))?;
        outcome.check()?;
        Ok(measured)
    }

    fn header(&self) -> Table {
        let parameters = self.swept.iter().map(|s| Column::new(&s.name, &s.unit.text, &s.doc));
        let wanted = self.probe.wanted().iter().enumerate();
        let measures = wanted.map(|(k, w)| Column::new(w.to_string(), &self.probe.unit(k).text, ""));
        Table {
            columns: parameters.chain(measures).collect(),
            metadata: metadata(&self.project, self.solver.name, &self.settings),
        }
    }

    fn row(&self, k: usize, measured: &[f64]) -> Vec<f64> {
        let mut row = self.values(k);
        row.extend(measured);
        row
    }

    fn print(&self, rows: &[Option<Vec<f64>>], in_file: bool) {
        let head: Vec<String> = self.header().columns.iter().map(Column::label).collect();
        let mut listing = Listing::new(head.iter().map(|h| (h.as_str(), Align::Right)));
        let done: Vec<usize> = (0..rows.len()).filter(|&k| rows[k].is_some()).collect();
        let skipped = if in_file { done.len().saturating_sub(MOST_LINES) } else { 0 };
        let shown = (done.len() - skipped).div_ceil(2);
        for (place, &k) in done.iter().enumerate() {
            if skipped > 0 && place == shown {
                listing.push([format!("… {skipped} more")]);
            }
            if skipped > 0 && (shown..shown + skipped).contains(&place) {
                continue;
            }
            let values = rows[k].as_deref().unwrap_or_default();
            let cell = |v: &f64| if v.is_nan() { "–".to_string() } else { number(*v, 6) };
            listing.push(self.row(k, values).iter().map(cell));
        }
        listing.print();
    }

    /// "k = 100 N/m, c = 2 N s/m" of run k.
    fn named(&self, k: usize) -> String {
        let values = self.values(k);
        let at = self.swept.iter().zip(values).map(|(s, v)| format!("{} = {}", s.name, shown(v, &s.unit)));
        at.collect::<Vec<_>>().join(", ")
    }

    /// Says why measures have no value.
    fn note(&self, absent: &mut [(usize, usize, String)]) {
        absent.sort();
        for (k, m, why) in absent.iter().take(MOST_WARNINGS) {
            tell(format_args!("note: {}: `{}` has no value: {why}", self.named(*k), self.probe.wanted()[*m]));
        }
        if absent.len() > MOST_WARNINGS {
            eprintln!("note: {} more without a value", count(absent.len() - MOST_WARNINGS, "measure"));
        }
    }

    /// Says why runs failed.
    fn warn(&self, failures: &mut [(usize, Failure)]) {
        failures.sort_by_key(|(k, _)| *k);
        for (k, failure) in failures.iter().take(MOST_WARNINGS) {
            tell(format_args!("warning: {}: {}", self.named(*k), failure.reason()));
        }
        if failures.len() > MOST_WARNINGS {
            eprintln!("warning: {} more failed", count(failures.len() - MOST_WARNINGS, "run"));
        }
    }

    fn chart(&self, rows: &[Option<Vec<f64>>]) -> Chart {
        let header = self.header();
        let (parameters, measures) = header.columns.split_at(self.swept.len());
        let with = |column: &Column, values: Vec<f64>| Column { values, ..column.clone() };
        let measured = |k: usize, m: usize| rows[k].as_ref().map_or(f64::NAN, |row| row[m]);
        let axes: Vec<Column> =
            parameters.iter().zip(&self.swept).map(|(c, s)| with(c, s.values.clone())).collect();
        let mut chart = match axes.as_slice() {
            [x, y] => {
                // Rows of a map belong to one y; here the last parameter, y, changes fastest.
                let (nx, ny) = (x.values.len(), y.values.len());
                let z = |m: usize| (0..nx * ny).map(|at| measured(at % nx * ny + at / nx, m)).collect();
                let maps = measures.iter().enumerate().map(|(m, c)| views::sweep_map(x, y, &with(c, z(m))));
                let mut charts = maps.collect::<Vec<_>>().into_iter();
                let mut first = charts.next().unwrap_or_default();
                first.panels.extend(charts.flat_map(|c| c.panels));
                first.panels.iter_mut().for_each(|p| p.y.log = self.swept[1].log);
                first
            }
            _ => {
                let y = |m: usize| (0..rows.len()).map(|k| measured(k, m)).collect();
                let columns: Vec<Column> = measures.iter().enumerate().map(|(m, c)| with(c, y(m))).collect();
                views::sweep(&axes[0], &columns.iter().collect::<Vec<_>>())
            }
        };
        chart.x.log = self.swept[0].log;
        chart.title = self.project.name.clone();
        chart
    }
}

impl Swept {
    fn read(text: &str, project: &Project, model: &str, set: &[String]) -> Result<Self, Failure> {
        let (name, range) = range::split(text)?;
        let (name, system) = (name.to_string(), &project.prepared.system);
        let symbol = match find(&name, project) {
            Some(symbol) => symbol,
            None => {
                // The reader of models knows what can be set, and what may have been meant.
                read_model(model, &[set.to_vec(), vec![first(text)]].concat())?;
                return Err(Failure::usage_hint(
                    format!("`{name}` cannot be swept"),
                    "parameters, inputs and start values (body.start.x) can; for the rest, `trunnion run --set`",
                ));
            }
        };
        let quantity = system.quantity(symbol);
        let unit = range::unit(&quantity.unit);
        let difference = project.differences.contains(&name);
        let Range { values, log, bare } = Range::read(text, &name, range, &unit, difference)?;
        Ok(Swept { name, symbol, unit, doc: quantity.doc.clone(), values, log, bare })
    }
}

impl Swept {
    /// How numbers without a unit were read.
    fn assumed_unit(&self) -> Option<Diagnostic> {
        let in_unit = self.bare && !["", "1"].contains(&self.unit.text.as_str());
        let ends = [self.values.first()?, self.values.last()?].map(|&v| shown(v, &self.unit));
        let note = Diagnostic::note(ASSUMED_UNIT, format!("{} read as {} … {}", self.name, ends[0], ends[1]));
        in_unit.then(|| note.hint(format!("as in -p {}=\"{}:{}:3\"", self.name, ends[0], ends[1])))
    }
}

/// "k=100" of "k=100:200:11".
fn first(text: &str) -> String {
    let (name, range) = text.split_once('=').unwrap_or((text, ""));
    format!("{}={}", name.trim(), range.split([':', ',']).next().unwrap_or_default().trim())
}

/// The quantity a name means: a parameter, an input or mode, or, with `start.`, a start value.
fn find(name: &str, project: &Project) -> Option<Symbol> {
    let system = &project.prepared.system;
    let starts = |kind: &Kind| matches!(kind, Kind::Unknown { .. });
    if let Some(symbol) = system.find(name).filter(|&s| !starts(&system.quantity(s).kind)) {
        return Some(symbol);
    }
    let variable = match name.rsplit_once("start.")? {
        (path, variable) if path.is_empty() || path.ends_with('.') => format!("{path}{variable}"),
        _ => return None,
    };
    system.find(&variable).filter(|&s| starts(&system.quantity(s).kind))
}

fn shown(value: f64, unit: &Unit) -> String {
    if unit.text.is_empty() { format!("{value:?}") } else { format!("{value:?} {}", unit.text) }
}

/// A bare number counts in the unit of the parameter.
fn with(set: &[String], name: &str, value: f64) -> Vec<String> {
    let mut set = set.to_vec();
    set.push(format!("{name}={value:?}"));
    set
}

/// What of the settings could depend on a parameter.
fn fingerprint(run: &Run) -> String {
    format!("{:?}", Run { solver_span: None, ..run.clone() })
}
