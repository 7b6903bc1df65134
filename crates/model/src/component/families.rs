//! Families: sections with `#` written out for the numbers 1 … n.
//!
//! Whatever has `#` in its name becomes n of its kind, `A#_#` n². Texts are repeated if `#` stands in them outside a
//! sum; [`crate::language::FamilyNumber`] says what `#` means in an expression.

use super::{
    Assign, BondGraphSection, Bounds, Chain, ChainMember, Child, Common, ComponentDefinition,
    ComponentSections, Connection, Controller, ElementLaw, EquationDefinition, EventDefinition, Formula,
    OutputDefinition, Parameter, Port, SampleClock, Scalar, ScalarForm, TableData, TaskDefinition,
    VariableDefinition, When,
};
use crate::domain::Domain;
use crate::file::{Data, TomlEntry, TomlKey, TomlTable, TomlText, TomlValue};
use crate::language::{FamilyNumber, LAST, repeats};

/// A definition whose families have `number.count` members.
pub(crate) fn write_out(definition: &ComponentDefinition, number: &FamilyNumber) -> ComponentDefinition {
    let when = |w: &When| When { option: w.option.clone(), is: w.is.clone(), body: w.body.numbered(number) };
    ComponentDefinition {
        body: definition.body.numbered(number),
        when: definition.when.iter().map(when).collect(),
        ..definition.clone()
    }
}

/// Something that may have `#` in it.
trait Numbered: Sized {
    /// How many numbers it takes from its own name or text: 0 if it is not repeated.
    fn holes(&self) -> usize;
    /// It at one number; None where it is left out.
    fn at(&self, number: &FamilyNumber) -> Option<Self>;

    /// Once for each number.
    fn all(&self, number: &FamilyNumber, made: &mut Vec<Self>) {
        match self.holes() {
            0 => made.extend(self.at(number)),
            1 => made.extend(number.members().filter_map(|n| self.at(&n))),
            _ => number.members().for_each(|n| made.extend(n.members().filter_map(|n| self.at(&n)))),
        }
    }
}

fn each<T: Numbered>(list: &[T], number: &FamilyNumber) -> Vec<T> {
    let mut made = Vec::with_capacity(list.len());
    list.iter().for_each(|x| x.all(number, &mut made));
    made
}

fn holes(name: &str) -> usize {
    name.matches('#').count() - name.matches(LAST).count()
}

impl ComponentSections {
    fn numbered(&self, number: &FamilyNumber) -> ComponentSections {
        ComponentSections {
            ports: each(&self.ports, number),
            parameters: each(&self.parameters, number),
            variables: each(&self.variables, number),
            modes: each(&self.modes, number),
            inputs: each(&self.inputs, number),
            tables: each(&self.tables, number),
            components: each(&self.components, number),
            connections: each(&self.connections, number),
            equations: each(&self.equations, number),
            terms: each(&self.terms, number),
            outputs: each(&self.outputs, number),
            events: each(&self.events, number),
            tasks: each(&self.tasks, number),
            controllers: each(&self.controllers, number),
            common: each(&self.common, number),
            bond_graph: BondGraphSection {
                chains: each(&self.bond_graph.chains, number),
                laws: each(&self.bond_graph.laws, number),
                domains: each(&self.bond_graph.domains, number),
            },
        }
    }
}

impl TomlKey {
    fn at(&self, number: &FamilyNumber) -> Option<TomlKey> {
        Some(TomlKey { name: number.name(&self.name)?, span: self.span.clone() })
    }
}

impl Formula {
    fn at(&self, number: &FamilyNumber) -> Option<Formula> {
        Some(Formula { ast: number.expression(&self.ast)?, text: self.text.clone() })
    }
}

fn some(scalar: &Option<Scalar>, number: &FamilyNumber) -> Option<Scalar> {
    scalar.as_ref().and_then(|s| s.at(number))
}

impl Numbered for Port {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let gives = self.gives.iter().filter_map(|(key, value)| Some((key.at(number)?, value.at(number)?)));
        let takes = self.takes.iter().filter_map(|taken| taken.at(number));
        Some(Port {
            key: self.key.at(number)?,
            default: some(&self.default, number),
            gives: gives.collect(),
            takes: takes.collect(),
            ..self.clone()
        })
    }
}

impl Numbered for Parameter {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let bounds = Bounds {
            min: some(&self.bounds.min, number),
            max: some(&self.bounds.max, number),
            above: some(&self.bounds.above, number),
            below: some(&self.bounds.below, number),
        };
        let value = some(&self.value, number);
        Some(Parameter { key: self.key.at(number)?, value, bounds, ..self.clone() })
    }
}

impl Numbered for VariableDefinition {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let (start, nominal) = (some(&self.start, number), some(&self.nominal, number));
        Some(VariableDefinition { key: self.key.at(number)?, start, nominal, ..self.clone() })
    }
}

impl Numbered for Common {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some(Common { key: self.key.at(number)?, value: self.value.at(number)?, domain: self.domain })
    }
}

impl Numbered for TableData {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some(TableData { key: self.key.at(number)?, ..self.clone() })
    }
}

impl Numbered for Child {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let mut arguments = vec![];
        for (key, value) in &self.arguments {
            arguments.push((key.at(number)?, value_at(value, number)?));
        }
        Some(Child { key: self.key.at(number)?, arguments, ..self.clone() })
    }
}

/// A key and its value at one number; None where it is left out.
pub(crate) fn entry_at(entry: &TomlEntry, number: &FamilyNumber) -> Option<TomlEntry> {
    Some(TomlEntry { key: entry.key.at(number)?, value: value_at(&entry.value, number)? })
}

/// Arguments are read only when the component they are for is known: the number goes into their texts.
fn value_at(value: &TomlValue, number: &FamilyNumber) -> Option<TomlValue> {
    let data = match &value.data {
        Data::Text(text) => Data::Text(number.name(text)?),
        Data::List(list) => Data::List(list.iter().map(|v| value_at(v, number)).collect::<Option<_>>()?),
        Data::Table(table) => {
            let entries: Option<Vec<_>> = table.entries.iter().map(|e| entry_at(e, number)).collect();
            Data::Table(TomlTable { entries: entries?, span: table.span.clone() })
        }
        data => data.clone(),
    };
    Some(TomlValue { data, span: value.span.clone() })
}

impl Numbered for Connection {
    fn holes(&self) -> usize {
        self.ends.iter().map(|end| holes(&end.name)).max().unwrap_or(0).min(1)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let ends: Option<Vec<_>> = self.ends.iter().map(|end| end.at(number)).collect();
        Some(Connection { ends: ends? })
    }
}

/// The name of a repeated text: with its number, also where it has no `#`.
fn numbered_key(key: &TomlKey, repeated: bool, number: &FamilyNumber) -> Option<TomlKey> {
    let name = if repeated && holes(&key.name) == 0 {
        number.name(&format!("{}#", key.name))?
    } else {
        number.name(&key.name)?
    };
    Some(TomlKey { name, span: key.span.clone() })
}

impl Numbered for EquationDefinition {
    fn holes(&self) -> usize {
        let text = repeats(&self.sides.0) || repeats(&self.sides.1);
        holes(&self.key.name).max(usize::from(text))
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let sides = (number.expression(&self.sides.0)?, number.expression(&self.sides.1)?);
        let key = numbered_key(&self.key, self.holes() > 0, number)?;
        Some(EquationDefinition { key, sides, text: self.text.clone() })
    }
}

impl Numbered for OutputDefinition {
    fn holes(&self) -> usize {
        holes(&self.key.name).max(usize::from(repeats(&self.value.ast)))
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let key = numbered_key(&self.key, self.holes() > 0, number)?;
        Some(OutputDefinition { key, value: self.value.at(number)?, ..self.clone() })
    }
}

impl Numbered for Assign {
    fn holes(&self) -> usize {
        holes(&self.target.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some(Assign { target: self.target.at(number)?, value: self.value.at(number)? })
    }
}

/// What belongs to a text: of its own number if the text is repeated, otherwise of all.
fn parts<T: Numbered>(list: &[T], number: &FamilyNumber) -> Vec<T> {
    if number.is_set() { list.iter().filter_map(|x| x.at(number)).collect() } else { each(list, number) }
}

impl Numbered for EventDefinition {
    fn holes(&self) -> usize {
        let condition = self.when.as_ref().is_some_and(|when| repeats(&when.ast));
        holes(&self.key.name).max(usize::from(condition))
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let when = match &self.when {
            Some(when) => Some(when.at(number)?),
            None => None,
        };
        let key = numbered_key(&self.key, self.holes() > 0, number)?;
        Some(EventDefinition {
            key,
            when,
            set: parts(&self.set, number),
            terminate: self.terminate.clone(),
            warn: self.warn.clone(),
            at_start: self.at_start,
        })
    }
}

impl SampleClock {
    fn at(&self, number: &FamilyNumber) -> Option<SampleClock> {
        Some(SampleClock { period: self.period.at(number)?, offset: some(&self.offset, number) })
    }
}

impl Numbered for TaskDefinition {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let (key, clock) = (self.key.at(number)?, self.clock.at(number)?);
        Some(TaskDefinition { key, clock, after: self.after, set: parts(&self.set, number) })
    }
}

impl Numbered for (TomlKey, Formula) {
    fn holes(&self) -> usize {
        holes(&self.0.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some((self.0.at(number)?, self.1.at(number)?))
    }
}

impl Numbered for Controller {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some(Controller {
            key: self.key.at(number)?,
            clock: self.clock.as_ref().and_then(|clock| clock.at(number)),
            script: self.script.clone(),
            inputs: parts(&self.inputs, number),
            outputs: parts(&self.outputs, number),
            robot: self.robot.clone(),
        })
    }
}

impl Numbered for Chain {
    fn holes(&self) -> usize {
        self.stops.iter().map(|stop| holes(&stop.name)).max().unwrap_or(0).min(1)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let stop = |s: &ChainMember| Some(ChainMember { name: number.name(&s.name)?, ..s.clone() });
        let stops: Option<Vec<_>> = self.stops.iter().map(stop).collect();
        Some(Chain { stops: stops? })
    }
}

/// An entry of the list of a field, for one bond.
impl Numbered for Scalar {
    fn holes(&self) -> usize {
        match &self.form {
            ScalarForm::Formula(formula) => usize::from(repeats(&formula.ast)),
            _ => 0,
        }
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        let form = match &self.form {
            ScalarForm::Formula(formula) => ScalarForm::Formula(formula.at(number)?),
            form => form.clone(),
        };
        Some(Scalar { form, span: self.span.clone() })
    }
}

impl Numbered for TomlText {
    fn holes(&self) -> usize {
        holes(&self.text)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some(TomlText { text: number.name(&self.text)?, span: self.span.clone() })
    }
}

impl Numbered for ElementLaw {
    fn holes(&self) -> usize {
        holes(&self.key.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some(ElementLaw {
            key: self.key.at(number)?,
            effort: parts(&self.effort, number),
            flow: parts(&self.flow, number),
            stored: parts(&self.stored, number),
            ratio: some(&self.ratio, number),
            start: parts(&self.start, number),
            states: parts(&self.states, number),
            ..self.clone()
        })
    }
}

impl Numbered for (TomlKey, &'static Domain) {
    fn holes(&self) -> usize {
        holes(&self.0.name)
    }

    fn at(&self, number: &FamilyNumber) -> Option<Self> {
        Some((self.0.at(number)?, self.1))
    }
}

/// Keys with `#` in a definition that has no family to number them.
pub(crate) fn unnumbered(definition: &ComponentDefinition) -> Vec<&TomlKey> {
    let mut keys: Vec<&TomlKey> = vec![];
    for body in definition.bodies() {
        keys.extend(body.variables.iter().chain(&body.modes).chain(&body.inputs).map(|x| &x.key));
        keys.extend(body.tables.iter().map(|x| &x.key));
        keys.extend(body.components.iter().map(|x| &x.key));
        keys.extend(body.equations.iter().map(|x| &x.key));
        keys.extend(body.outputs.iter().map(|x| &x.key));
        keys.extend(body.events.iter().map(|x| &x.key));
        keys.extend(body.tasks.iter().map(|x| &x.key));
        keys.extend(body.controllers.iter().map(|x| &x.key));
        keys.extend(body.bond_graph.laws.iter().map(|x| &x.key));
    }
    keys.retain(|key| key.name.contains('#'));
    keys
}
