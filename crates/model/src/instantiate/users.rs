//! Who uses a component, shown beside what is wrong in its file.

use std::sync::Arc;

use super::tree::InstanceTree;
use crate::diagnostic::{Diagnostic, Label};

/// For each component file: where the model uses it.
pub struct Users {
    list: Vec<(Arc<str>, Label)>,
    /// Files of the model itself.
    root: Arc<str>,
}

impl Users {
    pub fn new(tree: &InstanceTree<'_>) -> Self {
        let mut list: Vec<(Arc<str>, Label)> = vec![];
        let root = tree.instances.first().map_or_else(|| "".into(), |r| r.definition.source.name.clone());
        for instance in tree.instances.iter().skip(1) {
            let definition = instance.definition;
            let files = std::iter::once(&definition.source).chain(&definition.included).map(|s| &s.name);
            let new: Vec<&Arc<str>> = files.filter(|f| !list.iter().any(|(known, _)| known == *f)).collect();
            if new.is_empty() {
                continue;
            }
            let new: Vec<Arc<str>> = new.into_iter().cloned().collect();
            // A component inside another one is shown by the one that the model names.
            let mut outer = instance;
            while let Some(parent) = outer.parent.filter(|&p| p != 0) {
                outer = &tree.instances[parent];
            }
            let text = format!("used for `{}`", instance.path);
            let label = Label { span: outer.place.clone(), text };
            list.extend(new.into_iter().map(|file| (file, label.clone())));
        }
        Users { list, root }
    }

    /// Adds its first user to the first finding in each component's file.
    pub fn name(mut self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        for diagnostic in &mut diagnostics {
            let file = diagnostic.labels.first().map(|l| l.span.source.name.clone());
            if diagnostic.labels.iter().any(|l| l.span.source.name == self.root) {
                continue;
            }
            if let Some(user) = self.list.iter().position(|(known, _)| Some(known) == file.as_ref()) {
                diagnostic.labels.push(self.list.remove(user).1);
            }
        }
        diagnostics
    }
}
