//! `trunnion plot`: time histories, phase planes and spectra of results, or of models that are run for it; or pictures of mechanisms.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::picture::{self, PictureArgs};
use crate::failure::usage_hint;
use crate::options::{RunOptions, time};
use crate::output::{Print, say};
use crate::session::{Session, tell_proposed, tell_stopped};
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::{
    Chart, Panel, PanelLine, list_peaks, mark, merged, named_on_axes, save, squared, stacked, statistics,
    views,
};
use trunnion_engine::Failure;
use trunnion_num::spectrum::{Peak, Spectrum, Window, resample, spectrum};
use trunnion_num::text::{count, number};
use trunnion_num::welch::averaged;
use trunnion_results::{COMPLETE, Column};
use trunnion_study::display;
use trunnion_study::signals::{RunChanges, RunSignals, labels, title};

/// Signals that are drawn where none are named.
const MOST_UNASKED: usize = 8;
/// A spectrum is drawn up to so many times the frequency of the highest of them.
const BEYOND: f64 = 3.0;

#[derive(Args, Clone, Debug, Default)]
pub struct PlotArgs {
    /// Results (.parquet, .csv, or the .partial of a killed run), or models, which are run
    #[arg(required = true, value_name = "RESULTS")]
    pub files: Vec<String>,
    /// Signals, separated by commas, with * for anything, a panel for each unit; every further -y begins new panels;
    /// default: those the model names, or the first eight
    #[arg(short, value_name = "NAMES")]
    pub y: Vec<String>,
    /// Signals of one dimension share a panel, in the unit of the first: mm with m, bar with Pa
    #[arg(long)]
    pub by_dimension: bool,
    /// Draw over this signal instead of time
    #[arg(short, value_name = "NAME")]
    pub x: Option<String>,
    /// Amplitude spectra, with a list of peaks
    #[arg(long, conflicts_with = "x")]
    pub fft: bool,
    /// Power densities, averaged over segments that overlap by half, with a list of peaks
    #[arg(long, conflicts_with_all = ["x", "fft"])]
    pub psd: bool,
    /// Window of the spectra
    #[arg(long, default_value = "hann", value_name = "WINDOW")]
    pub window: WindowName,
    /// Segments of a power density
    #[arg(long, default_value_t = 8, requires = "psd", value_name = "N")]
    pub segments: usize,
    /// Peaks of a spectrum to list and mark
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub peaks: usize,
    /// Only from this time on: 2, "200 ms"
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    pub from: Option<f64>,
    /// Only up to this time
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true)]
    pub to: Option<f64>,
    /// A line across: y="210 bar", x=0.5, with a label y=3:limit; may be given several times
    #[arg(long, value_name = "AXIS=VALUE")]
    pub line: Vec<String>,
    /// List minimum, maximum with their times, mean and rms; mark them, and give them in the legend
    #[arg(long)]
    pub stats: bool,
    /// Only list the signals
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub picture: PictureArgs,
    #[command(flatten)]
    pub options: RunOptions,
    /// The picture, as .svg or .png; default: the first file's name with .svg, in this folder
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum WindowName {
    /// For whole periods
    #[value(alias = "rectangular")]
    None,
    #[default]
    Hann,
    Hamming,
    Blackman,
    /// For amplitudes
    #[value(alias = "flattop")]
    FlatTop,
}

impl From<WindowName> for Window {
    fn from(name: WindowName) -> Self {
        match name {
            WindowName::None => Window::None,
            WindowName::Hann => Window::Hann,
            WindowName::Hamming => Window::Hamming,
            WindowName::Blackman => Window::Blackman,
            WindowName::FlatTop => Window::FlatTop,
        }
    }
}

pub fn execute(args: &PlotArgs, session: &Session) -> Result<(), Failure> {
    if let Some(view) = args.picture.view {
        return picture::execute(args, view.into(), session);
    }
    let units = display::parse("--units ", args.options.given.units.as_deref().unwrap_or_default())?;
    let changes = RunChanges { set: args.options.sets(), units, overrides: args.options.overrides() };
    let mut all = args
        .files
        .iter()
        .map(|f| RunSignals::open(&session.workspace, f, &changes, &[], &session.monitor))
        .collect::<Result<Vec<_>, _>>()?;
    for signals in &all {
        tell_proposed(&signals.proposed);
        tell_stopped(&signals.path, signals.stopped.as_ref());
    }
    if args.list {
        all.iter().for_each(list);
        return Ok(());
    }
    let out = args.out.clone().unwrap_or_else(|| format!("{}.svg", all[0].name).into());
    all.iter_mut().for_each(|signals| signals.cut(args.from, args.to));
    let lines = args.line.iter().map(|text| PanelLine::read(text)).collect::<Result<Vec<_>, _>>()?;
    let mut chart = match (args.fft, args.psd) {
        (true, _) => spectra(&all, args)?,
        (_, true) => densities(&all, args)?,
        _ => histories(&all, args)?,
    };
    if args.stats {
        statistics(&chart).print();
    }
    if all.len() > 1 && !(args.fft || args.psd) {
        named_on_axes(&mut chart);
    }
    lines.iter().for_each(|line| line.draw(&mut chart));
    chart.panels.iter_mut().for_each(|panel| panel.statistics = args.stats);
    (chart.title, chart.subtitle) = title(&all);
    save(&chart, &out)?;
    let named = |p: &Panel| p.series.iter().filter(|s| !s.name.is_empty()).count();
    let drawn: usize = chart.panels.iter().map(named).sum();
    say(format_args!(
        "{}: {}",
        out.display(),
        count(drawn, if args.fft || args.psd { "spectrum" } else { "signal" }).replace("ums", "a")
    ));
    Ok(())
}

fn list(signals: &RunSignals) {
    use Align::{Left, Right};
    let table = &signals.table;
    let ended = table.ended().filter(|e| *e != COMPLETE).map(|e| format!(", {e}")).unwrap_or_default();
    say(format_args!("{}: {}{ended}", signals.path, count(table.rows(), "row")));
    let head =
        [("signal", Left), ("unit", Left), ("min", Right), ("max", Right), ("last", Right), ("", Left)];
    let mut listing = Listing::new(head);
    for column in &table.columns {
        let found = column.extremes(signals.time());
        let last = column.values.last().copied().unwrap_or(f64::NAN);
        let (name, unit) = (column.name.clone(), column.unit.clone());
        let values = [found.min.1, found.max.1, last]
            .map(|x| if x.is_infinite() && table.rows() == 0 { f64::NAN } else { x })
            .map(|x| number(x, 6));
        let same = column.same_as.as_ref().map(|of| format!("same as {of}"));
        let doc = same.unwrap_or_else(|| column.doc.clone());
        listing.push([name, unit].into_iter().chain(values).chain([doc]));
    }
    listing.print();
}

/// The signals to draw of one file, in groups that share panels.
fn chosen<'a>(signals: &'a RunSignals, args: &PlotArgs) -> Result<Vec<Vec<&'a Column>>, Failure> {
    let group = |names: &String| {
        let patterns = names.split(',').map(|n| n.trim().to_string()).filter(|n| !n.is_empty());
        signals.matching(&patterns.collect::<Vec<_>>())
    };
    match args.y.is_empty() {
        false => args.y.iter().map(group).collect(),
        true => Ok(vec![unasked(signals, args)]),
    }
}

/// What is drawn by default.
fn unasked<'a>(signals: &'a RunSignals, args: &PlotArgs) -> Vec<&'a Column> {
    let favourites = signals.favourites();
    if !favourites.is_empty() {
        return favourites;
    }
    let others: Vec<&Column> = signals.table.columns[1..]
        .iter()
        .filter(|c| c.same_as.is_none() && args.x.as_ref() != Some(&c.name))
        .collect();
    if others.len() > MOST_UNASKED {
        eprintln!(
            "drawing the first {MOST_UNASKED} of {} signals; choose with -y, see them with --list",
            others.len()
        );
    }
    others.into_iter().take(MOST_UNASKED).collect()
}

fn histories(all: &[RunSignals], args: &PlotArgs) -> Result<Chart, Failure> {
    let names = labels(all);
    // A chart for each group; files come together in it.
    let mut groups: Vec<Vec<Chart>> = vec![];
    for (signals, name) in all.iter().zip(&names) {
        let x = match &args.x {
            Some(x) => signals.table.column(x)?,
            None => signals.time(),
        };
        for (k, group) in chosen(signals, args)?.iter().enumerate() {
            let mut columns: Vec<Column> = named(group, name, all.len() > 1);
            if args.by_dimension {
                display::in_first_units(&mut columns);
            }
            groups.resize_with(groups.len().max(k + 1), Vec::new);
            groups[k].push(views::history(x, &columns.iter().collect::<Vec<_>>()));
        }
    }
    Ok(stacked(groups.into_iter().map(merged).collect()))
}

/// With several files, each signal says which it is from.
fn named(columns: &[&Column], file: &str, several: bool) -> Vec<Column> {
    let name = |c: &Column| if several { format!("{file}: {}", c.name) } else { c.name.clone() };
    columns.iter().map(|&c| Column { name: name(c), ..c.clone() }).collect()
}

fn spectra(all: &[RunSignals], args: &PlotArgs) -> Result<Chart, Failure> {
    let names = labels(all);
    let mut found: Vec<(Column, Spectrum)> = vec![];
    for (signals, name) in all.iter().zip(&names) {
        for column in named(&chosen(signals, args)?.concat(), name, all.len() > 1) {
            let spectrum = spectrum(&signals.time().values, &column.values, args.window.into())?;
            found.push((column, spectrum));
        }
    }
    let listed: Vec<(&Column, Vec<Peak>)> = found.iter().map(|(c, s)| (c, s.peaks(args.peaks))).collect();
    list_peaks(&listed, "amplitude", |unit| unit.to_string()).print();
    let borrowed: Vec<(&Column, Spectrum)> = found.iter().map(|(c, s)| (c, s.clone())).collect();
    let mut chart = views::spectra(&borrowed);
    // What lies above the highest peak is a flat line.
    let last = found.iter().map(|(_, s)| s.frequency.last().copied().unwrap_or(0.0)).fold(0.0, f64::max);
    let peaks = listed.iter().flat_map(|(_, peaks)| peaks);
    let highest = peaks.map(|p| p.frequency).fold(0.0, f64::max);
    chart.x.range = Some((0.0, (BEYOND * highest).min(last))).filter(|range| range.1 > 0.0);
    mark(&mut chart, &listed);
    Ok(chart)
}

/// Power densities over logarithmic frequencies.
fn densities(all: &[RunSignals], args: &PlotArgs) -> Result<Chart, Failure> {
    let names = labels(all);
    let mut found: Vec<(Column, Spectrum)> = vec![];
    for (signals, name) in all.iter().zip(&names) {
        for column in named(&chosen(signals, args)?.concat(), name, all.len() > 1) {
            let (step, samples) = resample(&signals.time().values, &column.values)?;
            // Half overlapping: n segments of 2/(n + 1) of the length.
            let segment = (2 * samples.len() / (args.segments.max(1) + 1)).min(samples.len());
            let density =
                averaged(step, &samples, &samples, segment, args.window.into()).ok_or_else(|| {
                    let message =
                        format!("{} samples are too few for {} segments", samples.len(), args.segments);
                    usage_hint(message, "average fewer --segments, or write more rows")
                })?;
            // The mean was taken out: there is no line at zero.
            let amplitude = density.s_xx[1..].to_vec();
            found.push((
                column,
                Spectrum {
                    frequency: density.frequency[1..].to_vec(),
                    amplitude,
                    window: args.window.into(),
                },
            ));
        }
    }
    let listed: Vec<(&Column, Vec<Peak>)> =
        found.iter().map(|(c, s)| (c, s.highest_lines(args.peaks))).collect();
    list_peaks(&listed, "density", squared).print();
    let shown = |(c, s): &(Column, Spectrum)| (Column::new(&c.name, squared(&c.unit), ""), s.clone());
    let shown: Vec<(Column, Spectrum)> = found.iter().map(shown).collect();
    let mut chart = views::spectra(&shown.iter().map(|(c, s)| (c, s.clone())).collect::<Vec<_>>());
    chart.x.log = true;
    for panel in &mut chart.panels {
        panel.y.label = panel.y.label.replace("amplitude", "power density");
        (panel.y.log, panel.y.range) = (true, None);
    }
    mark(&mut chart, &listed);
    Ok(chart)
}
