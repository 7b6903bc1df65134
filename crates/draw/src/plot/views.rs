//! The usual charts from columns of a result.

use super::chart::{Chart, ChartAxis, HeatMap, Indicator, Panel, Series, SeriesStyle, TickKind};
use trunnion_num::spectrum::Spectrum;
use trunnion_results::{Column, TIME};

/// Signals over time (or another column), those of one unit together in a panel.
pub fn history(x: &Column, columns: &[&Column]) -> Chart {
    Chart { x: axis(x), panels: panels_by_unit(x, columns, SeriesStyle::Line), ..Chart::default() }
}

/// One signal against others, each turn of time drawn as it went.
#[cfg(test)]
pub(crate) fn phase_plane(x: &Column, columns: &[&Column]) -> Chart {
    history(x, columns)
}

/// A measure or several over one swept parameter.
pub fn sweep(parameter: &Column, measures: &[&Column]) -> Chart {
    let panels = panels_by_unit(parameter, measures, SeriesStyle::LineAndMarkers);
    Chart { x: axis(parameter), panels, ..Chart::default() }
}

/// A measure over two swept parameters: `z[j * x.len() + i]` belongs to the i-th x and the j-th y.
pub fn sweep_map(x: &Column, y: &Column, measure: &Column) -> Chart {
    let heat_map = HeatMap {
        x: x.values.clone(),
        y: y.values.clone(),
        z: measure.values.clone(),
        label: measure.name.clone(),
        unit: measure.unit.clone(),
    };
    let panel = Panel { y: axis(y), heat_map: Some(heat_map), ..Panel::default() };
    Chart { x: axis(x), panels: vec![panel], ..Chart::default() }
}

/// A frequency response: frequency in Hz, magnitude in dB, phase in degrees.
#[derive(Clone, Debug, Default)]
pub struct BodeCurve {
    pub name: String,
    pub frequency: Vec<f64>,
    pub magnitude_db: Vec<f64>,
    pub phase_deg: Vec<f64>,
}

/// Magnitude and phase over the logarithm of frequency.
pub fn bode(responses: &[BodeCurve]) -> Chart {
    let series = |values: fn(&BodeCurve) -> &Vec<f64>| {
        let one = |r: &BodeCurve| Series::new(&r.name, r.frequency.clone(), values(r).clone());
        responses.iter().map(one).collect::<Vec<_>>()
    };
    let magnitude = Panel {
        y: ChartAxis::new("magnitude", "dB"),
        series: series(|response| &response.magnitude_db),
        ..Panel::default()
    };
    let mut phase = Panel {
        y: ChartAxis { ticks: TickKind::Degrees, ..ChartAxis::new("phase", "°") },
        series: series(|response| &response.phase_deg),
        ..Panel::default()
    };
    // The legend above the magnitude holds for both.
    phase.series.iter_mut().for_each(|series| series.name.clear());
    let x = ChartAxis { log: true, ..ChartAxis::new("frequency", "Hz") };
    Chart { x, panels: vec![magnitude, phase], ..Chart::default() }
}

/// Amplitude spectra, each with the name and unit of the column it was made from. The line at zero frequency is the mean, no oscillation: it is
/// left out.
pub fn spectra(spectra: &[(&Column, Spectrum)]) -> Chart {
    let columns: Vec<(Column, &[f64])> = spectra
        .iter()
        .map(|(column, spectrum)| {
            let label = Column::new(&column.name, &column.unit, "");
            let first = usize::from(spectrum.frequency.first() == Some(&0.0));
            let values = spectrum.amplitude[first..].to_vec();
            (Column { values, ..label }, &spectrum.frequency[first..])
        })
        .collect();
    let mut panels: Vec<Panel> = Vec::new();
    for (column, frequency) in &columns {
        let series = Series::new(&column.name, frequency.to_vec(), column.values.clone());
        push_by_unit(&mut panels, column, series);
    }
    for panel in &mut panels {
        panel.y.label = if panel.y.label.is_empty() {
            "amplitude".into()
        } else {
            format!("amplitude of {}", panel.y.label)
        };
        let highest = panel.series.iter().flat_map(|series| &series.y).fold(0.0, |a: f64, b| a.max(*b));
        panel.y.range = Some((0.0, 1.06 * highest)).filter(|range| range.1 > 0.0);
    }
    Chart { x: ChartAxis::new("frequency", "Hz"), panels, ..Chart::default() }
}

/// Poles in the complex plane, with its axes.
pub fn poles(poles: &[(f64, f64)]) -> Chart {
    let (re, im) = poles.iter().copied().unzip();
    let series = Series { style: SeriesStyle::Crosses, ..Series::new("", re, im) };
    let panel = Panel {
        y: ChartAxis::new("imaginary part", "rad/s"),
        series: vec![series],
        lines: vec![
            Indicator::Horizontal { y: 0.0, label: String::new() },
            Indicator::Vertical { x: 0.0, label: String::new() },
        ],
        ..Panel::default()
    };
    Chart { x: ChartAxis::new("real part", "1/s"), panels: vec![panel], ..Chart::default() }
}

fn axis(column: &Column) -> ChartAxis {
    ChartAxis::new(&column.name, &column.unit)
}

fn panels_by_unit(x: &Column, columns: &[&Column], style: SeriesStyle) -> Vec<Panel> {
    let mut panels = Vec::new();
    for column in columns {
        let series = Series::new(&column.name, x.values.clone(), column.values.clone());
        let over_time = x.name == TIME;
        let extremes = column.extremes.filter(|_| over_time);
        let held = column.held && over_time;
        push_by_unit(&mut panels, column, Series { style, extremes, held, ..series });
    }
    panels
}

/// Adds a series to the panel of its unit. An axis of one series has its name, of several only the unit.
fn push_by_unit(panels: &mut Vec<Panel>, column: &Column, series: Series) {
    match panels.iter_mut().find(|panel| panel.y.unit == column.unit) {
        Some(panel) => {
            panel.y.label.clear();
            panel.series.push(series);
        }
        None => panels.push(Panel { y: axis(column), series: vec![series], ..Panel::default() }),
    }
}
