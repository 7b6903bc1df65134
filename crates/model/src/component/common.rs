//! `[common.DOMAIN]`: values for the parameters of all components with a port of that domain.

use super::ports::find_domain;
use super::sections::table_of;
use super::{Scalar, read_scalar};
use crate::domain::Domain;
use crate::file::{Fields, TomlKey, TomlText};

#[derive(Clone, Debug)]
pub struct Common {
    pub domain: &'static Domain,
    /// The parameter.
    pub key: TomlKey,
    pub value: Scalar,
}

pub(crate) fn read_common(fields: &Fields<'_>) -> Vec<Common> {
    let problems = fields.problems;
    let mut values = vec![];
    for section in fields.entries("common") {
        let name = TomlText { text: section.key.name.clone(), span: section.key.span.clone() };
        let Some(domain) = find_domain(&name, problems) else { continue };
        let Some(table) = table_of(section, "a table of values", problems) else { continue };
        for entry in &table.entries {
            let value = read_scalar(&entry.value, &entry.key.name, problems);
            values.push(Common { domain, key: entry.key.clone(), value });
        }
    }
    values
}
