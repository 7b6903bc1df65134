//! The operations an expression is made of, and what each one computes.
//!
//! `Unary::eval` and `Binary::eval` are the single definition of every operation: constant folding, the
//! interpreter and the functions that native code calls all end here, which is what makes them agree bit
//! for bit. Booleans are numbers: 0 is false, anything else is true, and relations give 0 or 1.

/// A handle to a node of a [`Graph`](crate::Graph). Children have smaller numbers than their parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(pub(crate) u32);

impl Expr {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A leaf that stands for a named quantity; what it names is kept beside the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Symbol {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A table of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Neg,
    Abs,
    Sign,
    Sqrt,
    Exp,
    Ln,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Floor,
    Ceil,
    Not,
}

impl Unary {
    /// In the order in which images number them.
    pub(crate) const ALL: [Unary; 19] = {
        use Unary::*;
        [
            Neg, Abs, Sign, Sqrt, Exp, Ln, Log10, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Floor,
            Ceil, Not,
        ]
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Atan2,
    Min,
    Max,
    Mod,
    Lt,
    Le,
    Eq,
    Ne,
    And,
    Or,
}

impl Binary {
    /// In the order in which images number them.
    pub(crate) const ALL: [Binary; 15] = {
        use Binary::*;
        [Add, Sub, Mul, Div, Pow, Atan2, Min, Max, Mod, Lt, Le, Eq, Ne, And, Or]
    };
}

/// A force that is not computed from a formula alone. Analysis turns it into modes and multipliers: no program ever sees one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Holding {
    /// Dry friction against a speed: (speed, most it holds, force when sliding).
    Dry,
    /// While locked, what gives a speed its rate, and else 0: (locked, speed, rate).
    Hold,
}

impl Holding {
    pub fn name(self) -> &'static str {
        match self {
            Holding::Dry => "dry",
            Holding::Hold => "hold",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExprNode {
    Const(f64),
    /// Simulated time.
    Time,
    Symbol(Symbol),
    /// The time derivative of a symbol.
    Derivative(Symbol),
    Unary(Unary, Expr),
    Binary(Binary, Expr, Expr),
    /// `if condition { a } else { b }`; both sides are computed.
    Select(Expr, Expr, Expr),
    Holding(Holding, Expr, Expr, Expr),
    /// Table of one variable, or its derivative of the given order.
    Table1(TableId, Expr, u8),
    /// Table of two variables, or its partial derivative.
    Table2(TableId, Expr, Expr, u8, u8),
}

impl ExprNode {
    /// The nodes this one is computed from.
    pub fn children(&self) -> impl Iterator<Item = Expr> + use<> {
        let slots = match *self {
            ExprNode::Const(_) | ExprNode::Time | ExprNode::Symbol(_) | ExprNode::Derivative(_) => [None; 3],
            ExprNode::Unary(_, a) | ExprNode::Table1(_, a, _) => [Some(a), None, None],
            ExprNode::Binary(_, a, b) | ExprNode::Table2(_, a, b, _, _) => [Some(a), Some(b), None],
            ExprNode::Select(c, a, b) | ExprNode::Holding(_, c, a, b) => [Some(c), Some(a), Some(b)],
        };
        slots.into_iter().flatten()
    }
}

fn truth(b: bool) -> f64 {
    if b { 1.0 } else { 0.0 }
}

impl Unary {
    pub fn eval(self, x: f64) -> f64 {
        match self {
            Unary::Neg => -x,
            Unary::Abs => x.abs(),
            // 0 at 0, NaN stays NaN.
            Unary::Sign => {
                if x > 0.0 {
                    1.0
                } else if x < 0.0 {
                    -1.0
                } else {
                    x
                }
            }
            Unary::Sqrt => x.sqrt(),
            Unary::Exp => x.exp(),
            Unary::Ln => x.ln(),
            Unary::Log10 => x.log10(),
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Tan => x.tan(),
            Unary::Asin => x.asin(),
            Unary::Acos => x.acos(),
            Unary::Atan => x.atan(),
            Unary::Sinh => x.sinh(),
            Unary::Cosh => x.cosh(),
            Unary::Tanh => x.tanh(),
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Not => truth(x == 0.0),
        }
    }

    /// The name in the expression language; operators have none.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Unary::Neg | Unary::Not => return None,
            Unary::Abs => "abs",
            Unary::Sign => "sign",
            Unary::Sqrt => "sqrt",
            Unary::Exp => "exp",
            Unary::Ln => "ln",
            Unary::Log10 => "log10",
            Unary::Sin => "sin",
            Unary::Cos => "cos",
            Unary::Tan => "tan",
            Unary::Asin => "asin",
            Unary::Acos => "acos",
            Unary::Atan => "atan",
            Unary::Sinh => "sinh",
            Unary::Cosh => "cosh",
            Unary::Tanh => "tanh",
            Unary::Floor => "floor",
            Unary::Ceil => "ceil",
        })
    }
}

impl Binary {
    pub fn eval(self, a: f64, b: f64) -> f64 {
        match self {
            Binary::Add => a + b,
            Binary::Sub => a - b,
            Binary::Mul => a * b,
            Binary::Div => a / b,
            Binary::Pow => a.powf(b),
            Binary::Atan2 => a.atan2(b),
            Binary::Min => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Binary::Max => {
                if a > b {
                    a
                } else {
                    b
                }
            }
            // The result has the sign of b: angles and phases wrap upwards.
            Binary::Mod => a - b * (a / b).floor(),
            Binary::Lt => truth(a < b),
            Binary::Le => truth(a <= b),
            Binary::Eq => truth(a == b),
            Binary::Ne => truth(a != b),
            Binary::And => truth(a != 0.0 && b != 0.0),
            Binary::Or => truth(a != 0.0 || b != 0.0),
        }
    }

    pub(crate) fn commutes(self) -> bool {
        use Binary::*;
        matches!(self, Add | Mul | Eq | Ne | And | Or)
    }
}
