//! All tests of the program in one: linking it once takes longer than running most of them.

mod architecture;
mod bad_input;
mod bad_mechanisms;
mod bad_networks;
mod commands;
mod controllers;
mod domain_pairs;
mod first_model;
mod forestry;
mod friction;
mod graphs;
mod imports;
mod library_checks;
mod live;
mod mechanism_studies;
mod model_commands;
mod mounting;
mod native;
mod networks;
mod pictures;
mod pid;
mod pneumatics;
mod program;
mod reduction;
mod studies;
mod user_components;
