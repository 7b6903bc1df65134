//! Charts put together, and what is marked and listed beside them.

use trunnion_engine::Failure;

use crate::DrawingError;
use trunnion_model::units::{Unit, parse_unit, parse_value};
use trunnion_num::spectrum::Peak;
use trunnion_num::text::{number, with_unit};
use trunnion_results::Column;

use super::{Chart, Indicator, Series, SeriesStyle, Statistics};
use crate::listing::{Align, Listing};

/// Charts over one x, one below the other.
pub fn stacked(charts: Vec<Chart>) -> Chart {
    let mut charts = charts.into_iter();
    let mut first = charts.next().unwrap_or_default();
    first.panels.extend(charts.flat_map(|c| c.panels));
    first
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

/// Dashes the signals of this run, where they would hide those of another.
pub fn dash(chart: &mut Chart, run: &str) {
    let beginning = format!("{run}: ");
    let series = chart.panels.iter_mut().flat_map(|panel| &mut panel.series);
    series.filter(|series| series.name.starts_with(&beginning)).for_each(|series| series.dashed = true);
}

/// A panel with one signal of several runs has its name on the axis, and the runs in the legend: "full: e" and "reduced: e" are "full" and
/// "reduced" of e.
pub fn named_on_axes(chart: &mut Chart) {
    for panel in &mut chart.panels {
        let parts: Vec<(String, String)> = panel
            .series
            .iter()
            .filter_map(|s| s.name.split_once(": ").map(|(run, name)| (run.to_string(), name.to_string())))
            .collect();
        let common = parts.first().map(|(_, name)| name.clone());
        let Some(name) = common.filter(|name| parts.iter().all(|(_, other)| other == name)) else { continue };
        if parts.len() == panel.series.len() && parts.len() > 1 {
            panel.series.iter_mut().zip(parts).for_each(|(series, (run, _))| series.name = run);
            panel.y.label = name;
        }
    }
}

/// Lowest and highest value with their places, mean and rms of every series.
pub fn statistics(chart: &Chart) -> Listing {
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

/// "mm²/Hz".
pub fn squared(unit: &str) -> String {
    match unit {
        "" => "1/Hz".into(),
        simple if simple.chars().all(char::is_alphabetic) => format!("{simple}²/Hz"),
        other => format!("({other})²/Hz"),
    }
}

/// A marker on every peak that is listed, and the frequency of the highest one of each panel.
pub fn mark(chart: &mut Chart, listed: &[(&Column, Vec<Peak>)]) {
    for panel in &mut chart.panels {
        let mine = listed.iter().filter(|(c, _)| panel.series.iter().any(|s| s.name == c.name));
        let peaks: Vec<Peak> = mine.flat_map(|(_, peaks)| peaks.iter().copied()).collect();
        let Some(top) = peaks.iter().max_by(|p, q| p.amplitude.total_cmp(&q.amplitude)) else { continue };
        let label = format!("{} Hz", number(top.frequency, 4));
        panel.lines.push(Indicator::Vertical { x: top.frequency, label });
        let (x, y) = peaks.iter().map(|p| (p.frequency, p.amplitude)).unzip();
        panel.series.push(Series { style: SeriesStyle::Markers, ..Series::new("", x, y) });
    }
}

/// Frequency and size of the peaks of every signal.
pub fn list_peaks(found: &[(&Column, Vec<Peak>)], what: &str, unit: fn(&str) -> String) -> Listing {
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

/// A line across the panels.
#[derive(Debug, PartialEq)]
pub struct PanelLine {
    vertical: bool,
    /// In SI if there is a unit.
    value: f64,
    unit: Option<Unit>,
    label: String,
}

impl PanelLine {
    /// "y=3", "y=210 bar:limit", "x=0.5".
    pub fn read(text: &str) -> Result<Self, Failure> {
        let wrong = || Failure::from(DrawingError::Line { text: text.into() });
        let (axis, rest) = text.split_once('=').ok_or_else(wrong)?;
        let vertical = match axis.trim() {
            "x" => true,
            "y" => false,
            _ => return Err(wrong()),
        };
        let (value, label) = rest.split_once(':').unwrap_or((rest, ""));
        let value = parse_value(value).map_err(|_| wrong())?;
        let unit = Some(value.unit).filter(|u| !u.text.is_empty());
        Ok(PanelLine { vertical, value: value.si, unit, label: label.trim().to_string() })
    }

    /// A bare number goes to every panel, one with a unit where that fits.
    pub fn draw(&self, chart: &mut Chart) {
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
    use super::super::views;
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
    fn one_signal_of_several_runs_stands_on_the_axis() {
        let t = column("time", "s", &[0.0, 1.0]);
        let chart = |name: &str, unit: &str| views::history(&t, &[&column(name, unit, &[1.0, 2.0])]);
        let mut all =
            merged(vec![chart("a: x", "m"), chart("b: x", "m"), chart("a: p", "Pa"), chart("b: q", "Pa")]);
        named_on_axes(&mut all);
        let names = |k: usize| all.panels[k].series.iter().map(|s| s.name.as_str()).collect::<Vec<_>>();
        assert_eq!((names(0), all.panels[0].y.text()), (vec!["a", "b"], "x [m]".to_string()));
        assert_eq!((names(1), all.panels[1].y.text()), (vec!["a: p", "b: q"], "[Pa]".to_string()));
    }

    #[test]
    fn stairs_hold_their_value() {
        let t = column("time", "s", &[0.0, 1.0, 1.0, 3.0]);
        let u = Column { held: true, ..column("u", "V", &[1.0, 1.0, 4.0, 7.0]) };
        let chart = views::history(&t, &[&u]);
        let series = &chart.panels[0].series[0];
        let expected = [(0.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 4.0), (3.0, 4.0), (3.0, 7.0)];
        assert_eq!(series.drawn(), expected);
        // (1·1 + 2·4)/3, where straight lines would give (1 + 11)/3.
        assert_eq!(Statistics::of(series).unwrap().mean, 3.0);
    }

    #[test]
    fn a_line_goes_where_its_unit_fits() {
        let t = column("time", "s", &[0.0, 1.0]);
        let mut chart =
            views::history(&t, &[&column("p", "bar", &[0.0, 300.0]), &column("x", "mm", &[0.0, 1.0])]);
        PanelLine::read("y=21 MPa:limit").unwrap().draw(&mut chart);
        PanelLine::read("x=0.5").unwrap().draw(&mut chart);
        let [Indicator::Horizontal { y, label }, Indicator::Vertical { x, .. }] = &chart.panels[0].lines[..]
        else {
            panic!("{:?}", chart.panels[0].lines)
        };
        assert_eq!((y.round(), label.as_str(), *x), (210.0, "limit", 0.5));
        assert_eq!(chart.panels[1].lines.len(), 1);
        assert!(PanelLine::read("z=1").is_err() && PanelLine::read("y=high").is_err());
    }
}
