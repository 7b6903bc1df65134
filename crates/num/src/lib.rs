//! Small linear algebra, tables and roots.
