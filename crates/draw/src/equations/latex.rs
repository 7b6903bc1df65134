//! Equations as a LaTeX document: a table of quantities, then one aligned list a kind.

use trunnion_equations::flat::{Action, Assignment};
use trunnion_equations::print::{PrintStyle, latex_name, print, terms};
use trunnion_equations::{Expr, Symbol};

use super::sheet::{EquationSheet, SheetLine};
use super::text::{place, reduction};
use trunnion_num::text::number;

/// Longer expressions do not fit on paper.
const LONGEST: u64 = 2_000;
const DIGITS: usize = 7;

pub fn render(sheet: &EquationSheet) -> String {
    let project = sheet.project;
    let mut body = String::new();
    body.push_str(&format!("\\section*{{{}}}\n", escaped(&project.name)));
    if !project.doc.trim().is_empty() {
        body.push_str(&format!("{}\n", escaped(project.doc.trim())));
    }
    quantities(sheet, &mut body, "States", &sheet.states, "start");
    reduced(sheet, &mut body);
    quantities(sheet, &mut body, "Unknowns solved numerically", &sheet.unknowns, "guess");
    quantities(sheet, &mut body, "Parameters", &sheet.parameters, "value");
    quantities(sheet, &mut body, "Inputs", &sheet.inputs, "start");
    quantities(sheet, &mut body, "Modes", &sheet.modes, "start");
    lines(sheet, &mut body, "Terms that long expressions share", &sheet.shared);
    lines(sheet, &mut body, "Definitions", &sheet.definitions);
    lines(sheet, &mut body, "Differential equations", &sheet.differential);
    lines(sheet, &mut body, "Equations solved numerically", &sheet.algebraic);
    lines(sheet, &mut body, "Closed loops, kept by multipliers", &sheet.loops);
    events(sheet, &mut body);
    tasks(sheet, &mut body);
    lines(sheet, &mut body, "Further results", &sheet.beside);
    let outputs = sheet.outputs.iter().map(|o| {
        let note = if o.unit.text.is_empty() { String::new() } else { format!("[{}]", o.unit.text) };
        (format!("{} &= {}", latex_name(&o.name), expression(sheet, o.value)), note)
    });
    align(&mut body, "Outputs", outputs.collect());
    let equal = sheet.equal.iter().map(|(names, e)| {
        let names: Vec<String> = names.iter().map(|&s| name(sheet, s)).collect();
        (format!("{} &= {}", names.join(" = "), expression(sheet, *e)), String::new())
    });
    align(&mut body, "Also known as", equal.collect());
    format!(
        "\\documentclass{{article}}\n\\usepackage[utf8]{{inputenc}}\n\\usepackage{{amsmath,longtable,textcomp}}\n\
         \\allowdisplaybreaks\n\\begin{{document}}\n{body}\\end{{document}}\n"
    )
}

fn name(sheet: &EquationSheet, s: Symbol) -> String {
    if let Some(k) = sheet.shared_number(s) {
        return format!(r"\#_{{{k}}}");
    }
    let name = &sheet.quantity(s).name;
    // The rate of a state that is solved for numerically.
    match name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) {
        Some(state) => format!(r"\dot{{{}}}", latex_name(state)),
        None => latex_name(name),
    }
}

fn expression(sheet: &EquationSheet, e: Expr) -> String {
    let graph = &sheet.graph;
    match terms(graph, e) {
        n if n > LONGEST => r"\ldots".into(),
        _ => print(graph, e, PrintStyle::Latex, &|s| name(sheet, s)),
    }
}

fn quantities(sheet: &EquationSheet, body: &mut String, title: &str, list: &[Symbol], value: &str) {
    if list.is_empty() {
        return;
    }
    body.push_str(&format!("\n\\subsection*{{{title}}}\n\\begin{{longtable}}{{lrll}}\n"));
    body.push_str(&format!("symbol & {value} & unit & \\\\ \\hline\n"));
    for &s in list {
        let q = sheet.quantity(s);
        body.push_str(&format!(
            "${}$ & ${}$ & {} & {} \\\\\n",
            name(sheet, s),
            power_of_ten(&number(sheet.start(s), DIGITS)),
            escaped(&q.unit.text),
            escaped(&q.doc)
        ));
    }
    body.push_str("\\end{longtable}\n");
}

fn reduced(sheet: &EquationSheet, body: &mut String) {
    for one in sheet.reduced {
        body.push_str(&format!("\n{}\n", escaped(&reduction(sheet, one).replace('`', ""))));
    }
}

fn power_of_ten(number: &str) -> String {
    match number.split_once('e') {
        Some((mantissa, exponent)) => format!(r"{mantissa} \cdot 10^{{{exponent}}}"),
        None => number.to_string(),
    }
}

fn lines(sheet: &EquationSheet, body: &mut String, title: &str, lines: &[SheetLine]) {
    let rows = lines.iter().map(|line| {
        (format!("{} &= {}", expression(sheet, line.left), expression(sheet, line.right)), place(line))
    });
    align(body, title, rows.collect());
}

/// Rows with a note at the margin each.
fn align(body: &mut String, title: &str, rows: Vec<(String, String)>) {
    if rows.is_empty() {
        return;
    }
    let rows: Vec<String> = rows
        .into_iter()
        .map(|(row, note)| match note.as_str() {
            "" => format!("  {row}"),
            note => format!("  {row} && \\text{{\\footnotesize {}}}", escaped(note)),
        })
        .collect();
    body.push_str(&format!(
        "\n\\subsection*{{{title}}}\n\\begin{{align*}}\n{}\n\\end{{align*}}\n",
        rows.join(" \\\\\n")
    ));
}

fn assignments(sheet: &EquationSheet, set: &[Assignment]) -> Vec<(String, String)> {
    let row =
        |a: &Assignment| format!("{} &\\leftarrow {}", name(sheet, a.target), expression(sheet, a.value));
    set.iter().map(|a| (row(a), String::new())).collect()
}

fn events(sheet: &EquationSheet, body: &mut String) {
    let mut rows = vec![];
    for event in &sheet.events {
        let when = match sheet.condition(event) {
            Some(condition) => expression(sheet, condition),
            None => format!("{} = 0", expression(sheet, event.guard)),
        };
        rows.push((format!("\\text{{when }} & {when}"), event.name.clone()));
        rows.extend(assignments(sheet, &event.set));
        if let Some(message) = &event.terminate {
            rows.push((format!("& \\text{{ends the run: {}}}", escaped(message)), String::new()));
        }
    }
    align(body, "Events", rows);
}

fn tasks(sheet: &EquationSheet, body: &mut String) {
    let mut rows = vec![];
    for task in &sheet.tasks {
        let period = number(sheet.evaluate(task.period), DIGITS);
        rows.push((
            format!("\\text{{every }} & {}\\,\\mathrm{{s}}", power_of_ten(&period)),
            task.name.clone(),
        ));
        match &task.action {
            Action::Set(set) => rows.extend(assignments(sheet, set)),
            Action::Script { inputs, outputs, .. } => {
                for (input, e) in inputs {
                    rows.push((format!("{} &= {}", latex_name(input), expression(sheet, *e)), "in".into()));
                }
                for (output, target) in outputs {
                    rows.push((
                        format!("{} &\\leftarrow {}", name(sheet, *target), latex_name(output)),
                        "out".into(),
                    ));
                }
            }
        }
    }
    align(body, "Sampled tasks", rows);
}

/// Text with everything that LaTeX would take for a command made harmless.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str(r"\textbackslash{}"),
            '^' => out.push_str(r"\textasciicircum{}"),
            '~' => out.push_str(r"\textasciitilde{}"),
            '<' => out.push_str(r"\textless{}"),
            '>' => out.push_str(r"\textgreater{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_made_harmless() {
        assert_eq!(
            escaped("50 % of a_b & {c}\\d^2"),
            r"50 \% of a\_b \& \{c\}\textbackslash{}d\textasciicircum{}2"
        );
        assert_eq!(power_of_ten("1.5e-6"), r"1.5 \cdot 10^{-6}");
    }
}
