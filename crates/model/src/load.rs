//! A model file with everything it includes and uses.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use trunnion_equations::Flat;

use crate::component::{
    Common, ComponentDefinition, ComponentSections, Library, Parameter, Reading, finish_sections, flatten,
    number_families, read_definition,
};
use crate::diagnostic::{Diagnostic, Problems, did_you_mean};
use crate::display::Display;
use crate::expect::Expect;
use crate::file::{
    Fields, Files, Source, Sources, Span, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue, relative,
};
use crate::instantiate::{Deferred, Sets, Users, instantiate};
use crate::live::Live;
use crate::mechanism::{Mechanism, Sections, mount};
use crate::network::Network;
use crate::run::RunSection;

/// A model ready to be analysed and run.
#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    pub doc: String,
    /// Everything but the equations of the bond graph.
    pub flat: Flat,
    pub network: Network,
    pub mechanism: Mechanism,
    pub run: RunSection,
    /// Runs begin at rest, and this is held while it is found.
    pub rest: Option<Vec<TomlText>>,
    pub live: Live,
    /// Units in which the file wants results to be shown.
    pub display: Display,
    pub expect: Vec<Expect>,
    /// All texts it was made from, for showing where something comes from.
    pub sources: Sources,
    pub warnings: Vec<Diagnostic>,
    /// Changes with any of the texts.
    pub hash: String,
    /// Parameters that are differences: "1 °C" is 1 K.
    pub differences: Vec<String>,
    /// Start values that the model gives: full name and place.
    pub given_starts: Vec<(String, Span)>,
    /// What was chosen for the options of the model itself.
    pub options: BTreeMap<String, String>,
}

impl Model {
    /// What to say of a model that can be read but not run: only parameters, or nothing at all.
    pub fn nothing_to_simulate(&self, path: &str) -> Option<Diagnostic> {
        let empty =
            self.flat.equations.is_empty() && self.flat.outputs.is_empty() && self.flat.tasks.is_empty();
        let empty = empty && self.network.nodes.is_empty() && self.mechanism.is_empty();
        empty.then(|| {
            Diagnostic::error("M0006", format!("`{path}` has nothing to simulate"))
                .hint("add [equations] or [components]")
        })
    }
}

/// Reads a model. `sets` are values that replace those in the files: parameters ("k", "r1.R"), options, values
/// at the beginning ("m1.start.x"), motions of joints ("crank.motion"), settings of the run ("run.t_end"), further outputs ("outputs.travel"), and a file of
/// defaults ("model.defaults"). All errors are reported together.
pub fn load(
    files: &dyn Files,
    path: &str,
    sets: &[(String, String)],
    library: &Library,
) -> Result<Model, Vec<Diagnostic>> {
    load_asking(files, path, sets, library).0
}

/// The same, and the parameters whose value is left to whoever runs the model.
pub fn load_asking(
    files: &dyn Files,
    path: &str,
    sets: &[(String, String)],
    library: &Library,
) -> (Result<Model, Vec<Diagnostic>>, Vec<Deferred>) {
    let problems = Problems::default();
    let reading = Reading::new(files, &problems);
    let mut loading = Loading::new(&reading);
    loading.file(path, None);
    loading.expectations_beside(path);
    let mut library = library.clone();
    let folders = Reading::new(files, &problems);
    for folder in &loading.libraries {
        library.add_folder(&relative(&folder.span.source.name, &folder.text), Some(&folder.span), &folders);
    }
    let mut sets = Sets::new(sets, &problems);
    sets.give_first(loading.defaults(&sets));
    let root = loading.root.take().filter(|_| !reading.incomplete.get() && !folders.incomplete.get());
    // What is missing would only make further errors that are none.
    let mut sections = std::mem::take(&mut loading.sections);
    sections.drive(&sets);
    sections.divide(&problems);
    let root = root.and_then(|root| {
        number_families(root, &library, &problems, |root| {
            mount(root, &mut sections, &library, &problems);
            root.body.components.extend(sections.children(&problems));
        })
    });
    let Some(root) = root else { return (Err(problems.finish().err().unwrap_or_default()), vec![]) };
    let mut builder = instantiate(&root, &library, &sets, &sections, &problems);
    sets.under("outputs.").iter().for_each(|entry| builder.add_measured(&entry.key, &entry.value));
    let place = Span::new(&root.source, 0..0);
    let entries = merged(&loading.run, sets.under("run."));
    let run = builder.read_run(&TomlTable { entries, span: place });
    let rest = read_rest(
        merged(&loading.start, sets.keys_under("start.", &["balance", "hold"])),
        &root.source,
        &problems,
    );
    let live =
        builder.read_live(&TomlTable { entries: loading.live.clone(), span: Span::new(&root.source, 0..0) });
    let display = builder.read_displays(&loading.display, &sets);
    let expect: Vec<Expect> = loading.expect.iter().filter_map(|v| builder.read_expect(v)).collect();
    let known: Vec<String> = builder.names.map.keys().cloned().collect();
    sets.finish(&known, &builder.tree, &problems);
    builder.add_notes(&run, &live, &expect);
    remove_stores(&mut builder.network, &builder.flat, &loading.remove, &problems);

    let mut sources = reading.sources.borrow().clone();
    for instance in &builder.tree.instances {
        // What is made for this model has no file.
        if !instance.definition.source.name.is_empty() {
            sources.add(&instance.definition.source);
            instance.definition.included.iter().for_each(|s| sources.add(s));
        }
    }
    for task in &builder.flat.tasks {
        if let Some(source) = library.sources.get(&task.origin.file) {
            sources.add(source);
        }
    }
    sets.sources().for_each(|s| sources.add(s));
    let chosen = builder.tree.instances.first().into_iter().flat_map(|root| &root.chosen);
    let options = chosen.map(|(name, value)| (name.clone(), value.clone())).collect();
    let users = Users::new(&builder.tree);
    let given_starts = builder.given_starts();
    let (flat, network, mechanism) = (builder.flat, builder.network, builder.mechanism);
    let hash = sources.hash();
    let (name, doc) = (root.title.clone(), root.doc.clone());
    let differences = builder.differences;
    let model = |warnings| Model {
        name,
        doc,
        flat,
        network,
        mechanism,
        run,
        rest,
        live,
        display,
        expect,
        sources,
        warnings,
        hash,
        differences,
        given_starts,
        options,
    };
    let deferred = builder.deferred;
    (problems.finish().map(model).map_err(|errors| users.name(errors)), deferred)
}

/// Entries with those of `later` in place of the same name.
fn merged(entries: &[TomlEntry], later: Vec<TomlEntry>) -> Vec<TomlEntry> {
    let mut all = entries.to_vec();
    for entry in later {
        all.retain(|e| e.key.name != entry.key.name);
        all.push(entry);
    }
    all
}

/// [start]: whether runs begin at rest, and what is held while it is found.
fn read_rest(entries: Vec<TomlEntry>, source: &Arc<Source>, problems: &Problems) -> Option<Vec<TomlText>> {
    let place = Span::new(source, 0..0);
    let table = TomlTable { entries, span: place.clone() };
    let f = Fields::new(&table, "[start]", &place, problems);
    let at_rest = f.choice("balance", &[("rest", true), ("none", false)]);
    let hold = f.texts("hold");
    f.finish();
    at_rest.unwrap_or(false).then_some(hold)
}

/// Marks the stores that [reduce] names.
fn remove_stores(network: &mut Network, flat: &Flat, remove: &[TomlText], problems: &Problems) {
    // What is missing because of other errors is not misspelt.
    if problems.has_errors() {
        return;
    }
    for text in remove {
        let found = network.stores().find(|&n| network.nodes[n].name == text.text);
        match found {
            Some(n) if network.is_removable(flat, n) => network.removed.push(n),
            Some(_) => problems.add(
                Diagnostic::error("M0315", format!("`{}` cannot be removed", text.text))
                    .at(&text.span, "an event or a task sets its state")
                    .hint("take it from the list"),
            ),
            None => {
                let names = network.stores().map(|n| network.nodes[n].name.as_str());
                problems.add(
                    Diagnostic::error("M0315", format!("there is no store `{}`", text.text))
                        .at(&text.span, "no C or I of the bond graph has this name")
                        .hint("name a store that the model has")
                        .hint_if(did_you_mean(&text.text, names)),
                );
            }
        }
    }
}

/// How the name of a file of expectations ends.
const OF_EXPECTATIONS: &str = ".expect.toml";

/// The file of expectations of a model; such a file has none itself.
fn beside(model: &str) -> Option<String> {
    let stem = model.strip_suffix(".toml").filter(|_| !model.ends_with(OF_EXPECTATIONS))?;
    Some(format!("{stem}{OF_EXPECTATIONS}"))
}

/// The model that a file of expectations belongs to.
pub fn model_of_expectations(path: &str) -> Option<String> {
    path.strip_suffix(OF_EXPECTATIONS).map(|stem| format!("{stem}.toml"))
}

/// Deeper than any file in use.
const DEEPEST: usize = 64;

/// Files as they are read: included ones first, so that later ones can give parameters other values.
struct Loading<'a> {
    reading: &'a Reading<'a>,
    /// Files being read, outermost first.
    open: Vec<String>,
    done: HashSet<String>,
    root: Option<ComponentDefinition>,
    sections: Sections,
    run: Vec<TomlEntry>,
    start: Vec<TomlEntry>,
    live: Vec<TomlEntry>,
    display: Vec<TomlEntry>,
    expect: Vec<TomlValue>,
    libraries: Vec<TomlText>,
    /// Stores that the model does without.
    remove: Vec<TomlText>,
    /// Files with values.
    defaults: Vec<TomlText>,
}

impl<'a> Loading<'a> {
    fn new(reading: &'a Reading<'a>) -> Self {
        Loading {
            reading,
            open: vec![],
            done: HashSet::new(),
            root: None,
            sections: Sections::default(),
            run: vec![],
            start: vec![],
            live: vec![],
            display: vec![],
            expect: vec![],
            libraries: vec![],
            remove: vec![],
            defaults: vec![],
        }
    }

    /// Values from the files of defaults, paths and values, the one named from outside last.
    fn defaults(&self, sets: &Sets) -> Vec<(TomlKey, TomlValue)> {
        let outside = sets.take("model.defaults").and_then(TomlValue::as_text);
        let named = self.defaults.iter().map(|t| (relative(&t.span.source.name, &t.text), &t.span));
        let all = named.chain(outside.iter().map(|t| (t.text.clone(), &t.span)));
        let mut values = vec![];
        for (path, place) in all {
            let table = self.reading.source(&path, Some(place)).and_then(|s| self.reading.parse(&s));
            let entries = table.map(|t| t.entries).unwrap_or_default();
            values.extend(flatten(&entries).into_iter().map(|(key, value)| (key, value.clone())));
        }
        values
    }

    fn file(&mut self, path: &str, place: Option<&Span>) {
        let problems = self.reading.problems;
        if let Some(from) = self.open.iter().position(|p| p == path) {
            let mut chain: Vec<&str> = self.open[from..].iter().map(String::as_str).collect();
            chain.push(path);
            let error = Diagnostic::error("M0003", format!("`{path}` includes itself"));
            problems.add(match place {
                Some(span) => error.at(span, chain.join(" → ")),
                None => error,
            });
            return;
        }
        if !self.done.insert(path.to_string()) {
            return;
        }
        if self.open.len() >= DEEPEST {
            let error =
                Diagnostic::error("M0003", format!("files include each other more than {DEEPEST} deep"));
            let error = error.hint("include them side by side in one file");
            problems.add(match place {
                Some(span) => error.at(span, "one too many"),
                None => error,
            });
            return;
        }
        let Some(source) = self.reading.source(path, place) else { return };
        let Some(table) = self.reading.parse(&source) else { return };
        self.open.push(path.to_string());
        self.table(path, &source, &table);
        self.open.pop();
    }

    /// The [[expect]] of `machine.expect.toml` beside `machine.toml`, after those of the model itself. Only the model that is loaded has
    /// them: what an included model expects need not hold here.
    fn expectations_beside(&mut self, path: &str) {
        let Some(beside) = beside(path).filter(|beside| self.reading.files.exists(beside)) else { return };
        let Some(source) = self.reading.source(&beside, None) else { return };
        let Some(table) = self.reading.parse(&source) else { return };
        let place = Span::new(&source, 0..0);
        let fields = Fields::new(&table, "a file of expectations", &place, self.reading.problems);
        self.expect.extend_from_slice(fields.list("expect").unwrap_or(&[]));
        finish_sections(fields, self.reading);
    }

    fn table(&mut self, path: &str, source: &Arc<Source>, table: &TomlTable) {
        let problems = self.reading.problems;
        let stem = path.rsplit('/').next().unwrap_or(path);
        let stem = stem.strip_suffix(".toml").unwrap_or(stem);
        let (mut name, mut doc, mut includes) = (stem.to_string(), String::new(), vec![]);
        let place = Span::new(source, 0..0);
        let fields = Fields::new(table, "the model", &place, problems);
        let mut heading = None;
        if let Some(model) = fields.entry("model") {
            match fields.table("model") {
                Some(table) => {
                    let f = Fields::new(table, "[model]", &model.key.span, problems);
                    name = f.text("name").map_or(name, |t| t.text);
                    doc = f.doc();
                    includes = f.texts("include");
                    self.libraries.extend(f.texts("libraries"));
                    self.defaults.extend(f.texts("defaults"));
                    heading = Some(f);
                }
                None => includes.clear(),
            }
        }
        for include in &includes {
            self.file(&relative(path, &include.text), Some(&include.span));
        }
        let definition =
            ComponentDefinition { title: name, doc, ..read_definition(stem, source, &fields, self.reading) };
        if let (Some(entry), Some(table)) = (fields.entry("reduce"), fields.table("reduce")) {
            let f = Fields::new(table, "[reduce]", &entry.key.span, problems);
            self.remove.extend(f.texts("remove"));
            f.finish();
        }
        let run = fields.entries("run").to_vec();
        let start = fields.entries("start").to_vec();
        let live = fields.entries("live").to_vec();
        let display = fields.entries("display").to_vec();
        let expect = fields.list("expect").unwrap_or(&[]).to_vec();
        self.sections.extend(Sections::read(&fields, self.reading));
        heading.into_iter().for_each(|f| f.finish_beside(&fields.asked()));
        finish_sections(fields, self.reading);
        self.run = merged(&self.run, run);
        self.start = merged(&self.start, start);
        self.live = merged(&self.live, live);
        // What the including file wants comes first.
        self.display.splice(0..0, display);
        // What an included model expects need not hold with other parameters.
        self.expect = expect;
        self.root = Some(match self.root.take() {
            Some(included) => merge(included, definition),
            None => definition,
        });
    }
}

/// What the including file adds to what it includes. A parameter of the same name takes the new value and
/// keeps what is not said again.
fn merge(mut old: ComponentDefinition, new: ComponentDefinition) -> ComponentDefinition {
    let ComponentSections {
        ports,
        parameters,
        variables,
        modes,
        inputs,
        tables,
        components,
        connections,
        equations,
        terms,
        outputs,
        events,
        tasks,
        controllers,
        bond_graph,
        common,
    } = new.body;
    let body = &mut old.body;
    for parameter in parameters {
        match body.parameters.iter_mut().find(|p| p.key.name == parameter.key.name) {
            Some(first) => *first = replaced(first, parameter),
            None => body.parameters.push(parameter),
        }
    }
    let said = |c: &Common| common.iter().any(|n| n.domain == c.domain && n.key.name == c.key.name);
    body.common.retain(|c| !said(c));
    body.common.extend(common);
    body.ports.extend(ports);
    body.variables.extend(variables);
    body.modes.extend(modes);
    body.inputs.extend(inputs);
    body.tables.extend(tables);
    body.components.extend(components);
    body.connections.extend(connections);
    body.equations.extend(equations);
    body.terms.extend(terms);
    body.outputs.extend(outputs);
    body.events.extend(events);
    body.tasks.extend(tasks);
    body.controllers.extend(controllers);
    body.bond_graph.extend(bond_graph);
    old.options.extend(new.options);
    old.when.extend(new.when);
    ComponentDefinition { name: new.name, title: new.title, doc: new.doc, source: new.source, ..old }
}

fn replaced(old: &Parameter, new: Parameter) -> Parameter {
    let doc = if new.doc.is_empty() { old.doc.clone() } else { new.doc };
    let (a, b) = (&old.bounds, new.bounds);
    let bounds = crate::component::Bounds {
        min: b.min.or(a.min.clone()),
        max: b.max.or(a.max.clone()),
        above: b.above.or(a.above.clone()),
        below: b.below.or(a.below.clone()),
    };
    Parameter {
        unit: new.unit.or(old.unit.clone()),
        ask: new.ask || old.ask && new.value.is_none(),
        value: new.value.or(old.value.clone()),
        bounds,
        doc,
        any: old.any || new.any,
        difference: old.difference || new.difference,
        unless: new.unless.or(old.unless.clone()),
        aliases: if new.aliases.is_empty() { old.aliases.clone() } else { new.aliases },
        list: old.list || new.list,
        broken: old.broken || new.broken,
        key: new.key,
    }
}
