//! Units in which results are shown: `[display]`, and the same from the command line or a user's preference.
//!
//! A unit of the list is for every quantity of its dimension; one with a name, `pump.p=MPa`, for what fits that name. Angles
//! have no dimension, so that `deg` is for what is in rad alone and `rpm` for what is in rad/s, not for frequencies. A unit with
//! a shifted zero is for absolute values, not for differences.

use trunnion_equations::DisplayUnit as Shown;

use crate::component::{flatten, wrong_dimension};
use crate::diagnostic::Diagnostic;
use crate::file::{Data, Fields, Span, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue};
use crate::instantiate::{ModelBuilder, Sets};
use crate::run::matches;
use crate::units::{Dimension, Unit, UnitError, has_angle, parse_unit};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Display {
    /// Names, with `*` for anything, and their units; the first that fits counts.
    signals: Vec<(String, Unit)>,
    units: Vec<Unit>,
}

impl Display {
    /// `bar, l/min, deg, boom.p=MPa`.
    pub fn parse(text: &str) -> Result<Display, UnitError> {
        Self::parse_list(text, ',')
    }

    fn parse_list(text: &str, separator: char) -> Result<Display, UnitError> {
        let mut display = Display::default();
        let mut at = 0;
        for item in text.split(separator) {
            display.add(item).map_err(|e| UnitError { span: at + e.span.start..at + e.span.end, ..e })?;
            at += item.len() + separator.len_utf8();
        }
        Ok(display)
    }

    fn add(&mut self, item: &str) -> Result<(), UnitError> {
        // The last `=`: a name may be an expression with a relation.
        match item.rsplit_once('=') {
            Some((name, unit)) => self.signals.push((name.trim().into(), parse_unit(unit.trim())?)),
            None if item.trim().is_empty() => {}
            None => self.units.push(parse_unit(item.trim())?),
        }
        Ok(())
    }

    /// This, and where it says nothing, the other.
    pub fn or(mut self, other: Display) -> Display {
        self.signals.extend(other.signals);
        self.units.extend(other.units);
        self
    }

    /// The unit to show a quantity in that has the unit `own`; None: its own.
    pub fn unit(&self, name: &str, own: &str) -> Option<&Unit> {
        let own = parse_unit(own).ok()?;
        let of_name = self.signals.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, unit)| unit);
        if let Some(unit) = of_name {
            return Some(unit).filter(|u| u.dimension == own.dimension);
        }
        self.units.iter().find(|unit| fits(unit, name, &own))
    }

    /// Changes the units of results.
    pub fn apply<'c>(&self, columns: impl IntoIterator<Item = (&'c str, &'c mut Shown)>) {
        for (name, shown) in columns {
            if let Some(unit) = self.unit(name, &shown.text) {
                *shown = Shown::from(unit);
            }
        }
    }

    /// The units of these quantities, names and units as in results, in a form that `recall` reads.
    pub fn remember<'c>(&self, columns: impl IntoIterator<Item = (&'c str, &'c str)>) -> String {
        let shown = columns
            .into_iter()
            .filter_map(|(name, own)| Some(format!("{name}={}", self.unit(name, own)?.text)));
        shown.collect::<Vec<_>>().join("; ")
    }

    pub fn recall(text: &str) -> Result<Display, UnitError> {
        Self::parse_list(text, ';')
    }
}

/// Whether a unit of the list is for a quantity.
fn fits(unit: &Unit, name: &str, own: &Unit) -> bool {
    let plain = unit.dimension == Dimension::ONE && !has_angle(unit);
    // A moment is in N·m, an energy in J: one dimension, two meanings.
    let newtons = |u: &Unit| u.text.contains('N');
    let energy = Dimension::POWER * Dimension::TIME;
    let last = name.rsplit('.').next().unwrap_or(name);
    let absolute = own.offset != 0.0
        || last.starts_with("temp")
        || last == "p"
        || last.starts_with("p_")
        || last.starts_with('P') && unit.dimension != Dimension::TEMPERATURE;
    unit.dimension == own.dimension
        && !plain
        && has_angle(unit) == has_angle(own)
        && (unit.dimension != energy || newtons(unit) == newtons(own))
        && (unit.offset == 0.0 || absolute)
}

impl ModelBuilder<'_> {
    /// From outside the files, then from the files, the outermost first.
    pub(crate) fn read_displays(&mut self, written: &[TomlEntry], sets: &Sets) -> Display {
        let mut outside = vec![];
        for mut entry in sets.under("display.") {
            match entry.key.name.strip_prefix("signals.").map(String::from) {
                Some(name) => {
                    entry.key.name = name;
                    let table = TomlTable { entries: vec![entry.clone()], span: entry.key.span.clone() };
                    let span = entry.key.span.clone();
                    let key = TomlKey { name: "signals".into(), span: span.clone() };
                    outside.push(TomlEntry { key, value: TomlValue { data: Data::Table(table), span } });
                }
                None => outside.push(entry),
            }
        }
        let one =
            |entry: &TomlEntry| TomlTable { entries: vec![entry.clone()], span: entry.key.span.clone() };
        outside
            .iter()
            .chain(written)
            .fold(Display::default(), |all, entry| all.or(self.read_display(&one(entry))))
    }

    fn read_display(&mut self, table: &TomlTable) -> Display {
        let problems = self.problems;
        let f = Fields::new(table, "[display]", &table.span, problems);
        let mut display = Display::default();
        for text in f.texts("units") {
            match Display::parse(&text.text) {
                Ok(list) => display = display.or(list),
                Err(error) => problems.add(
                    Diagnostic::error("M0110", error.message)
                        .at(&text.at(&error.span), "")
                        .hint_if(error.hint.or(Some("as in units = [\"bar\", \"l/min\", \"deg\"]".into()))),
                ),
            }
        }
        for (key, value) in flatten(f.entries("signals")) {
            let Some(text) = value.as_text() else {
                problems.add(crate::file::wrong_type(value, &key.name, "a unit"));
                continue;
            };
            let Some(unit) = self.display_unit(&text) else { continue };
            self.patterns(vec![TomlText { text: key.name.clone(), span: key.span.clone() }]);
            self.check_display(&key.name, &unit, &text.span);
            display.signals.push((key.name, unit));
        }
        f.finish();
        display
    }

    fn display_unit(&self, text: &TomlText) -> Option<Unit> {
        let report = |e: UnitError| {
            self.problems
                .add(Diagnostic::error("M0110", e.message).at(&text.at(&e.span), "").hint_if(e.hint));
        };
        parse_unit(&text.text).map_err(report).ok()
    }

    /// A unit that is not one of the quantity.
    fn check_display(&self, name: &str, unit: &Unit, span: &Span) {
        let own = self.names.map.get(name).and_then(|n| n.unit.as_ref()).map(|u| u.dimension);
        if let Some(own) = own.filter(|own| *own != unit.dimension) {
            self.problems.add(wrong_dimension(span, own, unit.dimension, &format!("`{name}` is")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_for_what_they_measure() {
        let display = Display::parse("bar, l/min, deg, rpm, °C, kNm, mm, boom.p=MPa, *.force=kN").unwrap();
        for (name, own, expected) in [
            ("pump.p", "Pa", Some("bar")),
            ("boom.p", "Pa", Some("MPa")),
            ("q", "m^3/s", Some("l/min")),
            ("phi", "rad", Some("deg")),
            ("share", "", None),
            ("w", "rad/s", Some("rpm")),
            ("f", "Hz", None),
            ("rate", "1/s", None),
            ("a.temp", "K", Some("°C")),
            ("room", "°F", Some("°C")),
            ("dT", "K", None),
            ("tau", "N m", Some("kNm")),
            ("work", "J", None),
            ("x", "m", Some("mm")),
            ("a.force", "N", Some("kN")),
            ("b.force", "m", None),
        ] {
            assert_eq!(display.unit(name, own).map(|u| u.text.as_str()), expected, "{name} in {own}");
        }
        let text = display.remember([("pump.p", "Pa"), ("max(a, b)", "m"), ("n", "")]);
        assert_eq!(text, "pump.p=bar; max(a, b)=mm");
        assert_eq!(Display::recall(&text).unwrap().unit("max(a, b)", "m").unwrap().text, "mm");
        assert!(Display::parse("bar, nonsense").is_err());
        assert_eq!(Display::parse("").unwrap(), Display::default());
    }

    #[test]
    fn what_is_said_first_counts() {
        let display = Display::parse("MPa").unwrap().or(Display::parse("bar, x.p=kPa").unwrap());
        assert_eq!(display.unit("y.p", "Pa").unwrap().text, "MPa");
        assert_eq!(display.unit("x.p", "Pa").unwrap().text, "kPa");
    }
}
