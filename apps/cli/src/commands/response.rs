//! `trunnion response`: how an output answers an input at each frequency, from the linear model and from a run driven with
//! noise.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use num_complex::Complex64;
use trunnion_draw::listing::{Align, Listing};
use trunnion_draw::plot::views::bode;
use trunnion_draw::plot::{ChartAxis, Panel, Series, save};
use trunnion_engine::Failure;
use trunnion_engine::given::measuring;
use trunnion_num::text::number;
use trunnion_results::write;
use trunnion_study::linear::{NamedLinearModel, ResponseCurve, frequencies, inputs, outputs, responses};
use trunnion_study::response::{
    Estimate, NoiseDrive, ResponsePlan, around, estimate, largest, linear, spread, table,
};

use super::linearize::{PointArgs, curves, say_cautions};
use crate::failure::usage;
use crate::given::Given;
use crate::output::{Print, say};
use crate::session::Session;

#[derive(Args, Debug)]
pub struct ResponseArgs {
    /// The model file
    pub model: String,
    /// What is driven: an input, a parameter or a mode
    #[arg(long, short, value_name = "U")]
    pub input: String,
    /// What answers: a signal or an expression
    #[arg(long, short = 'y', value_name = "Y")]
    pub output: String,
    /// By the linear model, by a run with noise, or both
    #[arg(long, default_value = "both", value_name = "METHOD")]
    pub method: ResponseMethod,
    /// Frequencies in Hz, as 0.1:100; default: around the poles
    #[arg(long, value_name = "FROM:TO")]
    pub frequencies: Option<String>,
    /// Standard deviation of the noise, in the unit of the input; default: 1 % of its value, or 1
    #[arg(long, value_name = "A")]
    pub amplitude: Option<f64>,
    /// Segments of the noise run that are averaged
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub segments: usize,
    /// Another number is another noise
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Write all lines as .csv or .parquet
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw magnitude, phase and coherence, as .svg or .png
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub point: PointArgs,
    #[command(flatten)]
    pub given: Given,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ResponseMethod {
    Linear,
    Noise,
    #[default]
    Both,
}

/// Lines of the table.
const LISTED: usize = 20;

pub fn execute(args: &ResponseArgs, session: &Session) -> Result<(), Failure> {
    let wanted = args.frequencies.as_deref().map(frequencies).transpose()?;
    let project =
        session.open_and_warn(&args.model, &measuring(&args.given.sets(), [args.output.as_str()]))?;
    let input = inputs(&project, std::slice::from_ref(&args.input))?;
    let output = outputs(&project, std::slice::from_ref(&args.output))?;
    if output.len() != 1 {
        return Err(usage(format!("`{}` is more than one signal", args.output)));
    }
    let mut point = args.point.choice().find(&project, &session.monitor)?;
    let shown = NamedLinearModel::at(&project, &mut point, &input, &output)?;
    let frequencies = wanted.unwrap_or_else(|| around(&shown));
    let noise = match args.method {
        ResponseMethod::Linear => None,
        _ => {
            let drive = NoiseDrive {
                amplitude: args.amplitude,
                segments: args.segments,
                seed: args.seed,
                overrides: args.point.choice().overrides,
            };
            let plan = ResponsePlan::new(&shown, frequencies, &drive)?;
            Some(estimate(
                &project,
                point.at,
                (input[0], output[0]),
                &plan,
                &drive,
                &shown,
                &session.monitor,
            )?)
        }
    };
    let grid = match &noise {
        Some(found) => found.frequency.clone(),
        None => spread(frequencies, 10 * LISTED),
    };
    let linear = (args.method != ResponseMethod::Noise).then(|| linear(&shown, &grid));
    say(format_args!(
        "{}, {} from {} {}",
        shown.title,
        shown.outputs[0].label(),
        shown.inputs[0].label(),
        shown.place
    ));
    say_cautions(&shown);
    if let Some(found) = &noise {
        say(found.describe(&shown));
    }
    say("");
    list(&grid, linear.as_deref(), noise.as_ref()).print();
    say(format_args!("\n{}", largest(&grid, linear.as_deref(), noise.as_ref(), &shown)));
    if let Some(path) = &args.out {
        write(&table(&grid, linear.as_deref(), noise.as_ref(), &shown), path)?;
        say(format_args!("{} frequencies in {}", grid.len(), path.display()));
    }
    if let Some(path) = &args.plot {
        draw(&shown, frequencies, linear.is_some(), noise.as_ref(), path)?;
    }
    Ok(())
}

/// About `LISTED` lines, at equal ratios.
fn list(grid: &[f64], linear: Option<&[Complex64]>, noise: Option<&Estimate>) -> Listing {
    let right = |text| (text, Align::Right);
    let mut head = vec![right("frequency [Hz]")];
    if linear.is_some() {
        head.extend([right("linear"), right("phase [°]")]);
    }
    if noise.is_some() {
        head.extend([right("noise run"), right("phase [°]"), right("coherence"), right("± [%]")]);
    }
    let mut table = Listing::new(head);
    let (Some(&first), Some(&last)) = (grid.first(), grid.last()) else { return table };
    let mut shown: Vec<usize> = spread((first, last), LISTED)
        .iter()
        .filter_map(|f| (0..grid.len()).min_by(|&a, &b| (grid[a] - f).abs().total_cmp(&(grid[b] - f).abs())))
        .collect();
    shown.dedup();
    for k in shown {
        let value = |g: Complex64| [number(g.norm(), 5), number(g.arg().to_degrees(), 4)];
        let mut row = vec![number(grid[k], 5)];
        row.extend(linear.into_iter().flat_map(|g| value(g[k])));
        if let Some(found) = noise {
            row.extend(value(found.response[k]));
            row.extend([number(found.coherence[k], 3), number(100.0 * found.error[k], 2)]);
        }
        table.push(row);
    }
    table
}

/// Both curves over each other, and how far the noise run is to be believed.
fn draw(
    shown: &NamedLinearModel,
    frequencies: (f64, f64),
    with_linear: bool,
    noise: Option<&Estimate>,
    path: &Path,
) -> Result<(), Failure> {
    let mut list: Vec<ResponseCurve> = vec![];
    if with_linear {
        list.extend(
            responses(shown, Some(frequencies))
                .into_iter()
                .map(|r| ResponseCurve { name: "linear".into(), ..r }),
        );
    }
    if let Some(found) = noise {
        let near = list.first().map(|c| (c.frequency.clone(), c.phase_deg.clone()));
        list.push(found.curve(near));
    }
    let mut chart = bode(&curves(list));
    if let Some(found) = noise {
        let y = ChartAxis { range: Some((0.0, 1.05)), ..ChartAxis::new("coherence", "") };
        let series = Series::new("", found.frequency.clone(), found.coherence.clone());
        chart.panels.push(Panel { y, series: vec![series], ..Panel::default() });
    }
    chart.title = shown.title.clone();
    chart.subtitle = format!("{} from {} {}", shown.outputs[0].label(), shown.inputs[0].label(), shown.place);
    save(&chart, path)?;
    say(format_args!("drawn in {}", path.display()));
    Ok(())
}
