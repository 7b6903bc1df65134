//! Pictures and texts to look at: charts, mechanisms, bond graphs, sheets of equations, pages of components.

pub mod bond_graph;
pub mod equations;
pub mod listing;
pub mod page;
pub mod plot;
mod request_error;
pub mod scene;

pub use request_error::DrawingError;
