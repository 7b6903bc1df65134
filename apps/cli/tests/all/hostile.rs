//! What the hostile corpus is run with: models of classes that once came out wrong, for every adaptive solver, all failures told at once.
//!
//! A variant is a model and what it has to give at its end, or how it has to be refused. None may take longer than `LIMIT`.

use std::fs::File;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::program::Folder;

pub const SOLVERS: [&str; 5] = ["rodas5p", "esdirk34", "trbdf2", "bdf", "tsit45"];

/// Most variants take 0.1 s; a busy machine takes some more.
const LIMIT: Duration = Duration::from_secs(30);

/// Column, value at the end, tolerance.
pub type Expected<'a> = &'a [(&'a str, f64, f64)];

/// Variants of one class and what failed among them.
pub struct Corpus {
    variants: usize,
    failures: Vec<String>,
}

impl Corpus {
    pub fn new() -> Self {
        Corpus { variants: 0, failures: vec![] }
    }

    /// The model ends with these values, whatever the solver.
    pub fn right(&mut self, name: &str, model: &str, expected: Expected) {
        self.right_with(name, model, &[], expected);
    }

    /// The same, with more files beside the model.
    pub fn right_with(&mut self, name: &str, model: &str, files: &[(&str, &str)], expected: Expected) {
        self.find((name, model, files), expected, false);
    }

    /// The same for a model so stiff that an explicit solver may say so instead.
    pub fn right_or_stiff(&mut self, name: &str, model: &str, expected: Expected) {
        self.find((name, model, &[]), expected, true);
    }

    fn find(&mut self, (name, model, files): (&str, &str, &[(&str, &str)]), expected: Expected, stiff: bool) {
        self.variants += 1;
        for (solver, (code, err, result)) in run(model, files, &SOLVERS) {
            if stiff && solver == "tsit45" && code == 3 && err.contains("the model is stiff") {
                continue;
            }
            if code != 0 {
                self.failures.push(format!("{name}, {solver}: exit {code}: {err}"));
                continue;
            }
            for &(column, value, tolerance) in expected {
                let found = last(&result, column);
                if !found.is_some_and(|x| (x - value).abs() <= tolerance) {
                    self.failures.push(format!(
                        "{name}, {solver}: {column} is {found:?}, not {value} ± {tolerance:e}"
                    ));
                }
            }
        }
    }

    /// The run stops with this exit status and all of `words`.
    pub fn told(&mut self, name: &str, model: &str, code: i32, words: &[&str]) {
        self.fails(name, model, code, words, &SOLVERS);
    }

    /// The model is refused before any solver is asked.
    pub fn refused(&mut self, name: &str, model: &str, code: i32, words: &[&str]) {
        self.fails(name, model, code, words, &SOLVERS[..1]);
    }

    fn fails(&mut self, name: &str, model: &str, code: i32, words: &[&str], solvers: &[&'static str]) {
        self.variants += 1;
        for (solver, (found, err, result)) in run(model, &[], solvers) {
            let silent: Vec<_> = words.iter().filter(|word| !err.contains(**word)).collect();
            if found != code || !silent.is_empty() {
                self.failures
                    .push(format!("{name}, {solver}: exit {found}, not {code}; not told {silent:?}: {err}"));
            }
            let rows = result.lines().filter(|l| !l.starts_with('#'));
            if rows.into_iter().any(|l| l.contains("NaN") || l.contains("inf")) {
                self.failures.push(format!("{name}, {solver}: a result that is not finite"));
            }
        }
    }

    /// Every class has ten variants at least, and none that fails.
    pub fn finish(self) {
        assert!(self.failures.is_empty(), "{} failures:\n{}", self.failures.len(), self.failures.join("\n"));
        assert!(self.variants >= 10, "only {} variants", self.variants);
    }
}

/// Exit status, messages and results of a model with every solver; status -9 if it did not end.
pub fn run(
    model: &str,
    files: &[(&str, &str)],
    solvers: &[&'static str],
) -> Vec<(&'static str, (i32, String, String))> {
    let folder = Folder::new();
    folder.write("m.toml", model);
    files.iter().for_each(|(name, text)| {
        folder.write(name, text);
    });
    let answer = |solver: &'static str| {
        let (result, messages) = (format!("{solver}.csv"), format!("{solver}.txt"));
        let mut command = folder.command(&["run", "m.toml", "-o", &result, "--solver", solver, "-q"]);
        let err = File::create(folder.path(&messages)).unwrap();
        let code = wait(command.stdout(Stdio::null()).stderr(err).spawn().unwrap());
        let rows = if folder.path(&result).exists() { folder.read(&result) } else { String::new() };
        (solver, (code, folder.read(&messages), rows))
    };
    solvers.iter().copied().map(answer).collect()
}

fn wait(mut child: Child) -> i32 {
    let begin = Instant::now();
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return status.code().unwrap_or(-1),
            None if begin.elapsed() > LIMIT => {
                child.kill().unwrap();
                child.wait().unwrap();
                return -9;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// The last value of a column.
pub fn last(result: &str, column: &str) -> Option<f64> {
    let mut lines = result.lines().filter(|l| !l.starts_with('#'));
    let place = lines.next()?.split(',').position(|h| h.split(' ').next() == Some(column))?;
    lines.next_back()?.split(',').nth(place)?.parse().ok()
}

/// A model of plain variables with their start values, equations and other sections. In equations `S` is a second.
pub fn model(starts: &[(&str, f64)], equations: &[&str], sections: &str, t_end: f64) -> String {
    let variables: String = starts.iter().map(|(n, x)| format!("{n} = {{ start = {x:?} }}\n")).collect();
    let equations: String = equations.iter().enumerate().map(|(k, e)| format!("e{k} = \"{e}\"\n")).collect();
    format!(
        "[parameters]\nS = \"1 s\"\n[variables]\n{variables}[equations]\n{equations}{sections}\n[run]\nt_end = \"{t_end} s\"\npoints = 11\n"
    )
}

/// Classical Runge–Kutta steps of y' = f(t, y): an independent computation with steps far below every time constant.
pub fn runge_kutta<const N: usize>(
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
    start: [f64; N],
    t_end: f64,
    steps: usize,
) -> [f64; N] {
    let h = t_end / steps as f64;
    let shift = |y: &[f64; N], k: &[f64; N], by: f64| std::array::from_fn(|i| y[i] + by * k[i]);
    (0..steps).fold(start, |y, n| {
        let t = t_end * n as f64 / steps as f64;
        let k1 = f(t, &y);
        let k2 = f(t + 0.5 * h, &shift(&y, &k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, &shift(&y, &k2, 0.5 * h));
        let k4 = f(t + h, &shift(&y, &k3, h));
        std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]))
    })
}
