//! Signals to look at: from a results file, or from a model by running it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use trunnion_engine::{Failure, Project, Workspace};
use trunnion_model::display::Display;
use trunnion_results::{Column, Table};
use trunnion_sim::integrate::Summary;
use trunnion_sim::run::Settings;
use trunnion_sim::solvers::choose::SolverEntry;

use crate::display::show;
use crate::monitor::Monitor;
use crate::simulate::{Overrides, metadata, settings, simulate_to_table};

/// What is run where a model is given.
#[derive(Clone, Debug, Default)]
pub struct RunChanges {
    pub set: Vec<String>,
    pub overrides: Overrides,
    /// Units to show the results of a file in; for a model they are among `set`.
    pub units: Display,
}

/// Work of a run, for comparing.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub summary: Summary,
    pub wall_s: f64,
}

pub struct RunSignals {
    /// Short name: the file's, without folder and ending.
    pub name: String,
    pub path: String,
    pub table: Table,
    pub effort: Option<Effort>,
    /// Why the run did not reach its end.
    pub stopped: Option<String>,
    /// Values that the model proposed itself for what it leaves open.
    pub proposed: Vec<String>,
    /// Options of the model and what was changed in it, where it was run.
    pub options: BTreeMap<String, String>,
    pub changes: Vec<String>,
}

/// What came of a run that may have failed on the way.
pub struct RunResult {
    pub table: Table,
    pub effort: Option<Effort>,
    pub stopped: Option<String>,
}

/// Is it a model rather than a results file?
pub fn is_model(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"))
}

impl RunSignals {
    /// `at` are further times at which a model is to give values.
    pub fn open(
        workspace: &Workspace,
        path: &str,
        changes: &RunChanges,
        at: &[f64],
        monitor: &Monitor,
    ) -> Result<Self, Failure> {
        let (mut proposed, mut options) = (vec![], BTreeMap::new());
        let ran = match is_model(path) {
            true => {
                let mut project = workspace.open(path, &changes.set)?;
                proposed = std::mem::take(&mut project.proposed);
                options = std::mem::take(&mut project.options);
                run_project(&project, &changes.overrides, at, monitor)?
            }
            false => {
                let mut table = trunnion_results::read(Path::new(path))?;
                show(&mut table, changes.units.clone(), &workspace.units);
                RunResult { table, effort: None, stopped: None }
            }
        };
        let RunResult { table, effort, stopped } = ran;
        let changes = changes.set.clone();
        let (name, path) = (short(path), path.to_string());
        Ok(RunSignals { name, path, table, effort, stopped, proposed, options, changes })
    }

    pub fn time(&self) -> &Column {
        &self.table.columns[0]
    }

    /// Columns that fit one of the patterns, each once, in the order of the patterns. Time has to be named, and so has a further name of a quantity
    /// that fits anyway.
    pub fn matching(&self, patterns: &[String]) -> Result<Vec<&Column>, Failure> {
        let mut found: Vec<&Column> = vec![];
        for pattern in patterns {
            let fitting = self.table.matching(pattern)?;
            // A pattern means each quantity once.
            let repeats = |of: &String| fitting.iter().any(|other| other.name == *of);
            for column in &fitting {
                let meant = !pattern.contains('*')
                    || column.name != self.time().name && !column.same_as.as_ref().is_some_and(repeats);
                if meant && !found.iter().any(|c| c.name == column.name) {
                    found.push(column);
                }
            }
        }
        Ok(found)
    }

    /// Leaves the rows between two times.
    pub fn cut(&mut self, from: Option<f64>, to: Option<f64>) {
        let (from, to) = (from.unwrap_or(f64::NEG_INFINITY), to.unwrap_or(f64::INFINITY));
        let kept: Vec<bool> = self.time().values.iter().map(|t| (from..=to).contains(t)).collect();
        for column in &mut self.table.columns {
            let mut keep = kept.iter();
            column.values.retain(|_| keep.next().copied().unwrap_or(false));
            column.extremes = column.extremes.and_then(|e| e.within(from, to));
        }
    }

    /// What the model wants to see plotted, as far as it was recorded.
    pub fn favourites(&self) -> Vec<&Column> {
        let patterns = self.table.metadata.get(PLOT).map_or("", String::as_str);
        let patterns = patterns.split(',').map(str::trim).filter(|p| !p.is_empty());
        let recorded = patterns.filter(|p| self.table.matching(p).is_ok()).map(String::from);
        self.matching(&recorded.collect::<Vec<_>>()).unwrap_or_default()
    }
}

/// Metadata key of the signals to plot where nothing else is asked for, separated by commas.
pub(crate) const PLOT: &str = "plot";

/// A run that fails on the way still has something to show.
pub fn run_project(
    project: &Project,
    overrides: &Overrides,
    at: &[f64],
    monitor: &Monitor,
) -> Result<RunResult, Failure> {
    let (solver, settings): (&SolverEntry, Settings) = settings(&project.run, overrides)?;
    let settings = Settings { at: at.to_vec(), ..settings };
    let (mut table, outcome) = simulate_to_table(project, &HashMap::new(), (solver, &settings), monitor)?;
    table.metadata = metadata(project, solver.name, &settings);
    table.metadata.insert(trunnion_results::ENDED.into(), outcome.ended());
    let stopped = match outcome.check() {
        Ok(()) => None,
        Err(Failure::Run { message, .. } | Failure::Script { message, .. }) if table.rows() > 1 => {
            Some(message)
        }
        Err(other) => return Err(other),
    };
    let wall_s = outcome.wall.as_secs_f64();
    let effort = outcome.summary.map(|summary| Effort { summary, wall_s });
    Ok(RunResult { table, effort, stopped })
}

/// The file's name without folder and ending.
pub fn short(path: &str) -> String {
    let name = Path::new(path).file_name().map_or(path.into(), |n| n.to_string_lossy());
    let name = name.strip_suffix(".partial").unwrap_or(&name);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_string()
}

/// Name of the model, and how it was run.
pub fn title(all: &[RunSignals]) -> (String, String) {
    let of = |s: &RunSignals, key: &str| s.table.metadata.get(key).cloned();
    let Some(one) = all.first() else { return Default::default() };
    let first = of(one, "model").unwrap_or_else(|| one.name.clone());
    let same = all.iter().all(|s| of(s, "model").as_ref() == Some(&first));
    let title = if same || all.len() == 1 { first } else { labels(all).join(", ") };
    let subtitle = match (of(one, "solver"), of(one, "rtol").and_then(|r| r.parse::<f64>().ok())) {
        (Some(solver), Some(rtol)) if all.len() == 1 => format!("{solver}, rtol {rtol:e}"),
        _ => String::new(),
    };
    (title, subtitle)
}

/// The short names, or the paths where two short ones are the same.
pub fn labels(all: &[RunSignals]) -> Vec<String> {
    let twice = |s: &RunSignals| all.iter().filter(|o| o.name == s.name).count() > 1;
    all.iter().map(|s| if twice(s) { s.path.clone() } else { s.name.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals(path: &str, names: &[&str], plot: &str) -> RunSignals {
        let columns = names.iter().map(|n| Column::new(*n, "", "")).collect();
        let metadata = [(PLOT.to_string(), plot.to_string())].into();
        let table = Table { columns, metadata };
        let (name, options) = (short(path), BTreeMap::new());
        let (proposed, changes) = (vec![], vec![]);
        RunSignals { name, path: path.into(), table, effort: None, stopped: None, proposed, options, changes }
    }

    #[test]
    fn files_are_told_apart_by_their_shortest_names() {
        assert_eq!(short("a/b/strut.parquet"), "strut");
        assert_eq!(short("strut.csv.partial"), "strut");
        let all = [signals("a/x.csv", &[], ""), signals("b/x.csv", &[], ""), signals("y.csv", &[], "")];
        assert_eq!(labels(&all), ["a/x.csv", "b/x.csv", "y"]);
        assert!(is_model("a.toml") && !is_model("a.toml.csv"));
    }

    #[test]
    fn favourites_are_what_the_model_plots_and_has() {
        let s = signals("x.csv", &["time", "b.x", "b.v", "c"], "b.*, nothing,b.x");
        let names: Vec<&str> = s.favourites().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["b.x", "b.v"]);
        assert!(s.matching(&["b.z".into()]).is_err());
        assert_eq!(s.matching(&["*".into()]).unwrap().len(), 3);
        assert_eq!(s.matching(&["time".into()]).unwrap().len(), 1);
    }

    #[test]
    fn a_pattern_means_each_quantity_once() {
        let mut s = signals("x.csv", &["time", "b.x", "b.y", "c.x"], "");
        s.table.columns[2].same_as = Some("b.x".into());
        s.table.columns[3].same_as = Some("b.x".into());
        let names = |pattern: &str| -> Vec<String> {
            s.matching(&[pattern.into()]).unwrap().iter().map(|c| c.name.clone()).collect()
        };
        assert_eq!(names("*"), ["b.x"]);
        assert_eq!(names("c.*"), ["c.x"]);
        assert_eq!(names("b.y"), ["b.y"]);
    }
}
