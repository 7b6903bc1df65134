//! Which numbers of families a model uses: connections and lists of values say it.
//!
//! Every component inside a definition gets a definition of its own with as many members as are used,
//!
//!   n = max(largest number named, longest list given, `count`, 1),                                (1)
//!
//! and what is said without numbers is given them: a list goes to a1, a2, …, a connection to the next free port.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::families::{unnumbered, write_out};
use super::ports::whole;
use super::{Child, ComponentDefinition, ComponentSections, Connection, Library, Port, SignalDirection};
use crate::diagnostic::{Diagnostic, Problems};
use crate::file::{Data, Span, TomlEntry, TomlKey, TomlTable, TomlValue};
use crate::language::{Allowance, FamilyNumber};

/// Names and expressions that families may become in one model.
const MOST: usize = 2_000_000;
/// Members of one family.
const LARGEST: usize = 10_000;

/// A model whose families are written out, in all its components; None if they would be too many. `complete` adds to
/// the model once its own families are written out.
pub(crate) fn number_families(
    root: ComponentDefinition,
    library: &Library,
    problems: &Problems,
    complete: impl FnOnce(&mut ComponentDefinition),
) -> Option<ComponentDefinition> {
    let allowance = Allowance::new(MOST);
    let mut numbering =
        Numbering { library, problems, allowance, made: HashMap::new(), chain: vec![], place: None };
    let count = preset(&root).unwrap_or(1);
    let mut made = numbering.own(&root, count);
    complete(&mut made);
    numbering.inside(&mut made);
    let spent = numbering.allowance.is_spent();
    if spent {
        let place = numbering.place.unwrap_or_else(|| Span::new(&root.source, 0..0));
        problems.add(
            Diagnostic::error("M0313", "a family has too many members").at(&place, "in this component").hint(
                "look for a large number in a connection, as in `sum.u1000000`, or for sums inside sums",
            ),
        );
    }
    (!spent).then_some(made)
}

struct Numbering<'a> {
    library: &'a Library,
    problems: &'a Problems,
    allowance: Allowance,
    made: HashMap<(*const ComponentDefinition, usize), Arc<ComponentDefinition>>,
    /// Files of the components being written out, outermost first.
    chain: Vec<Arc<str>>,
    /// The innermost component that became too large.
    place: Option<Span>,
}

/// `u#` is the name `u` and the number in `u3`.
struct Family {
    before: String,
    after: String,
    /// `A#_#` takes two numbers.
    matrix: bool,
}

impl Family {
    fn new(name: &str) -> Option<Self> {
        let (before, after) = name.split_once('#')?;
        let matrix = after.starts_with("_#");
        let after = after.strip_prefix("_#").unwrap_or(after);
        Some(Family { before: before.into(), after: after.into(), matrix })
    }

    /// How all members are called together.
    fn name(&self) -> String {
        format!("{}{}", self.before, self.after)
    }

    fn member(&self, numbers: &[usize]) -> String {
        let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
        format!("{}{}{}", self.before, numbers.join("_"), self.after)
    }

    /// The largest number of a member's name; None if it is no member.
    fn number(&self, name: &str) -> Option<usize> {
        let digits = name.strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        let read = |text: &str| {
            let plain =
                !text.is_empty() && !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
            plain.then(|| text.parse().unwrap_or(usize::MAX))
        };
        match (self.matrix, digits.split_once('_')) {
            (true, Some((row, column))) => Some(read(row)?.max(read(column)?)),
            (true, None) => None,
            (false, _) => read(digits),
        }
    }
}

/// How many members an option of the component asks for, where nothing else is said.
fn preset(definition: &ComponentDefinition) -> Option<usize> {
    definition.options.iter().find_map(|o| o.count)
}

fn ports(definition: &ComponentDefinition) -> impl Iterator<Item = &Port> {
    definition.bodies().flat_map(|b| &b.ports)
}

/// Names of what takes values, and whether a single value is for all members.
fn takers(definition: &ComponentDefinition) -> Vec<(&str, bool)> {
    let mut takers = vec![];
    for body in definition.bodies() {
        takers.extend(body.parameters.iter().map(|p| (p.key.name.as_str(), !p.list)));
        let inputs = body.ports.iter().filter(|p| p.causality == Some(SignalDirection::In));
        takers.extend(inputs.map(|p| (p.key.name.as_str(), false)));
    }
    takers
}

fn starters(definition: &ComponentDefinition) -> Vec<(&str, bool)> {
    let variables = definition.bodies().flat_map(|b| b.variables.iter().chain(&b.modes).chain(&b.inputs));
    variables.map(|v| (v.key.name.as_str(), true)).collect()
}

fn has_families(definition: &ComponentDefinition) -> bool {
    let parameters = definition.bodies().flat_map(|b| &b.parameters).map(|p| &p.key);
    let mut keys = ports(definition).map(|p| &p.key).chain(parameters);
    preset(definition).is_some() || keys.any(|k| k.name.contains('#'))
}

impl Numbering<'_> {
    /// A definition with its own families written out.
    fn own(&self, plain: &ComponentDefinition, count: usize) -> ComponentDefinition {
        if has_families(plain) {
            write_out(plain, &FamilyNumber::none(count, &self.allowance))
        } else {
            for key in unnumbered(plain) {
                self.problems.add(
                    Diagnostic::error("M0113", format!("`{}` has no numbers", key.name))
                        .at(&key.span, "no port or parameter of this component has a `#`")
                        .hint("`#` stands for the numbers of ports or parameters, as in \"u#\""),
                );
            }
            plain.clone()
        }
    }

    /// Numbers for the components inside a definition.
    fn inside(&mut self, definition: &mut ComponentDefinition) {
        let (base, rest): (&mut ComponentSections, _) = (&mut definition.body, &mut definition.when);
        let mut bodies: Vec<&mut ComponentSections> = vec![base];
        bodies.extend(rest.iter_mut().map(|w| &mut w.body));
        // A component may be of one type or another, depending on options: each is looked at alone.
        for b in 0..bodies.len() {
            for c in 0..bodies[b].components.len() {
                let child = &bodies[b].components[c];
                if child.definition.is_some() {
                    continue;
                }
                let Some(kind) = &child.kind else { continue };
                let Some(plain) = self.library.find(&kind.text) else { continue };
                let Some(made) = self.child(child.clone(), &plain.clone(), &mut bodies) else { continue };
                bodies[b].components[c] = made;
            }
        }
    }

    /// A component with its numbers; None if it contains itself, which is reported elsewhere.
    fn child(
        &mut self,
        mut child: Child,
        plain: &Arc<ComponentDefinition>,
        bodies: &mut [&mut ComponentSections],
    ) -> Option<Child> {
        let mut count = 1;
        if has_families(plain) {
            count = self.asked(&child, plain).or(preset(plain)).unwrap_or(1);
            count = count.max(longest(&child.arguments, &takers(plain)));
            count = count.max(connections(&child, plain, bodies));
            if count > LARGEST {
                self.allowance.exhaust();
                self.place.get_or_insert_with(|| child.key.span.clone());
                return None;
            }
            let given = std::mem::take(&mut child.arguments);
            child.arguments = numbered(given, &takers(plain), count);
            for (_, value) in child.arguments.iter_mut().filter(|(key, _)| key.name == "start") {
                if let Data::Table(table) = &mut value.data {
                    let entries = std::mem::take(&mut table.entries).into_iter().map(|e| (e.key, e.value));
                    let entries = numbered(entries.collect(), &starters(plain), count).into_iter();
                    let entries = entries.map(|(key, value)| TomlEntry { key, value }).collect();
                    *table = TomlTable { entries, span: table.span.clone() };
                }
            }
        } else if plain.bodies().all(|b| b.components.is_empty()) {
            child.definition = Some(plain.clone());
            return Some(child);
        }
        child.definition = Some(self.made(plain, count, &child.key.span)?);
        Some(child)
    }

    /// The number of members that is given for the option with `count`.
    fn asked(&self, child: &Child, plain: &ComponentDefinition) -> Option<usize> {
        let option = plain.options.iter().find(|o| o.count.is_some())?;
        let (key, value) = child.arguments.iter().find(|(key, _)| key.name == option.key.name)?;
        whole(value, &key.name, self.problems)
    }

    fn made(
        &mut self,
        plain: &Arc<ComponentDefinition>,
        count: usize,
        place: &Span,
    ) -> Option<Arc<ComponentDefinition>> {
        let key = (Arc::as_ptr(plain), count);
        if let Some(made) = self.made.get(&key) {
            return Some(made.clone());
        }
        let name = &plain.source.name;
        if self.chain.contains(name) || self.allowance.is_spent() {
            return None;
        }
        self.chain.push(name.clone());
        let mut made = self.own(plain, count);
        self.inside(&mut made);
        let made = Arc::new(made);
        self.chain.pop();
        if self.allowance.is_spent() {
            self.place.get_or_insert_with(|| place.clone());
        }
        self.made.insert(key, made.clone());
        Some(made)
    }
}

/// The largest number that arguments name, or the longest list among them.
fn longest(arguments: &[(TomlKey, TomlValue)], takers: &[(&str, bool)]) -> usize {
    let mut most = 1;
    for (key, value) in arguments {
        for family in takers.iter().filter_map(|(name, _)| Family::new(name)) {
            most = most.max(family.number(&key.name).unwrap_or(0));
            if let (true, Data::List(list)) = (key.name == family.name(), &value.data) {
                let columns = list.iter().map(|row| match &row.data {
                    Data::List(row) if family.matrix => row.len(),
                    _ => 0,
                });
                most = most.max(list.len()).max(columns.max().unwrap_or(0));
            }
        }
    }
    most
}

/// Lists and single values for families become values of their members. What is said of one member alone comes last
/// and wins.
fn numbered(
    given: Vec<(TomlKey, TomlValue)>,
    takers: &[(&str, bool)],
    count: usize,
) -> Vec<(TomlKey, TomlValue)> {
    let (mut all, mut single) = (vec![], vec![]);
    for (key, value) in given {
        let exact = takers.iter().any(|(name, _)| *name == key.name);
        let family = |(name, spread): &(&str, bool)| Family::new(name).map(|f| (f, *spread));
        let Some((family, spread)) =
            takers.iter().filter_map(family).find(|(f, _)| !exact && f.name() == key.name)
        else {
            single.push((key, value));
            continue;
        };
        let mut give = |numbers: &[usize], value: &TomlValue| {
            all.push((TomlKey { name: family.member(numbers), span: key.span.clone() }, value.clone()));
        };
        match &value.data {
            Data::List(rows) if family.matrix => {
                for (i, row) in rows.iter().enumerate() {
                    let cells = if let Data::List(cells) = &row.data { cells.as_slice() } else { &[] };
                    cells.iter().enumerate().for_each(|(j, cell)| give(&[i + 1, j + 1], cell));
                }
            }
            Data::List(list) => list.iter().enumerate().for_each(|(i, item)| give(&[i + 1], item)),
            _ if !spread => give(if family.matrix { &[1, 1] } else { &[1] }, &value),
            _ if family.matrix => {
                (1..=count).for_each(|i| (1..=count).for_each(|j| give(&[i, j], &value)));
            }
            _ => (1..=count).for_each(|i| give(&[i], &value)),
        }
    }
    all.append(&mut single);
    all
}

/// Gives connections without number the next free one; the largest number used.
fn connections(child: &Child, plain: &ComponentDefinition, bodies: &mut [&mut ComponentSections]) -> usize {
    let name = child.key.name.as_str();
    let port_of = |end: &TomlKey| match end.name.split_once('.') {
        Some((first, rest)) if first == name => Some(Some(rest.to_string())),
        None if end.name == name => Some(None),
        _ => None,
    };
    let mut most = 0;
    for port in ports(plain) {
        let Some(family) = Family::new(&port.key.name) else { continue };
        let exact = |rest: &str| ports(plain).any(|p| p.key.name == rest);
        let mut taken: BTreeSet<usize> =
            child.arguments.iter().filter_map(|(key, _)| family.number(&key.name)).collect();
        if let Some((_, value)) = child.arguments.iter().find(|(key, _)| key.name == family.name()) {
            taken.extend(1..=if let Data::List(list) = &value.data { list.len() } else { 1 });
        }
        let ends = bodies.iter().flat_map(|b| &b.connections).flat_map(|c| &c.ends);
        let named = ends.filter_map(|end| port_of(end).flatten()).filter(|rest| !exact(rest));
        taken.extend(named.filter_map(|rest| family.number(&rest)));
        let open = |rest: &Option<String>| match rest {
            Some(rest) => *rest == family.name() && !exact(rest),
            None => stands_for(plain, port),
        };
        let free = |connections: &mut [Connection], taken: &BTreeSet<usize>| {
            let mut taken = taken.clone();
            for end in connections.iter_mut().flat_map(|c| &mut c.ends) {
                if port_of(end).is_some_and(|rest| open(&rest)) {
                    let next = (1..).find(|k| !taken.contains(k)).unwrap_or(1);
                    taken.insert(next);
                    end.name = format!("{name}.{}", family.member(&[next]));
                }
            }
            taken
        };
        let (base, options) = bodies.split_first_mut().expect("a definition has a body");
        let taken = free(&mut base.connections, &taken);
        most = most.max(taken.last().copied().unwrap_or(0));
        // What options add are alternatives: each goes on from the same number.
        for option in options {
            let taken = free(&mut option.connections, &taken);
            most = most.max(taken.last().copied().unwrap_or(0));
        }
    }
    most
}

/// Whether the component alone in a connection means this port: the only one, or the only one that is no signal.
fn stands_for(definition: &ComponentDefinition, port: &Port) -> bool {
    let all = ports(definition).count();
    let main = ports(definition).filter(|p| p.causality.is_none()).count();
    all == 1 || port.causality.is_none() && main == 1
}
