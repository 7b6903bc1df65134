//! What a reference page says: everything in the component's file, in the order a reader asks for it.

use trunnion_model::component::{
    ComponentSections, ElementLaw, Mount, OptionChoice, Parameter, Port, Scalar, ScalarForm, Section,
    SignalDirection, When,
};
use trunnion_model::network::BondNodeKind;
use trunnion_model::units::Unit;
use trunnion_model::{ComponentDefinition, Library, load};
use trunnion_network::check::{BenchDrive, IT, bench, choices};

use super::PagePicture;
use super::blocks::Block;

pub fn content(
    definition: &ComponentDefinition,
    library: &Library,
    icon: Option<&PagePicture>,
) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(1, definition.title.clone())];
    if let Some(icon) = icon {
        let picture = PagePicture { name: icon.name.clone(), svg: icon.svg.clone() };
        blocks.push(Block::Picture(picture, definition.title.clone()));
    }
    let aliases: Vec<String> = definition.aliases.iter().map(|a| format!("`{a}`")).collect();
    let also = if aliases.is_empty() { String::new() } else { format!(", also {}", aliases.join(", ")) };
    blocks.push(Block::Text(format!("Type `{}`{also}.", definition.name)));
    blocks.extend(prose(&definition.doc));
    blocks.extend(definition.mount.as_ref().map(mounted));
    let page = ComponentPage { definition, units: units(definition, library) };
    page.sections(&definition.body, 2, &mut blocks);
    page.options(&mut blocks);
    blocks.push(Block::Heading(2, "Use".into()));
    blocks.push(Block::Plain(page.example()));
    blocks
}

/// How it is put into a mechanism.
fn mounted(mount: &Mount) -> Block {
    let held = mount.from.as_ref().map_or(String::new(), |from| format!("`{}` held, ", from.text));
    let place =
        if mount.turns() { "on a joint that turns" } else { "between two frames, or on a joint that slides" };
    Block::Text(format!("Can be mounted {place}: {held}`{}` moving.", mount.to.text))
}

/// Paragraphs, with formulas set apart; a line that begins with a word and a colon is a paragraph of its own.
fn prose(doc: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = vec![];
    let (mut text, mut plain): (Vec<String>, Vec<String>) = (vec![], vec![]);
    let flush = |text: &mut Vec<String>, plain: &mut Vec<String>, blocks: &mut Vec<Block>| {
        if !text.is_empty() {
            blocks.push(Block::Text(std::mem::take(text).join(" ")));
        }
        if !plain.is_empty() {
            blocks.push(Block::Plain(std::mem::take(plain).join("\n").trim_end().to_string()));
        }
    };
    for (k, line) in doc.lines().enumerate() {
        // The first line has lost its indentation; a formula is told by its number.
        let numbered = line.trim_end().ends_with(')') && line.contains("  (");
        let continues = text.last().is_some_and(|t: &String| is_labelled(t)) && line.starts_with("         ");
        let formula = (line.starts_with("    ") && !continues) || (k == 0 && numbered);
        let stripped = line.strip_prefix("    ").unwrap_or(line).trim_end();
        match (line.trim().is_empty(), formula) {
            (true, _) => flush(&mut text, &mut plain, &mut blocks),
            (false, true) => {
                flush(&mut text, &mut vec![], &mut blocks);
                plain.push(stripped.to_string());
            }
            (false, false) => {
                if is_labelled(line) || !plain.is_empty() {
                    flush(&mut text, &mut plain, &mut blocks);
                }
                text.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
    }
    flush(&mut text, &mut plain, &mut blocks);
    blocks
}

fn is_labelled(line: &str) -> bool {
    ["Sign:", "Assumes:", "Limits:"].iter().any(|word| line.starts_with(word))
}

/// Units of the states, which follow from what they are connected with; empty where the component does not read.
fn units(definition: &ComponentDefinition, library: &Library) -> Vec<(String, String)> {
    let mut units: Vec<(String, String)> = vec![];
    for chosen in choices(definition) {
        let bench = bench(definition, &chosen, BenchDrive::Typical);
        let Ok(model) = load(&bench, bench.model, &[], library) else { continue };
        let own = model.flat.quantities.iter().filter_map(|q| {
            let name = q.name.strip_prefix(IT)?.strip_prefix('.')?;
            Some((name.to_string(), q.unit.text.clone()))
        });
        units.extend(own.filter(|(name, _)| !name.contains('#')));
    }
    units
}

struct ComponentPage<'a> {
    definition: &'a ComponentDefinition,
    /// Unit of every quantity, by name.
    units: Vec<(String, String)>,
}

impl ComponentPage<'_> {
    /// What one body says; those of options have smaller headings.
    fn sections(&self, body: &ComponentSections, level: usize, blocks: &mut Vec<Block>) {
        let mut table = |title: &str, head: Vec<&'static str>, rows: Vec<Vec<String>>| {
            if !rows.is_empty() {
                blocks.push(Block::Heading(level, title.into()));
                blocks.push(Block::Table { head, rows });
            }
        };
        table("Ports", vec!["Port", "Domain", "Is"], body.ports.iter().map(port).collect());
        let parameters = body.parameters.iter().map(parameter).collect();
        table("Parameters", vec!["Parameter", "Unit", "Default", "Range", "Is"], parameters);
        table("Variables", vec!["Variable", "Unit", "Is"], self.variables(body));
        let graph = &body.bond_graph;
        if !graph.chains.is_empty() || !graph.laws.is_empty() {
            blocks.push(Block::Heading(level, "Bond graph".into()));
        }
        if !graph.chains.is_empty() {
            let chain = |stops: &[_]| stops.iter().map(stop).collect::<Vec<_>>().join(" -> ");
            let lines: Vec<String> = graph.chains.iter().map(|c| chain(&c.stops)).collect();
            blocks.push(Block::Plain(lines.join("\n")));
        }
        let rows: Vec<Vec<String>> = graph.laws.iter().flat_map(|law| self.law(law)).collect();
        if !rows.is_empty() {
            blocks.push(Block::Table { head: vec!["Element", "Law", "Or"], rows });
        }
        let lines = lines(body);
        if !lines.is_empty() {
            blocks.push(Block::Heading(level, "Equations".into()));
            blocks.push(Block::Plain(lines.join("\n")));
        }
    }

    fn variables(&self, body: &ComponentSections) -> Vec<Vec<String>> {
        let row =
            |name: &str, unit: &str, doc: &str| vec![format!("`{name}`"), unit.to_string(), doc.to_string()];
        let text = |unit: &Option<Unit>| unit.as_ref().map_or("", |u| shown(&u.text)).to_string();
        let mut rows: Vec<Vec<String>> = vec![];
        for v in &body.variables {
            rows.push(row(&v.key.name, &text(&v.unit), &v.doc));
        }
        for law in &body.bond_graph.laws {
            for (name, what) in self.states(law) {
                let unit = self.units.iter().find(|(n, _)| *n == name).map_or("", |(_, unit)| unit);
                let doc = if law.doc.is_empty() { what } else { law.doc.clone() };
                rows.push(row(&name, unit, &format!("State: {doc}")));
            }
        }
        body.modes
            .iter()
            .for_each(|v| rows.push(row(&v.key.name, &text(&v.unit), &format!("Mode: {}", v.doc))));
        body.outputs.iter().for_each(|o| rows.push(row(&o.key.name, &text(&o.unit), &o.doc)));
        rows
    }

    fn kind(&self, element: &str) -> Option<BondNodeKind> {
        let stops = self.definition.bodies().flat_map(|b| &b.bond_graph.chains).flat_map(|c| &c.stops);
        stops.filter(|s| s.name == element).find_map(|s| s.kind)
    }

    /// Names of the states of a store, and what they are.
    fn states(&self, law: &ElementLaw) -> Vec<(String, String)> {
        let name = &law.key.name;
        let (letter, what, count) = match self.kind(name) {
            Some(BondNodeKind::C) => ("q", "displacement", law.effort.len()),
            Some(BondNodeKind::I) => ("p", "momentum", law.flow.len()),
            _ => return vec![],
        };
        let own = |k: usize| law.states.get(k).map(|t| t.text.clone());
        let number = |k: usize| if count > 1 { (k + 1).to_string() } else { String::new() };
        let one = |k: usize| {
            let full = own(k).unwrap_or_else(|| format!("{name}.{letter}{}", number(k)));
            (full, format!("{what} of {name}"))
        };
        (0..count).map(one).collect()
    }

    /// A row for every bond: what the element answers, and the same in the other causality.
    fn law(&self, law: &ElementLaw) -> Vec<Vec<String>> {
        let kind = self.kind(&law.key.name);
        let element = format!("`{}.{}`", kind.map_or("", BondNodeKind::word), law.key.name);
        let stored = if kind == Some(BondNodeKind::C) { "q" } else { "p" };
        let mut forms: Vec<(&str, &[Scalar])> =
            vec![("e", &law.effort), ("f", &law.flow), (stored, &law.stored)];
        if kind == Some(BondNodeKind::I) {
            forms.swap(0, 1);
        }
        forms.retain(|(_, list)| !list.is_empty());
        let count = forms.iter().map(|(_, list)| list.len()).max().unwrap_or(0);
        let number = |k: usize| if count > 1 { (k + 1).to_string() } else { String::new() };
        let cell = |k: usize, form: Option<&(&str, &[Scalar])>| {
            let text = form.and_then(|(letter, list)| Some((letter, written(list.get(k)?))));
            text.map_or(String::new(), |(letter, law)| format!("`{letter}{} = {law}`", number(k)))
        };
        let mut rows: Vec<Vec<String>> = (0..count)
            .map(|k| vec![element.clone(), cell(k, forms.first()), cell(k, forms.get(1))])
            .collect();
        if let Some(ratio) = &law.ratio {
            rows.push(vec![element, format!("`A = {}`", written(ratio)), String::new()]);
        }
        rows
    }

    fn options(&self, blocks: &mut Vec<Block>) {
        let options = &self.definition.options;
        if options.is_empty() {
            return;
        }
        blocks.push(Block::Heading(2, "Options".into()));
        let rows = options.iter().map(option).collect();
        blocks.push(Block::Table { head: vec!["Option", "Choices", "Default", "Is"], rows });
        for when in &self.definition.when {
            blocks.push(Block::Heading(3, condition(when)));
            self.sections(&when.body, 4, blocks);
        }
    }

    /// A line that uses the component, with all parameters of its default options.
    fn example(&self) -> String {
        let d = self.definition;
        let active = |w: &&When| {
            let default = d.options.iter().find(|o| o.key.name == w.option.text).map(|o| &o.default);
            w.is.iter().any(|is| Some(&is.text) == default)
        };
        let more = d.when.iter().filter(active).flat_map(|w| &w.body.parameters);
        let value = |p: &Parameter| {
            let name = p.key.name.trim_end_matches('#').trim_end_matches("#_");
            p.value.as_ref().map(|v| format!("{name} = {}", v.span.text()))
        };
        let mut parts = vec![format!("type = \"{}\"", d.name)];
        parts.extend(d.options.iter().filter(|o| o.given.is_empty()).map(|o| match o.count {
            Some(n) => format!("{} = {n}", o.key.name),
            None if o.default == "true" || o.default == "false" => format!("{} = {}", o.key.name, o.default),
            None => format!("{} = \"{}\"", o.key.name, o.default),
        }));
        parts.extend(d.body.parameters.iter().chain(more).filter_map(value));
        let section = d.section.map_or("components", Section::word);
        format!("[{section}]\nx = {{ {} }}", parts.join(", "))
    }
}

/// A plain number shows no unit.
fn shown(unit: &str) -> &str {
    if unit == "1" { "" } else { unit }
}

fn port(port: &Port) -> Vec<String> {
    let domain = port.domain.map_or("", |d| d.name);
    let direction = match port.causality {
        Some(SignalDirection::In) => " in",
        Some(SignalDirection::Out) => " out",
        None => "",
    };
    let unit = port.unit.as_ref().map_or(String::new(), |u| format!(", {}", shown(&u.text)));
    let unit = if unit == ", " { String::new() } else { unit };
    let mut about = vec![port.doc.clone()];
    if let Some(default) = &port.default {
        about.push(format!("{} without connection", written(default)));
    }
    if port.optional {
        about.push("may stay open".into());
    }
    let names = |list: Vec<&str>| list.join(", ");
    if !port.gives.is_empty() {
        about.push(format!("gives {}", names(port.gives.iter().map(|(key, _)| key.name.as_str()).collect())));
    }
    if !port.takes.is_empty() {
        about.push(format!("takes {}", names(port.takes.iter().map(|v| v.key.name.as_str()).collect())));
    }
    vec![format!("`{}`", port.key.name), format!("{domain}{direction}{unit}"), about.join("; ")]
}

fn parameter(p: &Parameter) -> Vec<String> {
    let unit = if p.any { "any" } else { p.unit.as_ref().map_or("", |u| shown(&u.text)) };
    let default = p.value.as_ref().map_or("has to be given".into(), written);
    vec![format!("`{}`", p.key.name), unit.to_string(), default, range(p), p.doc.clone()]
}

fn range(p: &Parameter) -> String {
    let b = &p.bounds;
    let part = |sign: &str, bound: &Option<Scalar>| bound.as_ref().map(|s| format!("{sign} {}", written(s)));
    let parts = [part("≥", &b.min), part(">", &b.above), part("≤", &b.max), part("<", &b.below)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn option(o: &OptionChoice) -> Vec<String> {
    let (choices, default) = match o.count {
        Some(n) => ("a number".to_string(), n.to_string()),
        None if o.choices.is_empty() => ("a text".to_string(), format!("\"{}\"", o.default)),
        None => {
            let all: Vec<String> = o.choices.iter().map(|c| format!("`{c}`")).collect();
            (all.join(", "), format!("`{}`", o.default))
        }
    };
    vec![format!("`{}`", o.key.name), choices, default, o.doc.clone()]
}

fn condition(when: &When) -> String {
    let values: Vec<String> = when.is.iter().map(|t| format!("`{}`", t.text)).collect();
    format!("With `{}` = {}", when.option.text, values.join(" or "))
}

fn stop(stop: &trunnion_model::component::ChainMember) -> String {
    stop.kind.map_or_else(|| stop.name.clone(), |kind| format!("{}.{}", kind.word(), stop.name))
}

/// Equations, inner components and their connections, as they are written.
fn lines(body: &ComponentSections) -> Vec<String> {
    let mut lines: Vec<String> = body.equations.iter().map(|e| e.text.text.clone()).collect();
    lines.extend(body.terms.iter().map(|(key, term)| format!("{}: … + ({})", key.name, term.text.text)));
    for child in &body.components {
        let kind = child.kind.as_ref().map_or("", |k| &k.text);
        lines.push(format!("{}: a {kind}", child.key.name));
    }
    for connection in &body.connections {
        let ends: Vec<&str> = connection.ends.iter().map(|e| e.name.as_str()).collect();
        lines.push(format!("{} connected", ends.join(", ")));
    }
    lines.extend(body.events.iter().filter_map(|e| Some(format!("when {}", e.when.as_ref()?.text.text))));
    lines
}

/// A value as the file writes it.
fn written(scalar: &Scalar) -> String {
    match &scalar.form {
        ScalarForm::Formula(formula) => formula.text.text.clone(),
        _ => scalar.span.text().to_string(),
    }
}
