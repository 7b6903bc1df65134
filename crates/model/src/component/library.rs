//! Components by name, from one or several folders.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ComponentDefinition, Reading, is_shared, read_component};
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{Files, Sources, Span};

/// All components that can be used, found by name or alias.
#[derive(Clone, Debug, Default)]
pub struct Library {
    definitions: Vec<Arc<ComponentDefinition>>,
    by_name: BTreeMap<String, usize>,
    /// By folder and name: "hydraulic.valve_3_2".
    by_domain: BTreeMap<String, usize>,
    /// The files of all components and what they include.
    pub sources: Sources,
}

impl Library {
    /// Every `.toml` file below a folder.
    pub fn load(files: &dyn Files, folder: &str) -> Result<Library, Vec<Diagnostic>> {
        let problems = Problems::default();
        let mut library = Library::default();
        library.add_folder(folder, None, &Reading::new(files, &problems));
        problems.finish().map(|_| library)
    }

    /// Adds a folder; its components come before those of the same name that are there already.
    pub(crate) fn add_folder(&mut self, folder: &str, place: Option<&Span>, reading: &Reading<'_>) {
        let mut paths = match reading.files.list(folder) {
            Ok(paths) => paths,
            Err(reason) => {
                reading.incomplete.set(true);
                let error = Diagnostic::error("M0002", format!("cannot list `{folder}`: {reason}"));
                let error = error.hint_if(reading.files.hint(folder));
                reading.problems.add(match place {
                    Some(span) => error.at(span, "named here"),
                    None => error,
                });
                return;
            }
        };
        paths.retain(|p| p.ends_with(".toml") && !is_shared(p));
        self.add_files(paths, reading);
    }

    /// Adds components by their files; models among them are left out.
    pub fn add_files(&mut self, mut paths: Vec<String>, reading: &Reading<'_>) {
        paths.sort();
        let before = self.definitions.len();
        for path in &paths {
            if let Some(definition) = read_component(path, reading) {
                self.add(definition, before, reading.problems);
            }
        }
        for source in reading.sources.borrow().iter() {
            self.sources.add(source);
        }
    }

    /// Enters a component under its name and aliases. Two of one name in the same folder are an error.
    fn add(&mut self, definition: ComponentDefinition, before: usize, problems: &Problems) {
        let index = self.definitions.len();
        for name in std::iter::once(&definition.name).chain(&definition.aliases) {
            let old = self.by_name.insert(name.clone(), index);
            if let Some(other) = old.filter(|old| *old >= before && *old != index) {
                let other = &self.definitions[other];
                problems.add(
                    Diagnostic::error("M0105", format!("two components are called `{name}`"))
                        .at(&Span::new(&definition.source, 0..0), "this one")
                        .at(&Span::new(&other.source, 0..0), "and this one")
                        .hint("rename one of the files, or drop an alias"),
                );
            }
        }
        if let Some(folder) = definition.source.name.rsplit('/').nth(1) {
            self.by_domain.insert(format!("{folder}.{}", definition.name), index);
        }
        self.definitions.push(Arc::new(definition));
    }

    /// A component by its name, an alias, or its name behind that of its folder.
    pub fn find(&self, name: &str) -> Option<&Arc<ComponentDefinition>> {
        let found = self.by_name.get(name).or_else(|| self.by_domain.get(name));
        found.map(|&i| &self.definitions[i])
    }

    /// All components, in the order of their files.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ComponentDefinition>> {
        self.definitions.iter()
    }

    /// Names and aliases, short ones first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().chain(self.by_domain.keys()).map(String::as_str)
    }
}
