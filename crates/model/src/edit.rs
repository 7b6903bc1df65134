//! Edits of a model's text that keep its comments, order and spacing.

use std::fmt;

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

#[derive(Clone, Debug, PartialEq)]
pub enum EditError {
    /// The text is not valid TOML.
    Syntax { message: String },
    /// There is no such thing to change.
    Missing { name: String },
    /// The name is taken.
    Taken { name: String },
    /// Something stands there that cannot be changed this way.
    Shape { name: String },
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Syntax { message } => write!(f, "not valid TOML: {message}"),
            EditError::Missing { name } => write!(f, "there is no `{name}`"),
            EditError::Taken { name } => write!(f, "`{name}` is there already"),
            EditError::Shape { name } => write!(f, "`{name}` is not written in a way that can be edited"),
        }
    }
}

impl std::error::Error for EditError {}

/// The text of a model, being edited.
#[derive(Clone, Debug)]
pub struct Edit {
    document: DocumentMut,
}

impl Edit {
    pub fn new(text: &str) -> Result<Self, EditError> {
        let document = text.parse().map_err(|e: toml_edit::TomlError| {
            let message = e.message().to_string();
            EditError::Syntax { message }
        })?;
        Ok(Edit { document })
    }

    pub fn text(&self) -> String {
        self.document.to_string()
    }

    /// Gives a parameter of the model another value; one that is not there yet is added.
    pub fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), EditError> {
        let parameters = self.section("parameters")?;
        match parameters.get_mut(name).filter(|item| item.is_table_like()) {
            Some(item) => {
                let default = item.as_table_like().is_some_and(|t| t.contains_key("default"));
                put_inside(item, if default { "default" } else { "value" }, value)
            }
            None => put(parameters, name, value),
        }
    }

    /// The value of a variable, mode or input at the beginning.
    pub fn set_start(&mut self, name: &str, value: &str) -> Result<(), EditError> {
        for section in ["variables", "modes", "inputs"] {
            let Some(entries) = self.document.get_mut(section).and_then(Item::as_table_like_mut) else {
                continue;
            };
            let Some(item) = entries.get_mut(name) else { continue };
            if item.is_table_like() {
                return put_inside(item, "start", value);
            }
            // A bare string is the unit, anything else the start itself.
            let Some(unit) = item.as_str().map(str::to_string) else { return put(entries, name, value) };
            let mut table = InlineTable::new();
            table.insert("unit", unit.into());
            table.insert("start", value_of(value));
            return replace(item, Value::InlineTable(table), name);
        }
        Err(EditError::Missing { name: name.into() })
    }

    /// A parameter, option or `start.x` of a component.
    pub fn set_argument(&mut self, component: &str, key: &str, value: &str) -> Result<(), EditError> {
        let components = self.section("components")?;
        let missing = || EditError::Missing { name: component.into() };
        let item = components.get_mut(component).ok_or_else(missing)?;
        if let Some(kind) = item.as_str().map(str::to_string) {
            let mut table = InlineTable::new();
            table.insert("type", kind.into());
            replace(item, Value::InlineTable(table), component)?;
        }
        let Some((outer, inner)) = key.split_once('.') else { return put_inside(item, key, value) };
        let table = item.as_table_like_mut().ok_or_else(|| EditError::Shape { name: component.into() })?;
        if let Some(nested) = table.get_mut(outer) {
            return put_inside(nested, inner, value);
        }
        let mut dotted = InlineTable::new();
        dotted.set_dotted(true);
        dotted.insert(inner, value_of(value));
        append(item, outer, Value::InlineTable(dotted));
        Ok(())
    }

    /// Where a variable of a component begins: `start.x`, or `x0` where it is written so.
    pub fn set_component_start(
        &mut self,
        component: &str,
        variable: &str,
        value: &str,
    ) -> Result<(), EditError> {
        let short = format!("{variable}0");
        let item = self.document.get("components").and_then(|c| c.get(component));
        if item.is_none() {
            return Err(EditError::Missing { name: component.into() });
        }
        let written_short = item.and_then(Item::as_table_like).is_some_and(|t| t.contains_key(&short));
        let key = if written_short { short } else { format!("start.{variable}") };
        self.set_argument(component, &key, value)
    }

    /// Where a coordinate or velocity of a joint begins: `phi0`.
    pub fn set_joint_start(&mut self, joint: &str, variable: &str, value: &str) -> Result<(), EditError> {
        put_inside(self.joint(joint)?, &format!("{variable}0"), value)
    }

    /// How the child of a joint is turned at the beginning: `rotate0`.
    pub fn set_joint_rotation(&mut self, joint: &str, angles: &[String; 3]) -> Result<(), EditError> {
        let list: Array = angles.iter().map(|angle| value_of(angle)).collect();
        let item = self.joint(joint)?;
        let table = item.as_table_like_mut().ok_or_else(|| EditError::Shape { name: joint.into() })?;
        match table.get_mut("rotate0") {
            Some(old) => replace(old, Value::Array(list), "rotate0"),
            None => {
                append(item, "rotate0", Value::Array(list));
                Ok(())
            }
        }
    }

    fn joint(&mut self, name: &str) -> Result<&mut Item, EditError> {
        let found = self.document.get_mut("joints").and_then(|joints| joints.get_mut(name));
        found.ok_or_else(|| EditError::Missing { name: name.into() })
    }

    /// A setting of the run.
    pub fn set_run(&mut self, key: &str, value: &str) -> Result<(), EditError> {
        put(self.section("run")?, key, value)
    }

    pub fn add_component(
        &mut self,
        name: &str,
        kind: &str,
        arguments: &[(&str, &str)],
    ) -> Result<(), EditError> {
        let components = self.section("components")?;
        if components.contains_key(name) {
            return Err(EditError::Taken { name: name.into() });
        }
        let mut table = InlineTable::new();
        table.insert("type", kind.into());
        for (key, value) in arguments {
            table.insert(*key, value_of(value));
        }
        components.insert(name, Item::Value(Value::InlineTable(table)));
        Ok(())
    }

    /// Removes a component and every connection to it.
    pub fn remove_component(&mut self, name: &str) -> Result<(), EditError> {
        let missing = || EditError::Missing { name: name.into() };
        self.section("components")?.remove(name).ok_or_else(missing)?;
        let inside =
            |end: &str| end == name || end.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        self.remove_ends(&|_, other| inside(other), &inside)
    }

    /// Joins two ports.
    pub fn connect(&mut self, a: &str, b: &str) -> Result<(), EditError> {
        let connect = self.section("connect")?;
        if !connect.contains_key(a) && connect.contains_key(b) {
            return self.connect(b, a);
        }
        let Some(item) = connect.get_mut(a) else {
            connect.insert(a, Item::Value(b.into()));
            return Ok(());
        };
        if let Some(list) = item.as_array_mut() {
            list.push(b);
            return Ok(());
        }
        let Some(other) = item.as_str().map(str::to_string) else {
            return Err(EditError::Shape { name: a.into() });
        };
        let list: Array = [other.as_str(), b].into_iter().collect();
        replace(item, Value::Array(list), a)
    }

    /// Parts two ports that one connection names together.
    pub fn disconnect(&mut self, a: &str, b: &str) -> Result<(), EditError> {
        let before = self.text();
        self.remove_ends(&|key, other| (key == a && other == b) || (key == b && other == a), &|_| false)?;
        if self.text() == before {
            return Err(EditError::Missing { name: format!("{a} = {b}") });
        }
        Ok(())
    }

    /// Removes ends from lists, and connections that are left with nothing or whose key goes.
    fn remove_ends(
        &mut self,
        end: &dyn Fn(&str, &str) -> bool,
        key_goes: &dyn Fn(&str) -> bool,
    ) -> Result<(), EditError> {
        let Some(connect) = self.document.get_mut("connect").and_then(Item::as_table_like_mut) else {
            return Ok(());
        };
        let keys: Vec<String> = connect.iter().map(|(key, _)| key.to_string()).collect();
        for key in keys {
            let Some(item) = connect.get_mut(&key) else { continue };
            let empty = match item {
                Item::Value(Value::Array(list)) => {
                    list.retain(|v| !v.as_str().is_some_and(|other| end(&key, other)));
                    list.is_empty()
                }
                Item::Value(Value::String(other)) => end(&key, other.value()),
                _ => false,
            };
            if key_goes(&key) && !empty {
                self_join(connect, &key);
            } else if empty {
                connect.remove(&key);
            }
        }
        Ok(())
    }

    /// A section, made at the end if it is not there.
    fn section(&mut self, name: &str) -> Result<&mut dyn TableLike, EditError> {
        let item = self.document.entry(name).or_insert_with(|| Item::Table(Table::new()));
        item.as_table_like_mut().ok_or_else(|| EditError::Shape { name: name.into() })
    }
}

/// A connection loses its key: what it joined stays joined, under the first of the others.
fn self_join(connect: &mut dyn TableLike, key: &str) {
    let Some(Item::Value(Value::Array(list))) = connect.remove(key) else { return };
    let ends: Vec<&str> = list.iter().filter_map(|v| v.as_str()).collect();
    if let [first, second, rest @ ..] = ends.as_slice() {
        let others: Array = std::iter::once(second).chain(rest).copied().collect();
        let value = if rest.is_empty() { Value::from(*second) } else { Value::Array(others) };
        connect.insert(first, Item::Value(value));
    }
}

/// A number, true or false as such; everything else as a string.
fn value_of(text: &str) -> Value {
    let text = text.trim();
    let number = text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from));
    let number = number.ok().filter(|v| v.as_float().is_none_or(f64::is_finite));
    number.or_else(|| text.parse::<bool>().ok().map(Value::from)).unwrap_or_else(|| text.into())
}

fn put(table: &mut dyn TableLike, key: &str, value: &str) -> Result<(), EditError> {
    match table.get_mut(key) {
        Some(item) => replace(item, value_of(value), key),
        None => {
            table.insert(key, Item::Value(value_of(value)));
            Ok(())
        }
    }
}

/// The same in a table that stands in an item.
fn put_inside(item: &mut Item, key: &str, value: &str) -> Result<(), EditError> {
    let table = item.as_table_like_mut().ok_or_else(|| EditError::Shape { name: key.into() })?;
    match table.get_mut(key) {
        Some(old) => replace(old, value_of(value), key),
        None => {
            append(item, key, value_of(value));
            Ok(())
        }
    }
}

/// A new entry at the end of a table. In `{ a = 1 }` the space before the brace stays there.
fn append(item: &mut Item, key: &str, mut value: Value) {
    if let Some(inline) = item.as_inline_table_mut() {
        let last = inline.iter().last().map(|(key, _)| key.to_string());
        if let Some(old) = last.and_then(|last| inline.get_mut(&last)) {
            let suffix = old.decor_mut().suffix().cloned().unwrap_or_default();
            old.decor_mut().set_suffix("");
            match value.as_inline_table_mut().and_then(|dotted| dotted.iter_mut().next()) {
                Some((_, inner)) => inner.decor_mut().set_suffix(suffix),
                None => value.decor_mut().set_suffix(suffix),
            }
        }
        inline.insert(key, value);
    } else if let Some(table) = item.as_table_like_mut() {
        table.insert(key, Item::Value(value));
    }
}

/// Another value in the same place, with the spaces and comments around the old one.
fn replace(item: &mut Item, mut value: Value, name: &str) -> Result<(), EditError> {
    let old = item.as_value_mut().ok_or_else(|| EditError::Shape { name: name.into() })?;
    *value.decor_mut() = old.decor().clone();
    *old = value;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"# A swing.
[model]
name = "swing"   # keeps its name

[parameters]
m = "2 kg"       # heavy
k = { value = "200 N/m",   doc = "Stiffness" }

[variables]
x = { unit = "m", start = "0.1 m" } # from rest
v = "m/s"

[components]
# The source comes first.
s   = { type = "voltage_source",  U = "5 V" }
r1  = { type = "resistor", R = "1 kOhm" }   # load
g   = "ground"

[connect]
"s.p" = "r1.p"     # hot
"g"   = ["s.n", "r1.n"]
"#;

    /// An edit, and the lines that differ afterwards.
    fn changed(edit: impl Fn(&mut Edit) -> Result<(), EditError>) -> Vec<(String, String)> {
        let mut model = Edit::new(MODEL).unwrap();
        assert_eq!(model.text(), MODEL, "reading and writing changes nothing");
        edit(&mut model).unwrap();
        let text = model.text();
        let (old, new): (Vec<&str>, Vec<&str>) = (MODEL.lines().collect(), text.lines().collect());
        let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let rest = old.len().min(new.len()) - same_start;
        let same_end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let cut = |lines: &[&str]| lines[same_start..lines.len() - same_end].join("\n");
        vec![(cut(&old), cut(&new))]
    }

    fn check(edit: impl Fn(&mut Edit) -> Result<(), EditError>, old: &str, new: &str) {
        assert_eq!(changed(edit), [(old.to_string(), new.to_string())]);
    }

    #[test]
    fn an_edit_changes_only_what_it_names() {
        check(|e| e.set_parameter("m", "3 kg"), r#"m = "2 kg"       # heavy"#, r#"m = "3 kg"       # heavy"#);
        check(
            |e| e.set_parameter("k", "1 N/m"),
            r#"k = { value = "200 N/m",   doc = "Stiffness" }"#,
            r#"k = { value = "1 N/m",   doc = "Stiffness" }"#,
        );
        check(
            |e| e.set_start("x", "0.25"),
            r#"x = { unit = "m", start = "0.1 m" } # from rest"#,
            r#"x = { unit = "m", start = 0.25 } # from rest"#,
        );
        check(|e| e.set_start("v", "1 m/s"), r#"v = "m/s""#, r#"v = { unit = "m/s", start = "1 m/s" }"#);
        check(
            |e| e.set_argument("r1", "R", "2 kOhm"),
            r#"r1  = { type = "resistor", R = "1 kOhm" }   # load"#,
            r#"r1  = { type = "resistor", R = "2 kOhm" }   # load"#,
        );
        check(
            |e| e.set_argument("r1", "start.u", "1 V"),
            r#"r1  = { type = "resistor", R = "1 kOhm" }   # load"#,
            r#"r1  = { type = "resistor", R = "1 kOhm", start.u = "1 V" }   # load"#,
        );
        check(
            |e| e.set_component_start("r1", "u", "1 V"),
            r#"r1  = { type = "resistor", R = "1 kOhm" }   # load"#,
            r#"r1  = { type = "resistor", R = "1 kOhm", start.u = "1 V" }   # load"#,
        );
        check(
            |e| e.set_argument("r1", "u0", "2 V").and_then(|()| e.set_component_start("r1", "u", "1 V")),
            r#"r1  = { type = "resistor", R = "1 kOhm" }   # load"#,
            r#"r1  = { type = "resistor", R = "1 kOhm", u0 = "1 V" }   # load"#,
        );
    }

    #[test]
    fn components_and_connections_come_and_go() {
        check(
            |e| e.add_component("c1", "capacitor", &[("C", "1 uF")]),
            "",
            r#"c1 = { type = "capacitor", C = "1 uF" }"#,
        );
        check(|e| e.connect("r1.p", "c1.p"), "", r#""r1.p" = "c1.p""#);
        check(|e| e.connect("g", "c1.n"), r#""g"   = ["s.n", "r1.n"]"#, r#""g"   = ["s.n", "r1.n", "c1.n"]"#);
        check(
            |e| e.connect("c1.p", "s.p"),
            r#""s.p" = "r1.p"     # hot"#,
            r#""s.p" = ["r1.p", "c1.p"]     # hot"#,
        );
        check(|e| e.disconnect("g", "r1.n"), r#""g"   = ["s.n", "r1.n"]"#, r#""g"   = ["s.n"]"#);
        let mut model = Edit::new(MODEL).unwrap();
        model.remove_component("r1").unwrap();
        let text = model.text();
        assert!(
            !text.contains("r1") && text.contains("# The source comes first.") && text.contains(r#"["s.n"]"#)
        );
        let mut model = Edit::new(MODEL).unwrap();
        model.remove_component("g").unwrap();
        assert!(model.text().contains(r#""s.n" = "r1.n""#), "{}", model.text());
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let mut model = Edit::new(MODEL).unwrap();
        let missing = |name: &str| Err(EditError::Missing { name: name.into() });
        assert_eq!(model.set_argument("zz", "R", "1"), missing("zz"));
        assert_eq!(model.set_start("zz", "1"), missing("zz"));
        assert_eq!(model.disconnect("s.p", "g"), missing("s.p = g"));
        assert_eq!(model.add_component("g", "mass", &[]), Err(EditError::Taken { name: "g".into() }));
        assert_eq!(model.text(), MODEL);
        assert!(matches!(Edit::new("a = "), Err(EditError::Syntax { .. })));
        assert_eq!(
            Edit::new("run = 3").unwrap().set_run("t_end", "1"),
            Err(EditError::Shape { name: "run".into() })
        );
    }
}
