//! Values of the description of an elastic body: plain numbers with their units, material, damping, modes.

use super::elastic_part::BodyDamping;
use super::elastic_reader::{ElasticReader, IMPOSSIBLE, NOT_PLAIN, TOO_MANY_MODES};
use super::fe_mesh::ElasticMaterial;
use super::wrong_length;
use crate::diagnostic::{Diagnostic, did_you_mean, one_of};
use crate::file::{Data, Fields, Span, TomlValue};
use crate::units::{parse_unit, parse_value};

/// Modes of a body that does not say how many.
const MODES: usize = 6;

/// E, ν and ρ in SI at room temperature, as handbooks round them.
const MATERIALS: [(&str, [f64; 3]); 4] = [
    ("steel", [210e9, 0.3, 7850.0]),
    ("stainless_steel", [200e9, 0.3, 7900.0]),
    ("aluminium", [70e9, 0.33, 2700.0]),
    ("titanium", [114e9, 0.34, 4430.0]),
];

impl ElasticReader<'_> {
    /// A number with its unit.
    pub(super) fn number(&self, value: &TomlValue, key: &str, unit: &str) -> Option<f64> {
        let wanted = parse_unit(unit).ok()?;
        let wrong = |label: String, hint: String| {
            let error = Diagnostic::error(
                NOT_PLAIN,
                format!("`{key}` of `{}` is no plain number", self.part.key.name),
            );
            self.problems.add(error.at(&value.span, label).hint(hint));
            None
        };
        let example = if unit.is_empty() { "0.3".to_string() } else { format!("\"1.5 {unit}\"") };
        match &value.data {
            Data::Integer(_) | Data::Number(_) => match value.as_number() {
                Some(x) if x.is_finite() && (x == 0.0 || unit.is_empty()) => Some(x),
                Some(x) if x.is_finite() => {
                    wrong("without a unit".into(), format!("with its unit, such as {example}"))
                }
                _ => wrong("not finite".into(), format!("a number such as {example}")),
            },
            Data::Text(text) => match parse_value(text) {
                Ok(read) if read.unit.dimension == wanted.dimension => Some(read.si),
                Ok(read) if read.si == 0.0 => Some(0.0),
                Ok(_) => {
                    wrong(format!("has to be in {}", shown(unit)), format!("a number such as {example}"))
                }
                Err(_) => wrong(
                    "an expression, or no number".into(),
                    format!(
                        "finite elements are built before parameters have values: a number such as {example}"
                    ),
                ),
            },
            _ => wrong(format!("this is {}", value.kind()), format!("a number such as {example}")),
        }
    }

    pub(super) fn positive(&self, value: &TomlValue, key: &str, unit: &str) -> Option<f64> {
        let x = self.number(value, key, unit)?;
        if x > 0.0 {
            return Some(x);
        }
        self.impossible(
            &value.span,
            format!("`{key}` of `{}` is not positive", self.part.key.name),
            "has to be above 0",
        );
        None
    }

    pub(super) fn impossible(&self, span: &Span, message: String, label: &str) {
        self.problems.add(Diagnostic::error(IMPOSSIBLE, message).at(span, label));
    }

    pub(super) fn vector(&self, value: &TomlValue, key: &str, unit: &str) -> Option<[f64; 3]> {
        let Data::List(list) = &value.data else {
            self.problems.add(wrong_length(value, key, "a list of 3 numbers"));
            return None;
        };
        let [x, y, z] = list.as_slice() else {
            self.problems.add(wrong_length(value, key, "three numbers"));
            return None;
        };
        let [x, y, z] = [x, y, z].map(|v| self.number(v, key, unit));
        Some([x?, y?, z?])
    }

    pub(super) fn material(&self) -> Option<ElasticMaterial> {
        let Some(value) = self.f.value("material") else {
            self.f.missing("material", "\"steel\", or { E = \"210 GPa\", nu = 0.3, rho = \"7850 kg/m^3\" }");
            return None;
        };
        self.material_of(value)
    }

    pub(super) fn material_of(&self, value: &TomlValue) -> Option<ElasticMaterial> {
        let Data::Table(table) = &value.data else { return self.named_material(value) };
        let f =
            Fields::new(table, format!("material of `{}`", self.part.key.name), &value.span, self.problems);
        let get = |key: &'static str, unit: &str, hint: &str| {
            if f.value(key).is_none() {
                f.missing(key, hint);
            }
            self.positive(f.value(key)?, key, unit)
        };
        let e = get("E", "Pa", "Young's modulus, \"210 GPa\"");
        let rho = get("rho", "kg/m^3", "density, \"7850 kg/m^3\"");
        let nu = match f.value("nu") {
            Some(value) => self.number(value, "nu", "").filter(|nu| {
                let good = *nu > -1.0 && *nu < 0.5;
                if !good {
                    self.impossible(
                        &value.span,
                        "no material has this ratio of Poisson".into(),
                        "has to be above -1 and below 0.5",
                    );
                }
                good
            }),
            None => {
                f.missing("nu", "Poisson's ratio, 0.3");
                None
            }
        };
        f.finish();
        Some(ElasticMaterial { youngs_modulus: e?, poissons_ratio: nu?, density: rho? })
    }

    fn named_material(&self, value: &TomlValue) -> Option<ElasticMaterial> {
        let names = || MATERIALS.iter().map(|(name, _)| *name);
        let text = value.as_text().map(|t| t.text).unwrap_or_default();
        let found = MATERIALS.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            self.problems.add(
                Diagnostic::error(IMPOSSIBLE, format!("there is no material `{text}`"))
                    .at(&value.span, format!("has to be {}", one_of(names())))
                    .hint("or { E = \"210 GPa\", nu = 0.3, rho = \"7850 kg/m^3\" }")
                    .hint_if(did_you_mean(&text, names())),
            );
        }
        let &[youngs_modulus, poissons_ratio, density] = &found?.1;
        Some(ElasticMaterial { youngs_modulus, poissons_ratio, density })
    }

    pub(super) fn damping(&self) -> Option<BodyDamping> {
        let Some(value) = self.f.value("damping") else { return Some(BodyDamping::Ratio(0.0)) };
        let at_least_0 = |x: Option<f64>, span: &Span| {
            x.filter(|x| {
                if *x < 0.0 {
                    self.impossible(span, "`damping` is negative".into(), "it would feed the vibration");
                }
                *x >= 0.0
            })
        };
        let Data::Table(table) = &value.data else {
            return at_least_0(self.number(value, "damping", ""), &value.span).map(BodyDamping::Ratio);
        };
        let f =
            Fields::new(table, format!("damping of `{}`", self.part.key.name), &value.span, self.problems);
        let get = |key: &'static str, unit: &str| match f.value(key) {
            Some(value) => at_least_0(self.number(value, key, unit), &value.span),
            None => Some(0.0),
        };
        let (mass, stiffness) = (get("mass", "1/s"), get("stiffness", "s"));
        f.finish();
        Some(BodyDamping::Rayleigh { mass: mass?, stiffness: stiffness? })
    }

    pub(super) fn modes(&self, most: usize, needed: bool) -> Option<usize> {
        let Some(entry) = self.f.entry("modes") else { return Some(MODES.min(most)) };
        let modes = self.f.count("modes")?;
        if modes > most {
            self.problems.add(
                Diagnostic::error(
                    TOO_MANY_MODES,
                    format!("`{}` does not have {modes} modes", self.part.key.name),
                )
                .at(&entry.value.span, format!("at most {most}: 6 for each node that is no interface"))
                .hint("ask for fewer, or use more `elements`"),
            );
        }
        let none = needed && modes == 0;
        if none {
            self.problems.add(
                Diagnostic::error(TOO_MANY_MODES, format!("`{}` has no shapes", self.part.key.name))
                    .at(&entry.value.span, "and no interface but the one that its frame is fixed to")
                    .hint("keep some modes, give it `frames`, or say model = \"rigid\""),
            );
        }
        (modes <= most && !none).then_some(modes)
    }
}

fn shown(unit: &str) -> &str {
    if unit.is_empty() { "plain numbers" } else { unit }
}
