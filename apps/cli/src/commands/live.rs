//! `trunnion live`: a model in real time, driven by keys, recorded, taken up again.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use trunnion_engine::{Failure, Project};
use trunnion_model::live::Move;
use trunnion_model::units::{Dimension, parse_value};
use trunnion_num::text::{count, number};
use trunnion_study::advice::warnings;
use trunnion_study::live::pilot::Pilot;
use trunnion_study::live::setup::{self, LiveEnd, LiveRequest};

use crate::commands::run::seconds;
use crate::failure::usage_hint;
use crate::live::keyboard::Keyboard;
use crate::live::status::{Screen, Terminal};
use crate::options::{RunOptions, time};
use crate::output::{say, tell};
use crate::session::Session;

#[derive(Args, Clone, Debug)]
pub struct LiveArgs {
    /// The model file
    pub model: String,
    /// Periods in a second, with unit or in Hz; default: `rate` of [live], else 1 kHz
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// How long to run, in simulated time; default: until Ctrl-C at a terminal, elsewhere the length of [run]
    #[arg(long, value_name = "TIME", value_parser = time, allow_negative_numbers = true, conflicts_with = "t_end")]
    pub duration: Option<f64>,
    /// Run as fast as possible instead of waiting for the clock
    #[arg(long)]
    pub no_pace: bool,
    /// Write results of every period, as .parquet or .csv
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write every change of an input, for --replay
    #[arg(long, value_name = "FILE.csv")]
    pub inputs: Option<PathBuf>,
    /// Repeat the inputs of a recording instead of reading keys
    #[arg(long, value_name = "FILE.csv")]
    pub replay: Option<PathBuf>,
    /// Write the whole state at the end, and when `s` is pressed
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,
    /// Go on from a snapshot of the same model
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub options: RunOptions,
    /// No line while it runs and no summary
    #[arg(long, short)]
    pub quiet: bool,
}

impl LiveArgs {
    fn request(&self) -> Result<LiveRequest, Failure> {
        if let Some(other) = self.options.method.solver.as_ref().filter(|s| *s != "realtime") {
            return Err(usage_hint(
                format!("a live run cannot use `{other}`: its work in a period has no bound"),
                "leave the solver out; `trunnion run` takes any",
            ));
        }
        let open = std::io::stdin().is_terminal() && !self.no_pace;
        let end = match (self.duration, self.options.t_end) {
            (Some(duration), _) => LiveEnd::After(duration),
            (None, Some(t)) => LiveEnd::At(t),
            (None, None) if open => LiveEnd::Open,
            (None, None) => LiveEnd::OfModel,
        };
        Ok(LiveRequest {
            rate: self.rate.as_deref().map(rate).transpose()?,
            rtol: self.options.method.rtol,
            end,
            paced: !self.no_pace,
            record: self.record.clone(),
            inputs: self.inputs.clone(),
            replay: self.replay.clone(),
            snapshot: self.snapshot.clone(),
            resume: self.resume.clone(),
            snapshot_to: snapshot_path(&self.model),
        })
    }
}

pub fn execute(args: &LiveArgs, session: &Session) -> Result<(), Failure> {
    let request = args.request()?;
    let project = session.open_stored(&args.model, &args.options.sets())?;
    let mut pilot = setup::open(&project, &request, session.monitor.cancel.clone())?;
    if std::io::stdin().is_terminal() && !args.quiet {
        tell_keys(&project, pilot.replay.is_some());
    }
    let keyboard = Keyboard::open(session.monitor.cancel.clone());
    let screen = Screen::open(pilot.labels(), args.quiet);
    pilot.operator = Some(Box::new(Terminal { keyboard, screen }));
    let result = pilot.run();
    let rows = pilot.close(&result, &request)?;
    pilot.live.machine().take_log().iter().for_each(tell);
    let held = pilot.live.machine().holds().to_vec();
    for warning in warnings(&project, &pilot.live.fired(), &held) {
        eprintln!("{}", warning.render(session.colour));
    }
    if !args.quiet {
        summary(args, &mut pilot, rows);
    }
    pilot.verdict(result)
}

fn rate(text: &str) -> Result<f64, Failure> {
    let hint = "write it as --rate \"1 kHz\"";
    let value = parse_value(text).map_err(|e| usage_hint(format!("--rate {text}: {}", e.message), hint))?;
    let frequency = Dimension::ONE / Dimension::TIME;
    if !value.unit.text.is_empty() && value.unit.dimension != frequency {
        let found = value.unit.dimension.quantity();
        return Err(usage_hint(format!("--rate {text} is {found}, no frequency"), hint));
    }
    match value.si > 0.0 {
        true => Ok(value.si),
        false => Err(usage_hint(format!("the rate has to be above 0, but it is {text}"), hint)),
    }
}

fn snapshot_path(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().map_or("live".into(), |s| s.to_string_lossy().into_owned());
    PathBuf::from(format!("{stem}.snapshot"))
}

/// What the keys do, before the line takes the screen: inputs one below the other, keys with the direction they move.
fn tell_keys(project: &Project, replay: bool) {
    let mut inputs: Vec<(&str, Vec<String>)> = vec![];
    for binding in project.live.keys.iter().filter(|_| !replay) {
        let does = match binding.action {
            Move::Step(x) | Move::Hold(x) => format!("{} {}", binding.key, if x < 0.0 { "−" } else { "+" }),
            Move::Set(x) => format!("{} = {}", binding.key, number(x, 4)),
        };
        match inputs.iter_mut().find(|(input, _)| *input == binding.input) {
            Some((_, keys)) => keys.push(does),
            None => inputs.push((&binding.input, vec![does])),
        }
    }
    let width = inputs.iter().map(|(input, _)| input.chars().count()).max().unwrap_or(0);
    for (input, keys) in &inputs {
        tell(format_args!("  {input:width$}  {}", keys.join(", ")));
    }
    tell("  space zero, p pause, s snapshot, Ctrl-C end");
}

fn summary(args: &LiveArgs, pilot: &mut Pilot<'_>, rows: Option<u64>) {
    let Pilot { live, state, period, .. } = pilot;
    let times = &state.times;
    let simulated = times.count() as f64 * *period;
    let [median, most] = [0.5, 0.999].map(|share| seconds(times.share(share)));
    say(&pilot.project.name);
    say(format_args!(
        "  {} s in {}, {} × real time, {} of {}",
        number(simulated, 7),
        seconds(state.wall),
        number(simulated / state.wall, 4),
        count(times.count() as usize, "period"),
        seconds(*period),
    ));
    say(format_args!("  a period took: median {median}, 99.9 % {most}, worst {}", seconds(times.worst)));
    let missed = match args.no_pace {
        true => String::new(),
        false => format!("{}, ", count(state.missed as usize, "missed deadline")),
    };
    say(format_args!(
        "  {missed}{} of work, {}",
        count(live.overruns as usize, "overrun"),
        count(live.events() as usize, "event")
    ));
    if let Some(message) = live.machine().ended_by.clone() {
        say(format_args!("  ended by the model at t = {} s: {message}", live.t()));
    }
    if let (Some(rows), Some(path)) = (rows, &args.record) {
        say(format_args!("  {} in {}", count(rows as usize, "row"), path.display()));
    }
}
