//! What a user can put into a model of each domain, where its parts say too much or too little of each other.

/// One of the two variables of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BondVariable {
    Effort,
    Flow,
}

/// For two that impose the same.
pub fn two_impose(domain: &str, part: BondVariable) -> &'static str {
    match (domain, part) {
        ("translational" | "rotational", BondVariable::Effort) => "put a mass between them",
        ("translational" | "rotational", BondVariable::Flow) => "put a spring or a damper between them",
        ("hydraulic", BondVariable::Effort) | ("pneumatic", BondVariable::Effort) => {
            "put a restrictor between them"
        }
        ("hydraulic", BondVariable::Flow) => {
            "let one of them be a pressure source, or add a tee with compliance or a relief valve between them"
        }
        ("pneumatic", BondVariable::Flow) => {
            "let one of them be a pressure source, or add a volume between them"
        }
        ("electric", BondVariable::Effort) => "put a resistor between them",
        ("electric", BondVariable::Flow) => "put a resistor or a capacitor across them",
        ("thermal", BondVariable::Effort) => "put a thermal resistance between them",
        ("thermal", BondVariable::Flow) => "put a heat capacity between them",
        (_, BondVariable::Effort) => "put a loss between them",
        (_, BondVariable::Flow) => "let one of them be a source of effort, or put a store between them",
    }
}

/// For stores that follow others: what would make them independent.
pub fn one_follows(domain: &str, part: BondVariable) -> &'static str {
    match (domain, part) {
        ("translational" | "rotational", BondVariable::Flow) => {
            "nothing needs to be done; a spring between them makes them independent"
        }
        ("translational" | "rotational", BondVariable::Effort) => {
            "use one spring of the joint compliance, or put a mass between them"
        }
        ("hydraulic" | "pneumatic", BondVariable::Effort) => {
            "put a restrictor between them, or use one store of the joint volume"
        }
        ("hydraulic" | "pneumatic", BondVariable::Flow) => {
            "use one line of the joint inertia, or add compliance between them"
        }
        ("electric", BondVariable::Effort) => {
            "put a resistor between them, or use one capacitor of the joint capacity"
        }
        ("electric", BondVariable::Flow) => {
            "use one inductor of the joint inductance, or put a capacitor between them"
        }
        ("thermal", _) => "put a thermal resistance between them, or use one capacity of the sum",
        (_, BondVariable::Effort) => "put a loss between them, or use one store of the joint capacity",
        (_, BondVariable::Flow) => "put a compliance between them, or use one store of the joint inertia",
    }
}

/// A store that ends an algebraic loop.
pub fn ends_loop(domain: &str) -> &'static str {
    match domain {
        "translational" | "rotational" => "a small mass between them",
        "hydraulic" => "a small oil volume between them",
        "pneumatic" => "a small volume between them",
        "electric" => "a small capacitor between them",
        "thermal" => "a small heat capacity between them",
        _ => "a small store between them",
    }
}
