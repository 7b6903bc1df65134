//! `trunnion stress`: where and when elastic bodies are stressed most, and what that does to their life.

use clap::Args;

use crate::options::RunOptions;
use crate::output::{Print, say};
use crate::report::AnswerOptions;
use crate::session::{Session, tell_stopped};
use trunnion_draw::listing::{Align, Listing};
use trunnion_engine::Failure;
use trunnion_study::signals::run_project;
use trunnion_study::stress::stress_report;

#[derive(Args, Debug)]
pub struct StressArgs {
    /// The model file
    pub model: String,
    /// Points that are listed of each body
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub most: usize,
    #[command(flatten)]
    pub options: RunOptions,
    #[command(flatten)]
    pub answer: AnswerOptions,
}

pub fn execute(args: &StressArgs, session: &Session) -> Result<(), Failure> {
    let project = session.open_and_warn(&args.model, &args.options.sets())?;
    let ran = run_project(&project, &args.options.overrides(), &[], &session.monitor)?;
    tell_stopped(&args.model, ran.stopped.as_ref());
    let report = stress_report(&project, &ran.table, args.most)?;
    if session.answer(|| report.document()).is_some() {
        return Ok(());
    }
    let (heads, rows, lines) = report.listed();
    let align = |k: usize| if k < 2 { Align::Left } else { Align::Right };
    let mut table = Listing::new(heads.into_iter().enumerate().map(|(k, head)| (head, align(k))));
    rows.into_iter().for_each(|row| table.push(row));
    table.print();
    lines.iter().for_each(|line| say(format_args!("\n{line}")));
    Ok(())
}
