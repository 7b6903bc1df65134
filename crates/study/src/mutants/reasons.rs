//! Why some faults may stay unnoticed: a file of rules and reasons that is checked with every run.

use std::sync::Arc;

use trunnion_model::Source;
use trunnion_model::diagnostic::Problems;
use trunnion_model::file::{Data, TomlTable, TomlValue, parse};

use super::sites::{Mutant, Site, is_number};
use crate::request_error::{FilesRequestError, ReasonsFault};

/// Faults that are not planted, and why.
#[derive(Clone, Debug)]
pub struct ExclusionRule {
    /// "number": a default value that is a bare number; "any": whatever stands there.
    number_only: bool,
    /// Names of parameters; a `*` at the end stands for the rest. Empty: all but `except`.
    names: Vec<String>,
    except: Vec<String>,
    /// Beginnings of paths: "events.", "parameters.".
    within: Vec<String>,
    pub reason: String,
}

/// One survivor that may stay.
#[derive(Clone, Debug)]
pub struct Excuse {
    /// "hydraulic/valve_cylinder".
    pub component: String,
    pub site: String,
    /// Empty: every change there.
    pub change: String,
    pub reason: String,
}

#[derive(Clone, Debug, Default)]
pub struct Reasons {
    rules: Vec<ExclusionRule>,
    pub excuses: Vec<Excuse>,
}

impl Reasons {
    /// From a text; Err tells what is wrong with it.
    pub fn read(name: &str, text: &str) -> Result<Reasons, FilesRequestError> {
        let wrong = |fault| FilesRequestError::Reasons { file: name.into(), fault };
        let source: Arc<Source> = Source::new(name, text.to_string());
        let problems = Problems::default();
        let table = parse(&source, &problems).ok_or_else(|| wrong(ReasonsFault::NotToml))?;
        let mut reasons = Reasons::default();
        for entry in &table.entries {
            let Data::List(list) = &entry.value.data else {
                return Err(wrong(ReasonsFault::NotAList { key: entry.key.name.clone() }));
            };
            for value in list {
                let Data::Table(table) = &value.data else { continue };
                let line = source.position(value.span.range.start).0;
                let missing = |key| wrong(ReasonsFault::Missing { line, key });
                let reason = text_of(table, "reason").ok_or_else(|| missing("reason"))?;
                match entry.key.name.as_str() {
                    "rule" => reasons.rules.push(ExclusionRule {
                        number_only: text_of(table, "default").as_deref() == Some("number"),
                        names: list_of(table, "names"),
                        except: list_of(table, "except"),
                        within: list_of(table, "within"),
                        reason,
                    }),
                    "survivor" => reasons.excuses.push(Excuse {
                        component: text_of(table, "component").ok_or_else(|| missing("component"))?,
                        site: text_of(table, "site").ok_or_else(|| missing("site"))?,
                        change: text_of(table, "change").unwrap_or_default(),
                        reason,
                    }),
                    other => {
                        return Err(wrong(ReasonsFault::UnknownSection { line, section: other.into() }));
                    }
                }
            }
        }
        Ok(reasons)
    }

    /// The rule that spares a site.
    pub fn rule(&self, source: &Source, site: &Site) -> Option<&ExclusionRule> {
        self.rules.iter().find(|rule| rule.spares(source, site))
    }

    /// The number of the excuse for a survivor.
    pub fn excuse(&self, component: &str, site: &Site, mutant: &Mutant) -> Option<usize> {
        self.excuses.iter().position(|e| {
            e.component == component
                && e.site == site.path
                && (e.change.is_empty() || e.change == mutant.change)
        })
    }
}

impl ExclusionRule {
    fn spares(&self, source: &Source, site: &Site) -> bool {
        let name = site.symbol();
        let named = self.names.is_empty() || self.names.iter().any(|n| fits(n, name));
        let within = self.within.is_empty() || self.within.iter().any(|w| site.path.starts_with(w.as_str()));
        let kind = !self.number_only || (site.is_default() && is_number(source, site));
        named && within && kind && !self.except.iter().any(|n| fits(n, name))
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

fn text_of(table: &TomlTable, key: &str) -> Option<String> {
    table.get(key).and_then(|e| e.value.as_text()).map(|t| t.text)
}

fn list_of(table: &TomlTable, key: &str) -> Vec<String> {
    match table.get(key).map(|e| &e.value) {
        Some(TomlValue { data: Data::List(list), .. }) => {
            list.iter().filter_map(TomlValue::as_text).map(|t| t.text).collect()
        }
        Some(value) => value.as_text().map(|t| t.text).into_iter().collect(),
        None => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::sites;

    #[test]
    fn rules_spare_what_they_name() {
        let text = "[parameters]\nm = { unit = \"kg\", default = 1 }\nrho = { unit = \"kg/m^3\", default = 870 }\n\
                    A = { unit = \"m^2\", default = \"pi*d^2\" }\ndp_lam = { unit = \"Pa\", default = \"2*p\" }\n";
        let source = Source::new("c.toml", text.into());
        let rules = "[[rule]]\ndefault = \"number\"\nexcept = [\"rho\"]\nreason = \"size\"\n\
                     [[rule]]\nnames = [\"dp_*\"]\nreason = \"smoothing\"\n";
        let reasons = Reasons::read("r.toml", rules).unwrap();
        let found: Vec<Option<&str>> =
            sites(&source).iter().map(|s| reasons.rule(&source, s).map(|r| r.reason.as_str())).collect();
        assert_eq!(found, [Some("size"), None, None, Some("smoothing")]);
        assert!(Reasons::read("r.toml", "[[survivor]]\nsite = \"x\"\n").is_err());
    }

    #[test]
    fn every_reason_names_a_fault_of_the_library() {
        let root = format!("{}/../..", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(format!("{root}/tests/mutants.toml")).unwrap();
        for excuse in Reasons::read("mutants.toml", &text).unwrap().excuses {
            let path = format!("{root}/library/{}.toml", excuse.component);
            let source = Source::new(&path, std::fs::read_to_string(&path).unwrap());
            let names = |site: &Site| {
                let changes =
                    site.mutants.iter().any(|m| excuse.change.is_empty() || excuse.change == m.change);
                site.path == excuse.site && changes
            };
            assert!(sites(&source).iter().any(names), "{excuse:?}");
        }
    }
}
