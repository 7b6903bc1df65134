//! The places of a component file that say what it does: laws, equations, events, tables and default values.

use std::ops::Range;
use std::sync::Arc;

use trunnion_model::Source;
use trunnion_model::diagnostic::Problems;
use trunnion_model::file::{Data, TomlEntry, TomlTable, TomlValue, parse};
use trunnion_model::language::{Ast, AstKind, parse_equation, parse_expression, references};

use super::faults::{FACTOR, equation_faults, faults, is_literal, is_zero};

/// One place.
#[derive(Clone, Debug)]
pub struct Site {
    /// Keys from the top of the file, joined by dots: "parameters.R.default". Those of options have no "when".
    pub path: String,
    /// From 1.
    pub line: usize,
    /// Bytes of the value in the file, with its quotes.
    pub range: Range<usize>,
    /// The option it belongs to and the choices that put it to use.
    pub when: Option<(String, Vec<String>)>,
    pub mutants: Vec<Mutant>,
}

/// One fault in one place.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What stands there instead, with quotes.
    pub text: String,
    /// "R*f × 1.05".
    pub change: String,
}

/// Keys of a law that hold expressions.
const LAW: [&str; 8] = ["effort", "flow", "displacement", "momentum", "ratio", "start", "across", "through"];

/// All places of a component file, in the order of the file.
pub fn sites(source: &Arc<Source>) -> Vec<Site> {
    let problems = Problems::default();
    let Some(table) = parse(source, &problems) else { return vec![] };
    let mut finder = SiteFinder { source, names: names(&table), when: None, found: vec![] };
    finder.body(&table);
    finder.found.sort_by_key(|s| s.range.start);
    finder.found
}

/// Everything that a file gives a name.
fn names(table: &TomlTable) -> Vec<String> {
    let mut found = vec![];
    for entry in &table.entries {
        match &entry.value.data {
            Data::List(list) if entry.key.name == "when" => {
                for value in list {
                    if let Data::Table(inner) = &value.data {
                        found.extend(names(inner));
                    }
                }
            }
            Data::Table(inner) => found.extend(inner.entries.iter().map(|e| e.key.name.clone())),
            _ => {}
        }
    }
    found
}

struct SiteFinder<'a> {
    source: &'a Arc<Source>,
    names: Vec<String>,
    when: Option<(String, Vec<String>)>,
    found: Vec<Site>,
}

impl SiteFinder<'_> {
    fn body(&mut self, table: &TomlTable) {
        for entry in &table.entries {
            match (entry.key.name.as_str(), &entry.value.data) {
                ("when", Data::List(list)) => list.iter().for_each(|value| self.option(value)),
                (section, Data::Table(inner)) => {
                    inner.entries.iter().for_each(|e| self.entry(section, e));
                }
                _ => {}
            }
        }
    }

    fn option(&mut self, value: &TomlValue) {
        let Data::Table(table) = &value.data else { return };
        let option = table.get("option").and_then(|e| e.value.as_text()).map(|t| t.text);
        let word = |v: &TomlValue| match &v.data {
            Data::Text(text) => Some(text.clone()),
            Data::Boolean(b) => Some(b.to_string()),
            _ => None,
        };
        let is = table.get("is").map(|e| match &e.value.data {
            Data::List(list) => list.iter().filter_map(word).collect(),
            _ => word(&e.value).into_iter().collect(),
        });
        self.when = option.zip(is);
        self.body(table);
        self.when = None;
    }

    /// One entry of a section.
    fn entry(&mut self, section: &str, entry: &TomlEntry) {
        let path = format!("{section}.{}", entry.key.name);
        let inner = match &entry.value.data {
            Data::Table(inner) => inner.entries.as_slice(),
            _ => &[],
        };
        let fields =
            |keys: &'static [&'static str]| inner.iter().filter(move |e| keys.contains(&e.key.name.as_str()));
        let below = |e: &TomlEntry| format!("{path}.{}", e.key.name);
        match section {
            "parameters" if inner.is_empty() => self.expression(&path, &entry.value),
            "parameters" | "ports" => {
                fields(&["default", "value"]).for_each(|e| self.expression(&below(e), &e.value));
                if section == "ports" {
                    let given = fields(&["gives"]).filter_map(|e| as_table(&e.value));
                    given.flat_map(|t| &t.entries).for_each(|e| self.expression(&below(e), &e.value));
                }
            }
            "variables" | "inputs" => fields(&["start"]).for_each(|e| self.expression(&below(e), &e.value)),
            "modes" if inner.is_empty() => self.expression(&path, &entry.value),
            "modes" => fields(&["start"]).for_each(|e| self.expression(&below(e), &e.value)),
            "equations" => self.equation(&path, &entry.value),
            "terms" => self.expression(&path, &entry.value),
            "outputs" if inner.is_empty() => self.expression(&path, &entry.value),
            "outputs" => fields(&["value"]).for_each(|e| self.expression(&below(e), &e.value)),
            "events" | "tasks" => {
                fields(&["when", "period", "offset"]).for_each(|e| self.expression(&below(e), &e.value));
                let set = fields(&["set"]).filter_map(|e| as_table(&e.value));
                set.flat_map(|t| &t.entries)
                    .for_each(|e| self.expression(&format!("{path}.set.{}", e.key.name), &e.value));
            }
            "bond_graph" | "linear_graph" if matches!(entry.key.name.as_str(), "laws" | "elements") => {
                for law in inner {
                    let keys = as_table(&law.value).into_iter().flat_map(|t| &t.entries);
                    keys.filter(|e| LAW.contains(&e.key.name.as_str())).for_each(|e| {
                        self.expression(&format!("{path}.{}.{}", law.key.name, e.key.name), &e.value);
                    });
                }
            }
            "components" => inner
                .iter()
                .filter(|e| e.key.name != "type" && !self.is_word(&e.value))
                .cloned()
                .collect::<Vec<_>>()
                .iter()
                .for_each(|e| self.expression(&below(e), &e.value)),
            "tables" => fields(&["x", "y", "z"]).for_each(|e| self.column(&below(e), &e.value)),
            "common" => inner.iter().for_each(|e| self.expression(&below(e), &e.value)),
            _ => {}
        }
    }

    /// The choice of an option: a name that the file does not define.
    fn is_word(&self, value: &TomlValue) -> bool {
        match value.as_text().map(|t| parse_expression(&t.text)) {
            Some(Ok(Ast { kind: AstKind::Name(name), .. })) => {
                let first = name.split('.').next().unwrap_or(&name).to_string();
                !self.names.contains(&first) && name != "time"
            }
            Some(Ok(_)) => false,
            Some(Err(_)) => true,
            None => matches!(value.data, Data::Boolean(_)),
        }
    }

    fn push(&mut self, path: &str, value: &TomlValue, mutants: Vec<Mutant>) {
        let (line, _) = self.source.position(value.span.range.start);
        let range = value.span.range.clone();
        self.found.push(Site { path: path.into(), line, range, when: self.when.clone(), mutants });
    }

    /// A number or a formula; a list has one for each bond.
    fn expression(&mut self, path: &str, value: &TomlValue) {
        if let Data::List(list) = &value.data {
            list.iter().enumerate().for_each(|(k, v)| self.expression(&format!("{path}.{k}"), v));
            return;
        }
        if let Some(number) = value.as_number() {
            // What an event sets to 1 or −1 is a flag: only its sign is asked for.
            if path.contains(".set.") && number.abs() == 1.0 {
                let turned = Mutant { text: format!("{:?}", -number), change: format!("sign of {number}") };
                return self.push(path, value, vec![turned]);
            }
            let change = format!("{} × {FACTOR}", value.span.text());
            let scaled = Mutant { text: format!("{:?}", FACTOR * number), change };
            self.push(path, value, if number == 0.0 { vec![] } else { vec![scaled] });
            return;
        }
        let Some(Ok(ast)) = value.as_text().map(|t| parse_expression(&t.text)) else { return };
        // Of a value that somebody chose there is no sign to mistake.
        let chosen = is_literal(&ast) && !path.contains(".laws.") && !path.starts_with("terms");
        let mut list = faults(&ast);
        if chosen {
            list.truncate(usize::from(!is_zero(&ast)));
        }
        let quoted = |ast: &Ast| format!("{:?}", ast.to_string());
        let mutants = list.into_iter().map(|f| Mutant { text: quoted(&f.ast), change: f.change });
        self.push(path, value, mutants.collect());
    }

    fn equation(&mut self, path: &str, value: &TomlValue) {
        let Some(Ok((left, right))) = value.as_text().map(|t| parse_equation(&t.text)) else { return };
        let mut list = equation_faults(&left, &right);
        // 0 = sum: nothing but the sum has a meaning.
        list.retain(|(f, _)| f.change != format!("{right} × {FACTOR}") || !is_zero(&left));
        let mutants = list.into_iter().map(|(f, of_left)| {
            let text = if of_left { format!("{} = {right}", f.ast) } else { format!("{left} = {}", f.ast) };
            Mutant { text: format!("{text:?}"), change: f.change }
        });
        self.push(path, value, mutants.collect());
    }

    /// The column of a table, as a whole; its shape is not a law of its own.
    fn column(&mut self, path: &str, value: &TomlValue) {
        let list = match &value.data {
            Data::List(_) => value,
            Data::Table(table) => match table.get("values") {
                Some(entry) => &entry.value,
                None => return,
            },
            _ => return,
        };
        let Data::List(cells) = &list.data else { return };
        let mutants = cells.iter().filter_map(|cell| {
            let number = cell.as_number().filter(|n| *n != 0.0)?;
            let start = cell.span.range.start - list.span.range.start;
            let mut text = list.span.text().to_string();
            text.replace_range(start..start + cell.span.range.len(), &format!("{:?}", FACTOR * number));
            Some(Mutant { text, change: format!("{} × {FACTOR}", cell.span.text()) })
        });
        let mutants = mutants.collect();
        self.push(path, list, mutants);
    }
}

fn as_table(value: &TomlValue) -> Option<&TomlTable> {
    match &value.data {
        Data::Table(table) => Some(table),
        _ => None,
    }
}

impl Site {
    /// The file with something else in this place.
    pub fn with(&self, source: &Source, text: &str) -> String {
        let mut whole = source.text.clone();
        whole.replace_range(self.range.clone(), text);
        whole
    }

    /// The name of the parameter, law or equation.
    pub fn symbol(&self) -> &str {
        self.path.split('.').nth(1).unwrap_or("")
    }

    pub(crate) fn is_default(&self) -> bool {
        self.path.starts_with("parameters.") || self.path.starts_with("ports.")
    }
}

/// Whether the value in this place is a number somebody chose, and no formula.
pub fn is_number(source: &Source, site: &Site) -> bool {
    let text = source.text.get(site.range.clone()).unwrap_or("");
    match parse_expression(text.trim_matches('"')) {
        Ok(ast) => references(&ast).is_empty() && is_literal(&ast),
        Err(_) => false,
    }
}
