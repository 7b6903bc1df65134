//! Model files: units, the expression language, components, ports and diagnostics.
