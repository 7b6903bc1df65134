//! How a model is driven by hand, `[live]`: its rate, the keys that move its inputs, what to show.

use crate::component::read_scalar;
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::file::{Data, Fields, TomlEntry, TomlTable, TomlText, wrong_type};
use crate::instantiate::{ModelBuilder, NameRole, si};
use crate::units::{Dimension, Unit};

/// What a key does to its input, in SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    /// Adds this at every press.
    Step(f64),
    /// This while it is held down, then zero.
    Hold(f64),
    /// This from now on.
    Set(f64),
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeyBinding {
    /// A character, or one of `KEYS`.
    pub key: String,
    /// The full name of an input.
    pub input: String,
    pub action: Move,
    /// Limits of the input, in SI.
    pub range: (f64, f64),
}

/// Settings of live runs; None: the program's own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// Periods in a second.
    pub rate: Option<f64>,
    pub rtol: Option<f64>,
    /// Steps tried in a period.
    pub steps: Option<usize>,
    /// Names to show while it runs.
    pub show: Vec<String>,
    pub keys: Vec<KeyBinding>,
}

/// Keys with a name of their own.
pub(crate) const KEYS: [&str; 6] = ["up", "down", "left", "right", "enter", "tab"];
/// Keys that every live run has, and what they do.
pub(crate) const TAKEN: [(&str, &str); 3] =
    [("p", "pauses"), ("s", "saves a snapshot"), ("space", "puts all inputs to zero")];

impl ModelBuilder<'_> {
    pub(crate) fn read_live(&mut self, table: &TomlTable) -> Live {
        let problems = self.problems;
        let f = Fields::new(table, "[live]", &table.span, problems);
        let live = Live {
            rate: self.positive(f.value("rate"), "rate", &si(Dimension::ONE / Dimension::TIME)),
            rtol: self.positive(f.value("rtol"), "rtol", &si(Dimension::ONE)),
            steps: f.count("steps").map(|n| n.max(1)),
            show: self.patterns(f.texts("show")),
            keys: f.entries("keys").iter().filter_map(|entry| self.read_key(entry)).collect(),
        };
        f.finish();
        live
    }

    fn read_key(&mut self, entry: &TomlEntry) -> Option<KeyBinding> {
        let (key, problems) = (entry.key.name.clone(), self.problems);
        let error = |text: String| Diagnostic::error("M0404", text);
        if let Some((_, does)) =
            TAKEN.iter().find(|(taken, _)| *taken == key || (*taken == "space" && key == " "))
        {
            let text = format!("the key `{key}` has a meaning of its own");
            problems.add(error(text).at(&entry.key.span, format!("it {does}")).hint("take another key"));
            return None;
        }
        let one_character = key.chars().count() == 1 && key.chars().all(|c| !c.is_control());
        if !one_character && !KEYS.contains(&key.as_str()) {
            let known = format!("a key is one character, or {}", one_of(KEYS));
            problems.add(
                error(format!("there is no key `{key}`")).at(&entry.key.span, "unknown key").hint(known),
            );
            return None;
        }
        let Data::Table(table) = &entry.value.data else {
            problems.add(wrong_type(&entry.value, &key, "a table, as in { input = \"u\", step = 0.1 }"));
            return None;
        };
        let f = Fields::new(table, format!("the key `{key}`"), &entry.key.span, problems);
        let Some(input) = f.text("input") else {
            if f.value("input").is_none() {
                f.missing("input", "the name of an input that it moves");
            }
            return None;
        };
        let unit = self.input_unit(&input)?;
        let action = self.read_move(&f, &unit);
        let limit = |builder: &mut Self, key| builder.number(f.value(key), key, &unit);
        let range = (limit(self, "min"), limit(self, "max"));
        let range = (range.0.unwrap_or(f64::NEG_INFINITY), range.1.unwrap_or(f64::INFINITY));
        if let (true, Some(max)) = (range.0 > range.1, f.entry("max")) {
            let error = Diagnostic::error("M0108", "`max` has to be above `min`");
            problems.add(error.at(&max.value.span, "this is below"));
        }
        f.finish();
        Some(KeyBinding { key, input: input.text, action: action?, range })
    }

    fn read_move(&mut self, f: &Fields<'_>, unit: &Unit) -> Option<Move> {
        let hint = "`step` adds at every press, `hold` lasts while it is down, `set` stays";
        let step = f.value("step").map(|value| {
            let scalar = read_scalar(value, "step", self.problems);
            self.difference(&scalar, 0, Some(unit), "`step`").map(|(_, v)| v)
        });
        let [hold, set] =
            ["hold", "set"].map(|key| f.value(key).map(|value| self.number(Some(value), key, unit)));
        match (step, hold, set) {
            (Some(x), None, None) => x.map(Move::Step),
            (None, Some(x), None) => x.map(Move::Hold),
            (None, None, Some(x)) => x.map(Move::Set),
            (None, None, None) => {
                f.missing("step", hint);
                None
            }
            _ => {
                let pairs = [("step", "hold"), ("step", "set"), ("hold", "set")];
                pairs.iter().any(|(a, b)| f.exclude(a, b, hint));
                None
            }
        }
    }

    fn input_unit(&self, input: &TomlText) -> Option<Unit> {
        let inputs = self.names.map.iter().filter(|(_, named)| named.role == NameRole::Input);
        match self.names.map.get(&input.text) {
            Some(named) if named.role == NameRole::Input => {
                return Some(named.unit.clone().unwrap_or_else(|| si(Dimension::ONE)));
            }
            _ if self.names.is_broken(&input.text) => return None,
            Some(named) => self.problems.add(
                Diagnostic::error("M0405", format!("`{}` is no input", input.text))
                    .at(&input.span, format!("this is {}", named.role.article()))
                    .hint("declare it in [inputs]; keys move inputs only"),
            ),
            None => self.problems.add(
                Diagnostic::error("M0405", format!("there is no input `{}`", input.text))
                    .at(&input.span, "unknown input")
                    .hint_if(did_you_mean(&input.text, inputs.map(|(name, _)| name.as_str()))),
            ),
        }
        None
    }
}
