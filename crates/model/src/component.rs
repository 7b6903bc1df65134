//! What a component or model file says, before it is put to use.
//!
//! A model is a component without ports that also says how to run; both have the same sections, and the
//! built-in components use nothing that a user's file could not.

mod bond_graph;
mod common;
mod csv;
mod events;
mod families;
mod include;
mod library;
mod linear_graph;
mod mount;
mod numbers;
mod ports;
mod read;
mod robots;
mod sections;
mod tables;

use std::sync::Arc;

use trunnion_num::{Outside, TableShape};

use crate::domain::Domain;
use crate::energy::AccountKind;
use crate::file::{Source, Span, TomlKey, TomlText, TomlValue};
use crate::language::Ast;
use crate::units::Unit;

pub use bond_graph::{BondGraphSection, Chain, ChainMember, ElementLaw};
pub use common::Common;
pub(crate) use families::entry_at;
pub use include::is_shared;
pub use library::Library;
pub use mount::{GROUND, JOINT, LINE, Mount, PoseMount};
pub(crate) use numbers::number_families;
pub(crate) use ports::choice_text;
pub use read::Reading;
pub(crate) use read::{
    check_name, finish_sections, language_error, read_component, read_scalar, wrong_dimension,
};
pub use robots::{RobotDefinition, TOOL_LIMITS};
pub use sections::flatten;
pub(crate) use sections::{fields_of, read_definition, table_of};
pub(crate) use tables::given_table;

/// Where in a model file the parts of a mechanism stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Bodies,
    Joints,
    Lines,
    Couplings,
    Loads,
    Sensors,
}

impl Section {
    pub const ALL: [(&'static str, Section); 6] = [
        ("bodies", Section::Bodies),
        ("joints", Section::Joints),
        ("lines", Section::Lines),
        ("couplings", Section::Couplings),
        ("loads", Section::Loads),
        ("sensors", Section::Sensors),
    ];

    pub fn word(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Formula {
    pub ast: Ast,
    pub text: TomlText,
}

/// A value in a file.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub form: ScalarForm,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ScalarForm {
    /// A bare number counts in the unit of what it is given to.
    Number(f64),
    /// true or false, where a plain number of 1 or 0 says so.
    Truth(bool),
    Formula(Formula),
    /// Already reported; fits everything.
    Broken,
}

impl Scalar {
    /// The same with 1 or 0 in place of true or false, if that is `allowed`.
    pub fn as_number(&self, allowed: bool) -> Scalar {
        match self.form {
            ScalarForm::Truth(truth) if allowed => {
                Scalar { form: ScalarForm::Number(f64::from(truth)), span: self.span.clone() }
            }
            _ => self.clone(),
        }
    }
}

/// Limits of a parameter; `above` and `below` exclude the limit itself.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    pub min: Option<Scalar>,
    pub max: Option<Scalar>,
    pub above: Option<Scalar>,
    pub below: Option<Scalar>,
}

/// A former name of a parameter.
#[derive(Clone, Debug)]
pub struct FormerName {
    pub name: String,
    /// The unit that bare numbers had, where it was another one.
    pub unit: Option<Unit>,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub key: TomlKey,
    /// None: taken from the value.
    pub unit: Option<Unit>,
    /// None: has to be given where the component is used, or when the model is run.
    pub value: Option<Scalar>,
    /// The value is only proposed: whoever runs the model is asked.
    pub ask: bool,
    pub bounds: Bounds,
    pub doc: String,
    /// Takes values of every dimension.
    pub any: bool,
    /// A width, band or other difference: "1 °C" is 1 K.
    pub difference: bool,
    /// Names it had before.
    pub aliases: Vec<FormerName>,
    /// The signal input that takes the place of the default: the default is 0 where something drives it.
    pub unless: Option<TomlText>,
    /// Of a family: a single value is for the first member alone, not for all.
    pub list: bool,
    /// The unit could not be read, which has been reported.
    pub broken: bool,
}

/// A variable, an input or a mode.
#[derive(Clone, Debug)]
pub struct VariableDefinition {
    pub key: TomlKey,
    /// None: any, or could not be read, which has been reported.
    pub unit: Option<Unit>,
    pub start: Option<Scalar>,
    pub nominal: Option<Scalar>,
    pub doc: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalDirection {
    In,
    Out,
}

#[derive(Clone, Debug)]
pub struct Port {
    pub key: TomlKey,
    /// None: could not be read, which has been reported.
    pub domain: Option<&'static Domain>,
    /// Signal ports only.
    pub causality: Option<SignalDirection>,
    /// Signal ports only; None fits every unit.
    pub unit: Option<Unit>,
    /// Signal inputs only: the value where nothing is connected.
    pub default: Option<Scalar>,
    /// May stay unconnected.
    pub optional: bool,
    /// Signal inputs only: the component does nothing without, so that the user is told where nothing gives it.
    pub command: bool,
    /// Values for what is connected to it.
    pub gives: Vec<(TomlKey, Scalar)>,
    /// Values it needs from what it is connected to.
    pub takes: Vec<VariableDefinition>,
    pub doc: String,
}

#[derive(Clone, Debug)]
pub struct OptionChoice {
    pub key: TomlKey,
    /// Empty: a free text, or a count.
    pub choices: Vec<String>,
    pub default: String,
    /// Not a choice but the number of members of the component's families, and how many there are by default.
    pub count: Option<usize>,
    /// Parameters that choose `true` by being given.
    pub given: Vec<String>,
    pub doc: String,
}

/// One axis or the values of a table: plain numbers in SI and what they measure.
#[derive(Clone, Debug)]
pub struct TableColumn {
    pub values: Vec<f64>,
    pub unit: Option<Unit>,
}

#[derive(Clone, Debug)]
pub struct TableData {
    pub key: TomlKey,
    pub x: TableColumn,
    pub y: TableColumn,
    /// Row by row over x; None: a table of one variable.
    pub z: Option<TableColumn>,
    pub shape: TableShape,
    pub outside: Outside,
}

/// A component inside a model or another component.
#[derive(Clone, Debug)]
pub struct Child {
    pub key: TomlKey,
    /// None: missing or not a string, which has been reported.
    pub kind: Option<TomlText>,
    pub arguments: Vec<(TomlKey, TomlValue)>,
    /// Its definition with families written out; None before that, and where there is no such component.
    pub definition: Option<Arc<ComponentDefinition>>,
    /// The section it stands in, if that is not [components].
    pub section: Option<Section>,
}

/// Ends that are joined: paths as written and where.
#[derive(Clone, Debug)]
pub struct Connection {
    pub ends: Vec<TomlKey>,
}

#[derive(Clone, Debug)]
pub struct EquationDefinition {
    pub key: TomlKey,
    pub sides: (Ast, Ast),
    pub text: TomlText,
}

#[derive(Clone, Debug)]
pub struct OutputDefinition {
    pub key: TomlKey,
    pub value: Formula,
    pub unit: Option<Unit>,
    /// The account of energy it is.
    pub energy: Option<AccountKind>,
    pub doc: String,
}

/// `target = value`; the target is a path.
#[derive(Clone, Debug)]
pub struct Assign {
    pub target: TomlKey,
    pub value: Scalar,
}

#[derive(Clone, Debug)]
pub struct EventDefinition {
    pub key: TomlKey,
    /// None: could not be read, which has been reported.
    pub when: Option<Formula>,
    pub set: Vec<Assign>,
    pub terminate: Option<String>,
    pub warn: Option<String>,
    pub at_start: bool,
}

#[derive(Clone, Debug)]
pub struct SampleClock {
    pub period: Scalar,
    pub offset: Option<Scalar>,
}

#[derive(Clone, Debug)]
pub struct TaskDefinition {
    pub key: TomlKey,
    pub clock: SampleClock,
    /// Done once the other tasks of the same instant are.
    pub after: bool,
    pub set: Vec<Assign>,
}

#[derive(Clone, Debug)]
pub struct Controller {
    pub key: TomlKey,
    /// None, here and below: could not be read, which has been reported.
    pub clock: Option<SampleClock>,
    /// The program and where it stands.
    pub script: Option<TomlText>,
    pub inputs: Vec<(TomlKey, Formula)>,
    pub outputs: Vec<VariableDefinition>,
    /// The robot that it moves, whose program it is; None: a controller.
    pub robot: Option<RobotDefinition>,
}

/// The sections that options may add to.
#[derive(Clone, Debug, Default)]
pub struct ComponentSections {
    pub ports: Vec<Port>,
    pub parameters: Vec<Parameter>,
    pub variables: Vec<VariableDefinition>,
    pub modes: Vec<VariableDefinition>,
    pub inputs: Vec<VariableDefinition>,
    pub tables: Vec<TableData>,
    pub components: Vec<Child>,
    pub connections: Vec<Connection>,
    pub equations: Vec<EquationDefinition>,
    /// What is added to the right sides of equations, by their names.
    pub terms: Vec<(TomlKey, Formula)>,
    pub outputs: Vec<OutputDefinition>,
    pub events: Vec<EventDefinition>,
    pub tasks: Vec<TaskDefinition>,
    pub controllers: Vec<Controller>,
    pub bond_graph: BondGraphSection,
    /// Values for the parameters of the components inside.
    pub common: Vec<Common>,
}

/// What is added when an option has one of these values.
#[derive(Clone, Debug)]
pub struct When {
    pub option: TomlText,
    pub is: Vec<TomlText>,
    pub body: ComponentSections,
}

/// A component as its file defines it.
#[derive(Clone, Debug)]
pub struct ComponentDefinition {
    /// The file's name without folder and ending.
    pub name: String,
    pub title: String,
    pub aliases: Vec<String>,
    pub icon: Option<String>,
    pub doc: String,
    /// The section that uses it, if that is not [components].
    pub section: Option<Section>,
    /// How it is put between two frames or on a joint; None: it cannot.
    pub mount: Option<Mount>,
    /// How it acts in all directions between two frames; None: it does not.
    pub pose: Option<PoseMount>,
    pub options: Vec<OptionChoice>,
    pub body: ComponentSections,
    pub when: Vec<When>,
    pub source: Arc<Source>,
    /// Files it takes sections from.
    pub included: Vec<Arc<Source>>,
}

impl ComponentDefinition {
    /// The sections that always count, then those of options.
    pub fn bodies(&self) -> impl Iterator<Item = &ComponentSections> {
        std::iter::once(&self.body).chain(self.when.iter().map(|w| &w.body))
    }
}
