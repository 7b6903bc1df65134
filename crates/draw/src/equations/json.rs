//! Equations for other programs: every expression as a tree and as text, with names, units and origins.
//!
//! An expression is one of
//!   { kind: constant, value }   { kind: time }   { kind: symbol, name }   { kind: derivative, name }
//!   { kind: operation, op, args }   { kind: table, name, order, args }
//!
//! Symbols #1, #2, … stand for the entries of `shared`: terms that long expressions have in common.

use serde_json::{Value, json};
use trunnion_equations::flat::{Action, Assignment, Direction, Origin};
use trunnion_equations::print::terms;
use trunnion_equations::structure::Reduction;
use trunnion_equations::{Binary, Expr, ExprNode, Symbol, Unary};

use super::sheet::{EquationSheet, SheetLine};
use super::text;

/// A tree larger than this is left out (`null`): shared parts would be repeated without end.
const LARGEST: u64 = 100_000;
/// serde_json refuses to read deeper trees back.
const DEEPEST: usize = 60;

pub fn render(sheet: &EquationSheet) -> String {
    let lines = |list: &[SheetLine]| list.iter().map(|line| equation(sheet, line)).collect::<Vec<_>>();
    let quantities = |list: &[Symbol]| list.iter().map(|&s| quantity(sheet, s)).collect::<Vec<_>>();
    let document = json!({
        "model": sheet.project.name,
        "doc": sheet.project.doc.trim(),
        "hash": sheet.project.hash,
        "states": quantities(&sheet.states),
        "unknowns": quantities(&sheet.unknowns),
        "parameters": quantities(&sheet.parameters),
        "inputs": quantities(&sheet.inputs),
        "modes": quantities(&sheet.modes),
        "reduced": reduced(sheet),
        "shared": sheet.shared.iter().map(|line| {
            json!({ "name": text::expression(sheet, line.left), "value": expression(sheet, line.right) })
        }).collect::<Vec<_>>(),
        "definitions": lines(&sheet.definitions),
        "differential": lines(&sheet.differential),
        "algebraic": lines(&sheet.algebraic),
        "loops": lines(&sheet.loops),
        "events": events(sheet),
        "tasks": tasks(sheet),
        "outputs": sheet.outputs.iter().map(|o| {
            let value = expression(sheet, o.value);
            json!({ "name": o.name, "unit": unit(&o.unit), "doc": o.doc, "origin": origin(sheet, &o.origin), "value": value })
        }).collect::<Vec<_>>(),
        "aliases": aliases(sheet),
    });
    format!("{document:#}\n")
}

/// States that follow from others, each by 0 = constraint.
fn reduced(sheet: &EquationSheet) -> Vec<Value> {
    let name = |s: &Symbol| sheet.quantity(*s).name.clone();
    let one = |r: &Reduction| {
        json!({
            "state": name(&r.given_up),
            "follows_from": r.others.iter().map(name).collect::<Vec<_>>(),
            "equation": r.equation,
            "origin": origin(sheet, &r.origin),
            "constraint": expression(sheet, r.constraint),
        })
    };
    sheet.reduced.iter().map(one).collect()
}

fn aliases(sheet: &EquationSheet) -> Vec<Value> {
    let one = |(names, e): &(Vec<Symbol>, Expr)| {
        let names: Vec<Value> = names.iter().map(|&s| quantity(sheet, s)).collect();
        json!({ "names": names, "value": expression(sheet, *e) })
    };
    sheet.equal.iter().map(one).collect()
}

fn unit(unit: &trunnion_equations::DisplayUnit) -> Value {
    json!({ "text": unit.text, "factor": finite(unit.factor), "offset": finite(unit.offset) })
}

fn origin(sheet: &EquationSheet, origin: &Origin) -> Value {
    let place = sheet.place(origin);
    json!({
        "component": origin.component,
        "file": place.as_ref().map(|p| p.0.as_str()),
        "line": place.as_ref().map(|p| p.1),
    })
}

/// JSON has no infinities and no NaN: they become texts.
fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

fn quantity(sheet: &EquationSheet, s: Symbol) -> Value {
    let q = sheet.quantity(s);
    let si = q.unit.factor * sheet.start(s) + q.unit.offset;
    json!({
        "name": q.name,
        "unit": unit(&q.unit),
        "start": finite(sheet.start(s)),
        "start_si": finite(si),
        "formula": sheet.formula(s).map(|e| text::expression(sheet, e)),
        "doc": q.doc,
        "origin": origin(sheet, &q.origin),
    })
}

fn equation(sheet: &EquationSheet, line: &SheetLine) -> Value {
    json!({
        "equation": line.equation,
        "origin": origin(sheet, &line.origin),
        "text": text::equation(sheet, line),
        "left": tree(sheet, line.left),
        "right": tree(sheet, line.right),
    })
}

fn expression(sheet: &EquationSheet, e: Expr) -> Value {
    json!({ "text": text::expression(sheet, e), "tree": tree(sheet, e) })
}

fn tree(sheet: &EquationSheet, e: Expr) -> Value {
    if terms(&sheet.graph, e) > LARGEST { Value::Null } else { node(sheet, e, 0) }
}

fn node(sheet: &EquationSheet, e: Expr, depth: usize) -> Value {
    let graph = &sheet.graph;
    if depth > DEEPEST {
        return json!({ "kind": "text", "text": text::expression(sheet, e) });
    }
    let of = |e: Expr| node(sheet, e, depth + 1);
    match graph.node(e) {
        ExprNode::Const(v) => json!({ "kind": "constant", "value": finite(v) }),
        ExprNode::Time => json!({ "kind": "time" }),
        ExprNode::Symbol(s) => json!({ "kind": "symbol", "name": sheet.name(s) }),
        ExprNode::Derivative(s) => json!({ "kind": "derivative", "name": sheet.quantity(s).name }),
        ExprNode::Unary(op, a) => json!({ "kind": "operation", "op": unary(op), "args": [of(a)] }),
        ExprNode::Binary(op, a, b) => {
            json!({ "kind": "operation", "op": binary(op), "args": [of(a), of(b)] })
        }
        ExprNode::Select(c, a, b) => {
            json!({ "kind": "operation", "op": "if", "args": [of(c), of(a), of(b)] })
        }
        ExprNode::Holding(kind, a, b, c) => {
            json!({ "kind": "operation", "op": kind.name(), "args": [of(a), of(b), of(c)] })
        }
        ExprNode::Table1(t, a, d) => {
            json!({ "kind": "table", "name": graph.table_name(t), "order": [d], "args": [of(a)] })
        }
        ExprNode::Table2(t, a, b, dx, dy) => {
            json!({ "kind": "table", "name": graph.table_name(t), "order": [dx, dy], "args": [of(a), of(b)] })
        }
    }
}

fn unary(op: Unary) -> &'static str {
    match op {
        Unary::Neg => "negate",
        Unary::Not => "not",
        _ => op.name().unwrap_or("unknown"),
    }
}

fn binary(op: Binary) -> &'static str {
    match op {
        Binary::Add => "add",
        Binary::Sub => "subtract",
        Binary::Mul => "multiply",
        Binary::Div => "divide",
        Binary::Pow => "power",
        Binary::Atan2 => "atan2",
        Binary::Min => "min",
        Binary::Max => "max",
        Binary::Mod => "mod",
        Binary::Lt => "less",
        Binary::Le => "less_equal",
        Binary::Eq => "equal",
        Binary::Ne => "not_equal",
        Binary::And => "and",
        Binary::Or => "or",
    }
}

fn assignments(sheet: &EquationSheet, set: &[Assignment]) -> Vec<Value> {
    set.iter()
        .map(|a| json!({ "target": sheet.quantity(a.target).name, "value": expression(sheet, a.value) }))
        .collect()
}

fn events(sheet: &EquationSheet) -> Vec<Value> {
    let one = |event: &trunnion_equations::flat::Event| {
        let direction = match event.direction {
            Direction::Rising => "rising",
            Direction::Falling => "falling",
            Direction::Both => "both",
        };
        json!({
            "name": event.name,
            "origin": origin(sheet, &event.origin),
            "guard": expression(sheet, event.guard),
            "direction": direction,
            "set": assignments(sheet, &event.set),
            "terminate": event.terminate,
        })
    };
    sheet.events.iter().map(one).collect()
}

fn tasks(sheet: &EquationSheet) -> Vec<Value> {
    let seconds = |e: Expr| finite(sheet.evaluate(e));
    let one = |task: &trunnion_equations::flat::Task| {
        let mut value = json!({
            "name": task.name,
            "origin": origin(sheet, &task.origin),
            "period_s": seconds(task.period),
            "offset_s": seconds(task.offset),
        });
        match &task.action {
            Action::Set(set) => value["set"] = json!(assignments(sheet, set)),
            Action::Script { source, inputs, outputs, .. } => {
                let inputs = inputs.iter().map(|(n, e)| json!({ "name": n, "value": expression(sheet, *e) }));
                let outputs =
                    outputs.iter().map(|(n, s)| json!({ "name": n, "target": sheet.quantity(*s).name }));
                value["script"] = json!({
                    "source": source.as_ref(),
                    "inputs": inputs.collect::<Vec<_>>(),
                    "outputs": outputs.collect::<Vec<_>>(),
                });
            }
        }
        value
    };
    sheet.tasks.iter().map(one).collect()
}
