//! Model files: units, the expression language, components, ports and diagnostics.

pub mod component;
pub mod diagnostic;
pub mod display;
pub mod domain;
pub mod edit;
pub mod energy;
pub mod expect;
pub mod file;
pub mod instantiate;
pub mod language;
pub mod live;
mod load;
pub mod mechanism;
pub mod network;
pub mod run;
pub mod units;

pub use component::{ComponentDefinition, Library};
pub use diagnostic::{Diagnostic, Label, Severity};
pub use expect::Expect;
pub use file::{Files, Source, Sources, Span};
pub use instantiate::{ASSUMED_UNIT, Deferred, UNUSED_VALUE};
pub use load::{Model, load, load_asking, model_of_expectations};
pub use run::RunSection;
