//! Equations as plain text.

use trunnion_equations::flat::{Action, Assignment};
use trunnion_equations::print::{PrintStyle, print, terms};
use trunnion_equations::structure::Reduction;
use trunnion_equations::{Expr, Symbol};

use super::sheet::{EquationSheet, SheetLine};
use crate::listing::{Align, Listing};
use trunnion_num::text::{count, number, with_unit};

/// Longer expressions are no help to a reader.
const LONGEST: u64 = 20_000;
/// Origins stand beside equations up to this width, after longer ones directly.
const WIDEST: usize = 70;
/// Digits of values.
const DIGITS: usize = 7;

pub fn render(sheet: &EquationSheet) -> String {
    let mut page = EquationPage { sheet, text: String::new() };
    page.head();
    page.quantities("States", &sheet.states, "start");
    page.reduced();
    page.quantities("Unknowns solved numerically", &sheet.unknowns, "guess");
    page.parameters();
    page.quantities("Inputs", &sheet.inputs, "start");
    page.quantities("Modes", &sheet.modes, "start");
    page.lines("Terms that long expressions share", &sheet.shared);
    page.lines("Definitions, in the order of evaluation", &sheet.definitions);
    page.lines("Differential equations", &sheet.differential);
    page.lines("Equations solved numerically", &sheet.algebraic);
    page.lines("Closed loops, kept by multipliers", &sheet.loops);
    page.events();
    page.tasks();
    page.lines("Further results", &sheet.beside);
    page.outputs();
    page.equal();
    page.text
}

/// An expression in one line.
pub fn expression(sheet: &EquationSheet, e: Expr) -> String {
    let graph = &sheet.graph;
    let n = terms(graph, e);
    if n > LONGEST {
        return if n == u64::MAX { "… (too long to print)".into() } else { format!("… ({n} terms)") };
    }
    print(graph, e, PrintStyle::Text, &|s| sheet.name(s))
}

pub fn equation(sheet: &EquationSheet, line: &SheetLine) -> String {
    format!("{} = {}", expression(sheet, line.left), expression(sheet, line.right))
}

/// Where a line comes from. Equations of bond graphs are named "element: quantity", and the quantity is seen anyway.
pub fn place(line: &SheetLine) -> String {
    match line.equation.split_once(": ") {
        Some((element, quantity)) => match quantity.rsplit_once(", ") {
            Some((_, how)) => format!("{element}, {how}"),
            None => element.to_string(),
        },
        None => line.equation.clone(),
    }
}

/// Why a state is none: "`b.p` is not independent: it follows from `a.p` (gear)".
pub fn reduction(sheet: &EquationSheet, reduction: &Reduction) -> String {
    let name = |s: &Symbol| format!("`{}`", sheet.quantity(*s).name);
    let others: Vec<String> = reduction.others.iter().map(name).collect();
    let from = match &others[..] {
        [] => "what is given".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    };
    let given_up = name(&reduction.given_up);
    format!("{given_up} is not independent: it follows from {from} ({})", reduction.equation)
}

struct EquationPage<'a> {
    sheet: &'a EquationSheet<'a>,
    text: String,
}

impl EquationPage<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn title(&mut self, title: &str) {
        self.line("");
        self.line(title);
    }

    fn head(&mut self) {
        let project = self.sheet.project;
        self.line(&project.name);
        project.doc.trim().lines().for_each(|line| self.line(line));
        let (states, unknowns) = (self.sheet.states.len(), self.sheet.unknowns.len());
        let what = match unknowns {
            0 => count(states, "state"),
            _ => format!("{}, {} solved numerically", count(states, "state"), count(unknowns, "unknown")),
        };
        self.line("");
        self.line(&format!("{what}; numbers in equations are SI"));
    }

    fn quantities(&mut self, title: &str, list: &[Symbol], value: &str) {
        if list.is_empty() {
            return;
        }
        self.title(title);
        let mut table = Listing::new([
            ("  name", Align::Left),
            (value, Align::Right),
            ("unit", Align::Left),
            ("", Align::Left),
        ]);
        for &s in list {
            let q = self.sheet.quantity(s);
            let start = number(self.sheet.start(s), DIGITS);
            table.push([format!("  {}", q.name), start, q.unit.text.clone(), q.doc.clone()]);
        }
        table.lines().iter().for_each(|line| self.line(line));
    }

    fn parameters(&mut self) {
        if self.sheet.parameters.is_empty() {
            return;
        }
        self.title("Parameters");
        let computed = self.sheet.parameters.iter().any(|&s| self.sheet.formula(s).is_some());
        let head = [("  name", Align::Left), ("value", Align::Right), ("unit", Align::Left)];
        let from = if computed { "from" } else { "" };
        let mut table = Listing::new(head.into_iter().chain([(from, Align::Left), ("", Align::Left)]));
        for &s in &self.sheet.parameters {
            let q = self.sheet.quantity(s);
            let value = number(self.sheet.start(s), DIGITS);
            let from =
                self.sheet.formula(s).map_or(String::new(), |e| format!("= {}", expression(self.sheet, e)));
            table.push([format!("  {}", q.name), value, q.unit.text.clone(), from, q.doc.clone()]);
        }
        table.lines().iter().for_each(|line| self.line(line));
    }

    fn lines(&mut self, title: &str, lines: &[SheetLine]) {
        if lines.is_empty() {
            return;
        }
        self.title(title);
        let texts: Vec<String> = lines.iter().map(|line| equation(self.sheet, line)).collect();
        let short = texts.iter().map(|text| text.chars().count()).filter(|&n| n <= WIDEST);
        let width = short.max().unwrap_or(0);
        for (line, text) in lines.iter().zip(texts) {
            match place(line).as_str() {
                "" => self.line(&format!("  {text}")),
                place => self.line(&format!("  {text:<width$}   # {place}")),
            }
        }
    }

    fn reduced(&mut self) {
        if !self.sheet.reduced.is_empty() {
            self.line("");
        }
        for one in self.sheet.reduced {
            self.line(&format!("  {}", reduction(self.sheet, one)));
        }
    }

    fn equal(&mut self) {
        if self.sheet.equal.is_empty() {
            return;
        }
        self.title("Also known as");
        let mut table = Listing::new([("  used above", Align::Left), ("other names", Align::Left)]);
        for (names, e) in &self.sheet.equal {
            let names: Vec<&str> = names.iter().map(|&s| self.sheet.quantity(s).name.as_str()).collect();
            table.push([format!("  {}", expression(self.sheet, *e)), names.join(", ")]);
        }
        table.lines().iter().for_each(|line| self.line(line));
    }

    fn assignments(&mut self, set: &[Assignment]) {
        for a in set {
            let target = &self.sheet.quantity(a.target).name;
            self.line(&format!("    {target} := {}", expression(self.sheet, a.value)));
        }
    }

    fn events(&mut self) {
        if self.sheet.events.is_empty() {
            return;
        }
        self.title("Events");
        for event in &self.sheet.events {
            let when = match self.sheet.condition(event) {
                Some(condition) => expression(self.sheet, condition),
                None => format!("{} crosses 0", expression(self.sheet, event.guard)),
            };
            self.line(&format!("  {}: when {when}", event.name));
            self.assignments(&event.set);
            if let Some(message) = &event.terminate {
                self.line(&format!("    ends the run: {message}"));
            }
        }
    }

    fn tasks(&mut self) {
        if self.sheet.tasks.is_empty() {
            return;
        }
        self.title("Sampled tasks");
        for task in &self.sheet.tasks {
            let seconds = |e: Expr| with_unit(self.sheet.evaluate(e), "s", DIGITS);
            let (period, offset) = (seconds(task.period), seconds(task.offset));
            self.line(&format!("  {}: every {period} from {offset}", task.name));
            match &task.action {
                Action::Set(set) => self.assignments(set),
                Action::Script { inputs, outputs, .. } => {
                    for (name, e) in inputs {
                        self.line(&format!("    in  {name} = {}", expression(self.sheet, *e)));
                    }
                    for (name, target) in outputs {
                        self.line(&format!("    out {name} → {}", self.sheet.quantity(*target).name));
                    }
                }
            }
        }
    }

    fn outputs(&mut self) {
        if self.sheet.outputs.is_empty() {
            return;
        }
        self.title("Outputs");
        for output in &self.sheet.outputs {
            let unit = if output.unit.text.is_empty() {
                String::new()
            } else {
                format!("   [{}]", output.unit.text)
            };
            self.line(&format!("  {} = {}{unit}", output.name, expression(self.sheet, output.value)));
        }
    }
}
