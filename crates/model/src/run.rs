//! How a model is run, `[run]`.

use crate::component::{ScalarForm, read_scalar};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::file::{Data, Fields, Span, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue};
use crate::instantiate::names::{NameRole, Named};
use crate::instantiate::{ModelBuilder, si};
use crate::language::Scope;
use crate::units::{Dimension, Unit};

/// The instants at which results are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutputGrid {
    /// Equally spaced, first and last included.
    Points(usize),
    /// Every so many seconds.
    Step(f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialAcceleration {
    /// From the equations of motion.
    Consistent,
    Zero,
}

/// Parameters of single methods; None: the method's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MethodParameters {
    pub alpha: Option<f64>,
    pub rho_inf: Option<f64>,
    pub beta: Option<f64>,
    pub gamma: Option<f64>,
    pub initial_acceleration: Option<InitialAcceleration>,
}

#[derive(Clone, Debug)]
pub struct RunSection {
    pub t_start: f64,
    pub t_end: f64,
    /// The file says when the run ends.
    pub t_end_given: bool,
    /// A solver's name, or "auto".
    pub solver: String,
    /// Where the solver is named, for messages.
    pub solver_span: Option<Span>,
    pub rtol: Option<f64>,
    /// For every unknown, in SI; None: rtol times its size.
    pub atol: Option<f64>,
    /// For single ones, in SI; a later one of a name counts.
    pub atol_of: Vec<(TomlText, f64)>,
    pub h_max: Option<f64>,
    /// Step of a fixed-step solver.
    pub step: Option<f64>,
    pub grid: OutputGrid,
    /// Names to record, with `*` for anything; empty: everything.
    pub record: Vec<String>,
    /// Names to plot where nothing else is asked for.
    pub plot: Vec<String>,
    pub method: MethodParameters,
}

impl Default for RunSection {
    fn default() -> Self {
        RunSection {
            t_start: 0.0,
            t_end: 1.0,
            t_end_given: false,
            solver: "auto".into(),
            solver_span: None,
            rtol: None,
            atol: None,
            atol_of: vec![],
            h_max: None,
            step: None,
            grid: OutputGrid::Points(501),
            record: vec![],
            plot: vec![],
            method: MethodParameters::default(),
        }
    }
}

/// Whether a name fits a pattern, in which `*` stands for anything.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(previous) = last.replace(part) {
            match rest.find(previous) {
                Some(at) => rest = &rest[at + previous.len()..],
                None => return false,
            }
        }
    }
    last.map_or(rest.is_empty(), |end| rest.ends_with(end))
}

/// More steps than are practical: a slip of the keyboard.
pub const MOST_STEPS: f64 = 1e12;
/// The shortest run (s): light crosses a nucleus.
pub const SHORTEST: f64 = 1e-24;

impl ModelBuilder<'_> {
    /// A value of a parameter-only expression of the model, in SI.
    pub(crate) fn number(&mut self, value: Option<&TomlValue>, key: &str, unit: &Unit) -> Option<f64> {
        let scalar = read_scalar(value?, key, self.problems);
        self.constant(&scalar, 0, Some(unit), &format!("`{key}`")).map(|(_, v)| v)
    }

    pub(crate) fn positive(&mut self, value: Option<&TomlValue>, key: &str, unit: &Unit) -> Option<f64> {
        let number = self.number(value, key, unit)?;
        if number > 0.0 {
            return Some(number);
        }
        let error = Diagnostic::error("M0108", format!("`{key}` has to be above 0"));
        self.problems.add(error.at(&value?.span, format!("this is {number}")));
        None
    }

    pub(crate) fn read_run(&mut self, table: &TomlTable) -> RunSection {
        let problems = self.problems;
        let f = Fields::new(table, "[run]", &table.span, problems);
        let (second, plain) = (si(Dimension::TIME), si(Dimension::ONE));
        let mut run = RunSection::default();
        run.t_start = self.number(f.value("t_start"), "t_start", &second).unwrap_or(run.t_start);
        run.t_end = self.number(f.value("t_end"), "t_end", &second).unwrap_or(run.t_start + 1.0);
        run.t_end_given = f.value("t_end").is_some();
        if let (true, Some(value)) = (run.t_end <= run.t_start, f.value("t_end")) {
            let error = Diagnostic::error("M0108", format!("`t_end` has to be after {} s", run.t_start));
            problems.add(error.at(&value.span, format!("this is {} s", run.t_end)));
        }
        let length = run.t_end - run.t_start;
        let told_apart = SHORTEST.max(1e3 * f64::EPSILON * run.t_start.abs());
        if let (true, Some(value)) = (length > 0.0 && length < told_apart, f.value("t_end")) {
            let error = Diagnostic::error("M0108", format!("the run is shorter than {told_apart:e} s"));
            problems.add(error.at(&value.span, format!("this is {:e} s", run.t_end)));
        }
        if let Some(solver) = f.text("solver") {
            run.solver = solver.text;
            run.solver_span = Some(solver.span);
        }
        run.rtol = self.positive(f.value("rtol"), "rtol", &plain);
        match f.value("atol") {
            Some(TomlValue { data: Data::Table(table), .. }) => run.atol_of = self.tolerances(table),
            value => run.atol = self.positive(value, "atol", &plain),
        }
        run.h_max = self.step(&f, "h_max", run.t_end - run.t_start);
        run.step = self.step(&f, "step", run.t_end - run.t_start);
        f.exclude("points", "dt", "give the number of points or the time between them");
        if let (Some(points), Some(value)) = (f.count("points"), f.value("points")) {
            if points < 2 {
                let error = Diagnostic::error("M0108", "`points` has to be at least 2");
                let hint = "the start and the end of the run are among them";
                problems.add(error.at(&value.span, format!("this is {points}")).hint(hint));
            }
            run.grid = OutputGrid::Points(points.max(2));
        }
        if let Some(dt) = self.positive(f.value("dt"), "dt", &second) {
            run.grid = OutputGrid::Step(dt);
        }
        run.record = self.patterns(f.texts("record"));
        run.plot = self.patterns(f.texts("plot"));
        run.method = MethodParameters {
            alpha: self.constant_of_method(&f, "alpha", (0.0, 1.0 / 3.0)),
            rho_inf: self.constant_of_method(&f, "rho_inf", (0.0, 1.0)),
            beta: self.constant_of_method(&f, "beta", (f64::MIN_POSITIVE, 1.0)),
            gamma: self.constant_of_method(&f, "gamma", (0.5, 1.0)),
            initial_acceleration: f.choice(
                "initial_acceleration",
                &[("consistent", InitialAcceleration::Consistent), ("zero", InitialAcceleration::Zero)],
            ),
        };
        f.finish();
        run
    }

    /// Absolute tolerances by name, those of patterns first. They are differences: "1 °C" is 1 K.
    fn tolerances(&mut self, table: &TomlTable) -> Vec<(TomlText, f64)> {
        let (patterns, names): (Vec<_>, Vec<_>) =
            table.entries.iter().partition(|e| e.key.name.contains('*'));
        let mut list = vec![];
        for TomlEntry { key, value } in patterns.into_iter().chain(names) {
            let text = TomlText { text: key.name.clone(), span: key.span.clone() };
            self.patterns(vec![text.clone()]);
            let scalar = read_scalar(value, &key.name, self.problems);
            let fits = |(name, named): (&String, &Named)| {
                let unknown = named.role == NameRole::Unknown && matches(&key.name, name);
                unknown.then(|| (name.clone(), named.unit.clone()))
            };
            let mut found: Vec<_> = self.names.map.iter().filter_map(fits).collect();
            found.sort_by(|a, b| a.0.cmp(&b.0));
            for (name, unit) in found {
                let whose = format!("the tolerance of `{name}`");
                let Some((_, number)) = self.difference(&scalar, 0, unit.as_ref(), &whose) else { break };
                if number <= 0.0 {
                    let error = Diagnostic::error("M0108", format!("{whose} has to be above 0"));
                    self.problems.add(error.at(&value.span, format!("this is {number}")));
                    break;
                }
                list.push((TomlText { text: name, ..text.clone() }, number));
            }
        }
        list
    }

    /// A length of steps; one that would never bring the run to its end is refused.
    fn step(&mut self, f: &Fields<'_>, key: &'static str, length: f64) -> Option<f64> {
        let step = self.positive(f.value(key), key, &si(Dimension::TIME))?;
        if length / step <= MOST_STEPS {
            return Some(step);
        }
        let message = format!("`{key}` would take more than {MOST_STEPS:e} steps");
        let error =
            Diagnostic::error("M0108", message).at(&f.value(key)?.span, format!("this is {step:e} s"));
        self.problems.add(error.hint("give a longer step, or an earlier end"));
        None
    }

    /// A number of generalized-α and its relatives. Outside its range the method is unstable at any step.
    fn constant_of_method(
        &mut self,
        f: &Fields<'_>,
        key: &'static str,
        (low, high): (f64, f64),
    ) -> Option<f64> {
        let number = self.number(f.value(key), key, &si(Dimension::ONE))?;
        if (low..=high).contains(&number) {
            return Some(number);
        }
        let range = match key {
            "alpha" => "between 0 and 1/3",
            "beta" => "above 0 and at most 1",
            "gamma" => "between 0.5 and 1",
            _ => "between 0 and 1",
        };
        let error = Diagnostic::error("M0108", format!("`{key}` has to lie {range}"));
        self.problems.add(
            error
                .at(&f.value(key)?.span, format!("this is {number}"))
                .hint("outside of that the method grows without bound, or has no solution"),
        );
        None
    }

    /// Patterns of names; one that fits nothing is worth a word.
    pub(crate) fn patterns(&self, texts: Vec<TomlText>) -> Vec<String> {
        for text in &texts {
            let fits = self.names.map.keys().any(|name| matches(&text.text, name));
            if !self.names.is_broken(&text.text) && !fits && text.text != "time" {
                let mut names = self.view(0).names();
                names.sort();
                self.problems.add(
                    Diagnostic::warning("M0401", format!("`{}` is the name of nothing", text.text))
                        .at(&text.span, "fits no name")
                        .hint_if(did_you_mean(&text.text, names.iter().map(String::as_str))),
                );
            }
        }
        texts.into_iter().map(|t| t.text).collect()
    }

    /// The unit of a signal; an expression becomes an output of its own. None if it is wrong.
    pub(crate) fn signal_unit(&mut self, signal: &TomlText) -> Option<Option<Unit>> {
        if let Some(named) = self.names.map.get(&signal.text) {
            return Some(named.unit.clone());
        }
        if self.names.is_broken(&signal.text) {
            return None;
        }
        let value = TomlValue { data: Data::Text(signal.text.clone()), span: signal.span.clone() };
        self.expression(signal.text.clone(), &value)
    }

    /// A further output from outside the files.
    pub(crate) fn add_measured(&mut self, name: &TomlKey, value: &TomlValue) {
        match self.names.map.get(&name.name) {
            Some(_) => self.problems.add(
                Diagnostic::error("M0105", format!("`{}` is defined twice", name.name))
                    .at(&name.span, "the model has this name already"),
            ),
            None => drop(self.expression(name.name.clone(), value)),
        }
    }

    /// An expression as an output; its unit.
    fn expression(&mut self, name: String, value: &TomlValue) -> Option<Option<Unit>> {
        let ScalarForm::Formula(formula) = read_scalar(value, "signal", self.problems).form else {
            return None;
        };
        let mut view = self.view(0);
        view.outputs = true;
        let typed = self.formula(&formula, &view)?;
        let unit = typed.dimension.map(si);
        self.add_output(0, name, unit.clone(), "", &value.span, typed.expr);
        Some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_fit_names() {
        for (pattern, name, fits) in [
            ("x", "x", true),
            ("x", "xy", false),
            ("*", "a.b", true),
            ("r1.*", "r1.u", true),
            ("r1.*", "r2.u", false),
            ("*.u", "r1.p.u", true),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "a1c2b", false),
            ("aa*aa", "aaa", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
