//! `trunnion plot`: time histories, phase planes and spectra of results, or of models that are run for it; or pictures of mechanisms.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use trunnion_model::units::{parse_unit, parse_value};

use super::picture::{self, PictureArgs};
use crate::given::Given;
use crate::output::{Print, say};
use crate::session::{Session, tell_proposed, tell_stopped};
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::{Chart, Indicator, Panel, Series, Statistics, Style, save, views};
use trunnion_engine::Failure;
use trunnion_num::spectrum::{Peak, Spectrum, Window, resample, spectrum};
use trunnion_num::text::{count, number, with_unit};
use trunnion_num::welch::averaged;
use trunnion_results::{COMPLETE, Column};
use trunnion_study::display;
use trunnion_study::signals::{Changes, Signals, labels};

/// Signals that are drawn where nobody says which.
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
    /// Only from this time on, in seconds
    #[arg(long, value_name = "S")]
    pub from: Option<f64>,
    /// Only up to this time, in seconds
    #[arg(long, value_name = "S")]
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
    pub given: Given,
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
    let units = display::parse("--units ", args.given.units.as_deref().unwrap_or_default())?;
    let changes = Changes { set: args.given.sets(), units, ..Changes::default() };
    let mut all = args
        .files
        .iter()
        .map(|f| Signals::open(&session.workspace, f, &changes, &[], &session.monitor))
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
    all.iter_mut().for_each(|signals| cut(signals, args));
    let lines = args.line.iter().map(|text| Line::read(text)).collect::<Result<Vec<_>, _>>()?;
    let mut chart = match (args.fft, args.psd) {
        (true, _) => spectra(&all, args)?,
        (_, true) => densities(&all, args)?,
        _ => histories(&all, args)?,
    };
    if args.stats {
        statistics(&chart).print();
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

fn list(signals: &Signals) {
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
        listing.push([name, unit].into_iter().chain(values).chain([column.doc.clone()]));
    }
    listing.print();
}

/// Leaves the rows between `--from` and `--to`.
fn cut(signals: &mut Signals, args: &PlotArgs) {
    let (from, to) = (args.from.unwrap_or(f64::NEG_INFINITY), args.to.unwrap_or(f64::INFINITY));
    let kept: Vec<bool> = signals.time().values.iter().map(|t| (from..=to).contains(t)).collect();
    for column in &mut signals.table.columns {
        let mut keep = kept.iter();
        column.values.retain(|_| keep.next().copied().unwrap_or(false));
        column.extremes = column.extremes.and_then(|e| e.within(from, to));
    }
}

/// The signals to draw of one file, in groups that share panels.
fn chosen<'a>(signals: &'a Signals, args: &PlotArgs) -> Result<Vec<Vec<&'a Column>>, Failure> {
    let group = |names: &String| {
        let patterns = names.split(',').map(|n| n.trim().to_string()).filter(|n| !n.is_empty());
        signals.matching(&patterns.collect::<Vec<_>>())
    };
    match args.y.is_empty() {
        false => args.y.iter().map(group).collect(),
        true => Ok(vec![unasked(signals, args)]),
    }
}

/// What is drawn where nobody says.
fn unasked<'a>(signals: &'a Signals, args: &PlotArgs) -> Vec<&'a Column> {
    let favourites = signals.favourites();
    if !favourites.is_empty() {
        return favourites;
    }
    let others: Vec<&Column> =
        signals.table.columns[1..].iter().filter(|c| args.x.as_ref() != Some(&c.name)).collect();
    if others.len() > MOST_UNASKED {
        eprintln!(
            "drawing the first {MOST_UNASKED} of {} signals; choose with -y, see them with --list",
            others.len()
        );
    }
    others.into_iter().take(MOST_UNASKED).collect()
}

fn histories(all: &[Signals], args: &PlotArgs) -> Result<Chart, Failure> {
    let names = labels(all);
    // A chart for each group; files come together in it.
    let mut groups: Vec<Vec<Chart>> = vec![];
    for (signals, name) in all.iter().zip(&names) {
        let x = match &args.x {
            Some(x) => signals.table.column(x)?,
            None => signals.time(),
        };
        for (k, group) in chosen(signals, args)?.iter().enumerate() {
            let columns: Vec<Column> = named(group, name, all.len() > 1);
            groups.resize_with(groups.len().max(k + 1), Vec::new);
            groups[k].push(views::history(x, &columns.iter().collect::<Vec<_>>()));
        }
    }
    Ok(stacked(groups.into_iter().map(merged).collect()))
}

/// Charts over one x, one below the other.
fn stacked(charts: Vec<Chart>) -> Chart {
    let mut charts = charts.into_iter();
    let mut first = charts.next().unwrap_or_default();
    first.panels.extend(charts.flat_map(|c| c.panels));
    first
}

/// Lowest and highest value with their places, mean and rms of every series.
fn statistics(chart: &Chart) -> Listing {
    use Align::{Left, Right};
    let head = [
        ("signal", Left),
        ("min", Right),
        ("at", Right),
        ("max", Right),
        ("at", Right),
        ("mean", Right),
        ("rms", Right),
    ];
    let mut listing = Listing::new(head);
    for (panel, series) in chart.panels.iter().flat_map(|p| p.series.iter().map(move |s| (p, s))) {
        let Some(found) = Statistics::of(series).filter(|_| !series.name.is_empty()) else { continue };
        let value = |v: f64| with_unit(v, &panel.y.unit, 6);
        let place = |x: f64| with_unit(x, &chart.x.unit, 5);
        listing.push([
            series.name.clone(),
            value(found.min.1),
            place(found.min.0),
            value(found.max.1),
            place(found.max.0),
            value(found.mean),
            value(found.rms),
        ]);
    }
    listing
}

/// With several files, each signal says which it is from.
fn named(columns: &[&Column], file: &str, several: bool) -> Vec<Column> {
    let name = |c: &Column| if several { format!("{file}: {}", c.name) } else { c.name.clone() };
    columns.iter().map(|&c| Column { name: name(c), ..c.clone() }).collect()
}

/// All series in the panels of their units.
pub fn merged(charts: Vec<Chart>) -> Chart {
    let mut charts = charts.into_iter();
    let mut first = charts.next().unwrap_or_default();
    for panel in charts.flat_map(|c| c.panels) {
        match first.panels.iter_mut().find(|p| p.y.unit == panel.y.unit) {
            Some(same) => {
                same.y.label.clear();
                same.series.extend(panel.series);
            }
            None => first.panels.push(panel),
        }
    }
    first
}

fn spectra(all: &[Signals], args: &PlotArgs) -> Result<Chart, Failure> {
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
fn densities(all: &[Signals], args: &PlotArgs) -> Result<Chart, Failure> {
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
                    Failure::usage_hint(message, "average fewer --segments, or write more rows")
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

/// "mm²/Hz".
fn squared(unit: &str) -> String {
    match unit {
        "" => "1/Hz".into(),
        simple if simple.chars().all(char::is_alphabetic) => format!("{simple}²/Hz"),
        other => format!("({other})²/Hz"),
    }
}

/// A marker on every peak that is listed, and the frequency of the highest one of each panel.
fn mark(chart: &mut Chart, listed: &[(&Column, Vec<Peak>)]) {
    for panel in &mut chart.panels {
        let mine = listed.iter().filter(|(c, _)| panel.series.iter().any(|s| s.name == c.name));
        let peaks: Vec<Peak> = mine.flat_map(|(_, peaks)| peaks.iter().copied()).collect();
        let Some(top) = peaks.iter().max_by(|p, q| p.amplitude.total_cmp(&q.amplitude)) else { continue };
        let label = format!("{} Hz", number(top.frequency, 4));
        panel.lines.push(Indicator::Vertical { x: top.frequency, label });
        let (x, y) = peaks.iter().map(|p| (p.frequency, p.amplitude)).unzip();
        panel.series.push(Series { style: Style::Markers, ..Series::new("", x, y) });
    }
}

fn list_peaks(found: &[(&Column, Vec<Peak>)], what: &str, unit: fn(&str) -> String) -> Listing {
    let mut listing =
        Listing::new([("signal", Align::Left), ("frequency", Align::Right), (what, Align::Right)]);
    for (column, peaks) in found {
        let mut name = column.name.clone();
        for Peak { frequency, amplitude } in peaks {
            let amplitude = with_unit(*amplitude, &unit(&column.unit), 4);
            listing.push([std::mem::take(&mut name), format!("{} Hz", number(*frequency, 5)), amplitude]);
        }
        if !name.is_empty() {
            listing.push([name, "none".into()]);
        }
    }
    listing
}

/// Name of the model, and how it was run.
fn title(all: &[Signals]) -> (String, String) {
    let of = |s: &Signals, key: &str| s.table.metadata.get(key).cloned();
    let first = of(&all[0], "model").unwrap_or_else(|| all[0].name.clone());
    let same = all.iter().all(|s| of(s, "model").as_ref() == Some(&first));
    let title = if same || all.len() == 1 { first } else { labels(all).join(", ") };
    let subtitle = match (of(&all[0], "solver"), of(&all[0], "rtol").and_then(|r| r.parse::<f64>().ok())) {
        (Some(solver), Some(rtol)) if all.len() == 1 => format!("{solver}, rtol {rtol:e}"),
        _ => String::new(),
    };
    (title, subtitle)
}

/// A line across the panels.
#[derive(Debug, PartialEq)]
struct Line {
    vertical: bool,
    /// In SI if there is a unit.
    value: f64,
    unit: Option<trunnion_model::units::Unit>,
    label: String,
}

impl Line {
    fn read(text: &str) -> Result<Self, Failure> {
        let wrong = || {
            Failure::usage_hint(
                format!("`--line {text}` is not understood"),
                "write y=3, y=\"210 bar\" or x=0.5:label",
            )
        };
        let (axis, rest) = text.split_once('=').ok_or_else(wrong)?;
        let vertical = match axis.trim() {
            "x" => true,
            "y" => false,
            _ => return Err(wrong()),
        };
        let (value, label) = rest.split_once(':').unwrap_or((rest, ""));
        let value = parse_value(value).map_err(|_| wrong())?;
        let unit = Some(value.unit).filter(|u| !u.text.is_empty());
        Ok(Line { vertical, value: value.si, unit, label: label.trim().to_string() })
    }

    /// A bare number goes to every panel, one with a unit where that fits.
    fn draw(&self, chart: &mut Chart) {
        let Chart { panels, x: axis, .. } = chart;
        for panel in panels {
            let shown = if self.vertical { &axis.unit } else { &panel.y.unit };
            let value = match &self.unit {
                None => self.value,
                Some(own) => match parse_unit(shown) {
                    Ok(unit) if unit.dimension == own.dimension => unit.from_si(self.value),
                    _ => continue,
                },
            };
            let label = self.label.clone();
            panel.lines.push(match self.vertical {
                true => Indicator::Vertical { x: value, label },
                false => Indicator::Horizontal { y: value, label },
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, unit: &str, values: &[f64]) -> Column {
        Column { values: values.to_vec(), ..Column::new(name, unit, "") }
    }

    #[test]
    fn signals_of_several_files_share_the_panel_of_their_unit() {
        let t = column("time", "s", &[0.0, 1.0]);
        let chart = |name: &str, unit: &str| views::history(&t, &[&column(name, unit, &[1.0, 2.0])]);
        let all = merged(vec![chart("a: x", "m"), chart("b: x", "m"), chart("b: p", "bar")]);
        let names: Vec<Vec<&str>> =
            all.panels.iter().map(|p| p.series.iter().map(|s| s.name.as_str()).collect()).collect();
        assert_eq!(names, [vec!["a: x", "b: x"], vec!["b: p"]]);
    }

    #[test]
    fn a_line_goes_where_its_unit_fits() {
        let t = column("time", "s", &[0.0, 1.0]);
        let mut chart =
            views::history(&t, &[&column("p", "bar", &[0.0, 300.0]), &column("x", "mm", &[0.0, 1.0])]);
        Line::read("y=21 MPa:limit").unwrap().draw(&mut chart);
        Line::read("x=0.5").unwrap().draw(&mut chart);
        let [Indicator::Horizontal { y, label }, Indicator::Vertical { x, .. }] = &chart.panels[0].lines[..]
        else {
            panic!("{:?}", chart.panels[0].lines)
        };
        assert_eq!((y.round(), label.as_str(), *x), (210.0, "limit", 0.5));
        assert_eq!(chart.panels[1].lines.len(), 1);
        assert!(Line::read("z=1").is_err() && Line::read("y=high").is_err());
    }
}
