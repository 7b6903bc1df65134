//! The commands and their arguments.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use trunnion_engine::Failure;

use crate::commands::{animate, compare, convert, import, plot, sweep, verify};
use crate::commands::{
    balance, completions, equations, examples, linearize, live, lqr, modes, mutants, new, response,
};
use crate::commands::{
    check, components, energy, graph, inverse, page, reduce, run, servo, solvers, stress, workspace,
};
use crate::report::{AnswerFormat, AnswerOptions};
use crate::session::Session;

/// Simulates machines whose mechanism, hydraulics, pneumatics and controller are designed together.
#[derive(Parser, Debug)]
#[command(version, name = "trunnion", max_term_width = 100, after_help = include_str!("help.txt"))]
#[command(help_template = "{about}\n\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}\n")]
pub struct Cli {
    /// Let models read files below this folder too; may be given several times
    #[arg(long, global = true, value_name = "FOLDER")]
    pub allow: Vec<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Report everything that is wrong with models and components
    Check(check::CheckArgs),
    /// Simulate a model and write its results
    Run(run::RunArgs),
    /// Run a model in real time, driven by keys
    Live(live::LiveArgs),
    /// Run models and compare with what they expect of themselves
    Verify(verify::VerifyArgs),
    /// Plant small faults in components and list those that no expectation notices
    Mutants(mutants::MutantsArgs),
    /// Draw signals of results or models, or the mechanism itself
    Plot(plot::PlotArgs),
    /// Write the motion of a mechanism as glTF, for any viewer
    Animate(animate::AnimateArgs),
    /// Run a model for many values of its parameters, on all cores
    Sweep(sweep::SweepArgs),
    /// Compare two results, two models, or one model in two ways
    Compare(compare::CompareArgs),
    /// Convert results between .parquet and .csv
    Convert(convert::ConvertArgs),
    /// Make a model file from a robot description (URDF)
    Import(import::ImportArgs),
    /// Show the equations of a model, sorted, each with its component
    Equations(equations::EquationsArgs),
    /// Show the bond graph of a model with its causality
    Graph(graph::GraphArgs),
    /// Linear model at a point: matrices, poles, frequency response
    Linearize(linearize::LinearizeArgs),
    /// Frequency response, from the linear model and from a run driven with noise
    Response(response::ResponseArgs),
    /// Natural modes at a point: frequencies, damping, the states that take part
    Modes(modes::ModesArgs),
    /// Gains of optimal state feedback
    Lqr(lqr::LqrArgs),
    /// Inertias that the axes of a robot move, and gains of their servos
    Servo(servo::ServoArgs),
    /// Find the static equilibrium of a model
    Balance(balance::BalanceArgs),
    /// Forces and torques that a prescribed motion of a mechanism takes
    Inverse(inverse::InverseArgs),
    /// Where a mechanism gets to: its pose for many values of its joints
    Workspace(workspace::WorkspaceArgs),
    /// Show what every element supplied, lost and stored during a run
    Energy(energy::EnergyArgs),
    /// Highest stress of elastic bodies during a run: where, when, cycles and damage
    Stress(stress::StressArgs),
    /// Find which stores of energy a model can do without
    Reduce(reduce::ReduceArgs),
    /// Write a small model to start from
    New(new::NewArgs),
    /// List the built-in components
    Components(components::ComponentsArgs),
    /// Show the reference page of a component, made from its file
    Page(page::PageArgs),
    /// List or copy the built-in examples
    Examples(examples::ExamplesArgs),
    /// Print the script that completes commands in a shell
    Completions(completions::CompletionsArgs),
    /// List the solvers
    Solvers,
}

impl Command {
    /// Whether its answer, errors included, is to be JSON.
    pub fn answers_json(&self) -> bool {
        let json = |options: &AnswerOptions| options.format == AnswerFormat::Json;
        match self {
            Command::Check(args) => json(&args.answer),
            Command::Verify(args) => json(&args.answer),
            Command::Sweep(args) => json(&args.answer),
            Command::Linearize(args) => json(&args.answer),
            Command::Modes(args) => json(&args.answer),
            Command::Servo(args) => json(&args.answer),
            Command::Balance(args) => json(&args.answer),
            Command::Energy(args) => json(&args.answer),
            Command::Compare(args) => json(&args.answer),
            Command::Stress(args) => json(&args.answer),
            _ => self.writes_documents(),
        }
    }

    /// Whether its result is a JSON document as it is.
    pub fn writes_documents(&self) -> bool {
        match self {
            Command::Equations(args) => args.format == equations::EquationFormat::Json,
            Command::Graph(args) => args.format == Some(graph::GraphFormat::Json),
            _ => false,
        }
    }
}

/// False: what was checked does not hold, and that was told.
pub fn execute(cli: &Cli, session: &Session) -> Result<bool, Failure> {
    let done = match &cli.command {
        Command::Check(args) => return check::execute(args, session),
        Command::Verify(args) => return verify::execute(args, session),
        Command::Mutants(args) => return mutants::execute(args, session),
        Command::Compare(args) => return compare::execute(args, session),
        Command::Run(args) => run::execute(args, session),
        Command::Live(args) => live::execute(args, session),
        Command::Plot(args) => plot::execute(args, session),
        Command::Animate(args) => animate::execute(args, session),
        Command::Sweep(args) => sweep::execute(args, session),
        Command::Convert(args) => convert::execute(args),
        Command::Import(args) => import::execute(args, session),
        Command::Equations(args) => equations::execute(args, session),
        Command::Graph(args) => graph::execute(args, session),
        Command::Linearize(args) => linearize::execute(args, session),
        Command::Response(args) => response::execute(args, session),
        Command::Modes(args) => modes::execute(args, session),
        Command::Lqr(args) => lqr::execute(args, session),
        Command::Servo(args) => servo::execute(args, session),
        Command::Balance(args) => balance::execute(args, session),
        Command::Inverse(args) => inverse::execute(args, session),
        Command::Workspace(args) => workspace::execute(args, session),
        Command::Energy(args) => energy::execute(args, session),
        Command::Stress(args) => stress::execute(args, session),
        Command::Reduce(args) => reduce::execute(args, session),
        Command::New(args) => new::execute(args),
        Command::Components(args) => components::execute(args),
        Command::Page(args) => page::execute(args, session),
        Command::Examples(args) => examples::execute(args),
        Command::Completions(args) => completions::execute(args),
        Command::Solvers => {
            solvers::execute();
            Ok(())
        }
    };
    done.map(|()| true)
}
