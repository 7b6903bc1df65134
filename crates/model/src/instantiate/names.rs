//! All quantities of a model by full name, and the part of them an expression sees.

use std::collections::{HashMap, HashSet};

use trunnion_equations::{Expr, Symbol};

use super::tree::join;
use crate::file::Span;
use crate::language::{Binding, Scope, TableFn};
use crate::units::{Dimension, Unit};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    Parameter,
    Unknown,
    Input,
    Mode,
    Output,
}

impl NameRole {
    pub(crate) fn article(self) -> &'static str {
        match self {
            NameRole::Parameter => "a parameter",
            NameRole::Unknown => "a variable",
            NameRole::Input => "an input",
            NameRole::Mode => "a mode",
            NameRole::Output => "an output",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Named {
    pub expr: Expr,
    pub symbol: Option<Symbol>,
    pub role: NameRole,
    /// None fits everything: its unit is free or could not be read.
    pub unit: Option<Unit>,
    pub span: Span,
}

#[derive(Debug, Default)]
pub struct ModelNames {
    pub map: HashMap<String, Named>,
    pub tables: HashMap<String, TableFn>,
    /// Former names of parameters, with the present ones.
    pub former: HashMap<String, String>,
    /// What is known to be an absolute value of a quantity that has units with a shifted zero: a temperature in °C.
    pub absolute: HashMap<String, Dimension>,
    /// Names that exist but could not be made; they and what is inside them raise no further errors.
    pub broken: HashSet<String>,
    /// Stands for whatever is broken.
    pub anything: Option<Expr>,
}

/// The symbol of whatever is broken: no quantity has it.
pub(crate) const ANYTHING: Symbol = Symbol(u32::MAX);

impl ModelNames {
    /// Whether `name` or something it is part of is broken.
    pub(crate) fn is_broken(&self, name: &str) -> bool {
        let outer = name.match_indices('.').map(|(i, _)| &name[..i]);
        !self.broken.is_empty() && outer.chain([name]).any(|n| self.broken.contains(n))
    }

    pub fn view<'n>(&'n self, path: &str) -> NameView<'n> {
        NameView { names: self, path: path.to_string(), outputs: false, own: vec![] }
    }
}

/// The names inside one component.
pub struct NameView<'n> {
    pub names: &'n ModelNames,
    pub path: String,
    /// Whether outputs can be used too.
    pub outputs: bool,
    /// Short names that come first, with the full names they stand for.
    pub own: Vec<(String, String)>,
}

impl NameView<'_> {
    pub fn get(&self, name: &str) -> Option<&Named> {
        let own = self.own.iter().find(|(short, _)| short == name).map(|(_, full)| full);
        let full = own.cloned().unwrap_or_else(|| join(&self.path, name));
        let found =
            self.names.map.get(&full).or_else(|| self.names.map.get(self.names.former.get(&full)?))?;
        (self.outputs || found.role != NameRole::Output).then_some(found)
    }
}

impl Scope for NameView<'_> {
    fn resolve(&self, path: &str) -> Option<Binding> {
        let Some(named) = self.get(path) else {
            let expr = self.names.anything.filter(|_| self.names.is_broken(&join(&self.path, path)))?;
            return Some(Binding { expr, dimension: None, derivative: Some(ANYTHING) });
        };
        let derivative = named.symbol.filter(|_| named.role == NameRole::Unknown);
        let dimension = named.unit.as_ref().map(|u| u.dimension);
        Some(Binding { expr: named.expr, dimension, derivative })
    }

    fn absolute(&self, path: &str) -> Option<Dimension> {
        if self.names.absolute.is_empty() {
            return None;
        }
        let own = self.own.iter().find(|(short, _)| short == path).map(|(_, full)| full);
        self.names.absolute.get(own.unwrap_or(&join(&self.path, path))).copied()
    }

    fn names(&self) -> Vec<String> {
        let prefix = join(&self.path, "");
        let inside = |full: &String| full.strip_prefix(&prefix).map(str::to_string);
        let mut names: Vec<String> = self.names.map.keys().filter_map(inside).collect();
        names.sort();
        names
    }

    fn table(&self, name: &str) -> Option<TableFn> {
        self.names.tables.get(&join(&self.path, name)).cloned()
    }
}
