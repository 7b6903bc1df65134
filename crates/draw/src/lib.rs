//! Pictures and texts to look at: charts, mechanisms, bond graphs, sheets of equations, pages of components.

pub mod bond_graph;
pub mod equations;
pub mod listing;
pub mod page;
pub mod plot;
pub mod scene;
