//! What jumps or bends where a continuous quantity passes a number becomes a mode that changes at located instants: whole numbers (`integer_parts.rs`) and
//! tables (`cells.rs`).
//!
//! This happens once all is sorted and solved, on expressions of states and unknowns. What depends on time alone is known in
//! advance; what depends on parameters, inputs and modes changes with them.

use crate::flat::{DisplayUnit, Origin, Quantity, QuantityRole};
use crate::graph::Graph;
use crate::hash::{Map, Set};
use crate::node::{Binary, Expr, ExprNode, Symbol, TableId, Unary};
use crate::print::{PrintStyle, print};
use crate::structure::cells::{Cells, divide, freeze, is_straight};
use crate::structure::integer_parts::{in_loop, is_whole, meaning};
use crate::structure::relations::{GuardRole, Relation};
use crate::structure::values_of;
use crate::system::{SystemParts, UnlocatedJump};

/// Puts modes in the place of integer parts and tables in what is solved and watched, and in all that is computed beside it. `expanded` leads
/// from what was written to what it became.
pub(crate) fn extract(parts: &mut SystemParts<Graph>, expanded: &Map<Expr, Expr>) {
    let SystemParts { graph, quantities, unknowns, n_states, rows, relations, events, constraints, .. } =
        parts;
    let graph: &Graph = graph;
    let watched = relations.iter().map(|r| r.guard).chain(events.iter().map(|e| e.guard));
    let accelerations = constraints.iter().map(|c| c.acceleration);
    let frictions = parts.frictions.iter().flat_map(|f| [f.speed, f.limit, f.sliding]);
    let roots: Vec<Expr> =
        rows.iter().map(|r| r.value).chain(watched).chain(accelerations).chain(frictions).collect();
    let order = graph.reachable(roots.iter().copied());
    let has_pieces = |e: &Expr| {
        is_whole(graph, *e) || matches!(graph.node(*e), ExprNode::Table1(..) | ExprNode::Table2(..))
    };
    if !order.iter().any(has_pieces) {
        return;
    }
    let written = written_forms(expanded, has_pieces);
    let as_written = |e: Expr| *written.get(&e).unwrap_or(&e);
    let algebraic = &unknowns[*n_states..];
    let mut left: Set<Expr> = Set::default();
    for row in &rows[*n_states..] {
        for e in in_loop(graph, row.value, algebraic) {
            if left.insert(e) {
                parts.unlocated.push(UnlocatedJump { value: as_written(e), origin: row.origin.clone() });
            }
        }
    }
    let moves = graph.dependence(&roots, |leaf| match leaf {
        ExprNode::Symbol(s) => {
            matches!(quantities[s.index()].kind, QuantityRole::Unknown { .. } | QuantityRole::Multiplier)
        }
        leaf => leaf != ExprNode::Time,
    });
    let iterated =
        graph.dependence(&roots, |leaf| matches!(leaf, ExprNode::Symbol(s) if algebraic.contains(&s)));
    let fragile = fragile(graph, &order);
    let mut modes = PieceModes {
        graph,
        quantities,
        relations,
        whole: Map::default(),
        cells: Map::default(),
        divided: Map::default(),
        watched: Set::default(),
    };
    let mut new: Map<Expr, Expr> = Map::default();
    for &e in &order {
        let mut made = graph.rebuild(e, |c| new[&c]);
        let moved = graph.node(e).children().any(|c| moves[&c]);
        match graph.node(made) {
            _ if !moved || left.contains(&e) => {}
            ExprNode::Table1(table, a, order) => {
                let freezes = !fragile.contains(&e) && !iterated[&e];
                let frozen = if freezes { modes.in_cell((table, a, order), as_written(e)) } else { None };
                match (frozen, modes.divided(table)) {
                    (Some(frozen), _) => made = frozen,
                    (None, Some([smooth, jumps])) => {
                        modes.watch(smooth, &[a], as_written(e));
                        let stair = modes.in_cell((jumps, a, order), as_written(e));
                        let smooth = graph.table1(smooth, graph.at(a), order);
                        made = stair.map_or(made, |stair| (smooth + graph.at(stair)).id);
                    }
                    (None, None) => modes.watch(table, &[a], as_written(e)),
                }
            }
            ExprNode::Table2(table, a, b, ..) => modes.watch(table, &[a, b], as_written(e)),
            _ if is_whole(graph, made) => {
                made = modes.frozen(made, as_written(e), fragile.contains(&e));
            }
            _ => {}
        }
        new.insert(e, made);
    }
    if modes.relations.iter().any(|r| r.step != 0.0) {
        replace(parts, &mut new);
    }
}

/// Nodes as they were written, by what they became.
fn written_forms(expanded: &Map<Expr, Expr>, asked: impl Fn(&Expr) -> bool) -> Map<Expr, Expr> {
    let mut forms: Map<Expr, Expr> = Map::default();
    for (&e, &became) in expanded.iter().filter(|(e, _)| asked(e)) {
        // One of several, always the same.
        let form = forms.entry(became).or_insert(e);
        *form = e.min(*form);
    }
    forms
}

/// Nodes that something is computed from which has no value everywhere.
fn fragile(graph: &Graph, order: &[Expr]) -> Set<Expr> {
    let mut found: Set<Expr> = Set::default();
    let whole = |b: Expr| graph.at(b).value().is_some_and(|b| b >= 0.0 && b.fract() == 0.0);
    // Parents before children.
    for &e in order.iter().rev() {
        let node = graph.node(e);
        match node {
            _ if found.contains(&e) => found.extend(node.children()),
            ExprNode::Unary(Unary::Sqrt | Unary::Ln | Unary::Log10 | Unary::Asin | Unary::Acos, a) => {
                found.insert(a);
            }
            ExprNode::Binary(Binary::Pow, a, b) if !whole(b) => found.extend([a, b]),
            ExprNode::Binary(Binary::Div, _, b) => {
                found.insert(b);
            }
            _ => {}
        }
    }
    found
}

/// The modes made so far.
pub struct PieceModes<'a> {
    graph: &'a Graph,
    quantities: &'a mut Vec<Quantity>,
    relations: &'a mut Vec<Relation>,
    /// By the expression whose integer part each is.
    whole: Map<Expr, Expr>,
    /// By table and its argument. None: it is not frozen.
    cells: Map<(TableId, Expr), Option<FrozenTable>>,
    /// Tables without their jumps, and these.
    divided: Map<TableId, Option<[TableId; 2]>>,
    /// Arguments of tables that are watched.
    watched: Set<(TableId, Vec<Expr>)>,
}

/// A table on its cell: the mode that counts, and where its guards stand among the relations.
struct FrozenTable {
    mode: Expr,
    place: usize,
    cells: Cells,
}

impl PieceModes<'_> {
    /// An integer part with its mode in its place; `written`: as the user has it.
    fn frozen(&mut self, e: Expr, written: Expr, keeps_range: bool) -> Expr {
        let graph = self.graph;
        let (Some(argument), Some(meant)) = (meaning(graph, e), meaning(graph, written)) else { return e };
        let n = match self.whole.get(&argument) {
            Some(&known) => graph.at(known),
            None => {
                let shown = graph.unary(Unary::Floor, graph.at(meant)).id;
                let zero = graph.constant(0.0).id;
                let start = graph.rewrite(&[argument], |node| (node == ExprNode::Time).then_some(zero))[0];
                let n = self.mode(written, graph.unary(Unary::Floor, graph.at(start)).id);
                let (a, n) = (graph.at(argument), graph.symbol(n));
                self.guards((a - n).id, (n + 1.0 - a).id, n.id, GuardRole::Switch, shown);
                self.whole.insert(argument, n.id);
                n
            }
        };
        match graph.node(e) {
            ExprNode::Unary(Unary::Ceil, _) => (-n).id,
            ExprNode::Binary(Binary::Mod, a, b) => {
                let (value, b, zero) = (graph.at(a) - graph.at(b) * n, graph.at(b), graph.constant(0.0));
                if keeps_range { value.min(b.max(zero)).max(b.min(zero)).id } else { value.id }
            }
            _ => n.id,
        }
    }

    /// A table on its cell, if it can be frozen.
    fn in_cell(&mut self, (table, argument, order): (TableId, Expr, u8), written: Expr) -> Option<Expr> {
        let graph = self.graph;
        let key = (table, argument);
        if !self.cells.contains_key(&key) {
            let made = freeze(graph, table).map(|cells| {
                let c = self.mode(written, graph.constant(0.0).id);
                let (a, c) = (graph.at(argument), graph.symbol(c));
                let [low, high] = cells.ends.map(|ends| graph.table1(ends, c, 0));
                let (one, last) = (graph.constant(1.0), graph.constant(cells.corners.len() as f64));
                let above = graph.select(c.lt(one), one, a - low);
                let below = graph.select(c.lt(last), high - a, one);
                let role = if cells.jumps { GuardRole::Switch } else { GuardRole::Kink };
                let place = self.guards(above.id, below.id, c.id, role, argument);
                for relation in &mut self.relations[place..] {
                    relation.points = Some(cells.corners.clone());
                }
                FrozenTable { mode: c.id, place, cells }
            });
            self.cells.insert(key, made);
        }
        let FrozenTable { mode, place, cells } = self.cells.get(&key)?.as_ref()?;
        if order > 0 {
            // Slopes jump at a corner.
            self.relations[*place..*place + 2].iter_mut().for_each(|r| r.role = GuardRole::Switch);
        }
        Some(cells.frozen(graph, argument, *mode, order))
    }

    fn divided(&mut self, table: TableId) -> Option<[TableId; 2]> {
        *self.divided.entry(table).or_insert_with(|| divide(self.graph, table))
    }

    /// A table whose arguments are watched, as guards one after the other.
    fn watch(&mut self, table: TableId, arguments: &[Expr], written: Expr) {
        if is_straight(self.graph, table) || !self.watched.insert((table, arguments.to_vec())) {
            return;
        }
        for (k, &argument) in arguments.iter().enumerate() {
            let mode = self.mode(written, self.graph.constant(0.0).id);
            self.relations.push(Relation {
                role: GuardRole::Argument,
                mode,
                guard: argument,
                closed: false,
                step: 0.0,
                points: None,
                table: (k == 0).then_some(table),
                written: argument,
            });
        }
    }

    /// A mode that counts what `named` passes.
    fn mode(&mut self, named: Expr, start: Expr) -> Symbol {
        let name = |s: Symbol| self.quantities[s.index()].name.clone();
        let name = print(self.graph, named, PrintStyle::Text, &name);
        self.quantities.push(Quantity {
            name,
            unit: DisplayUnit::default(),
            doc: "Counts what is passed".into(),
            origin: Origin::default(),
            kind: QuantityRole::Mode { start },
            nominal: None,
            range: (f64::NEG_INFINITY, f64::INFINITY),
        });
        Symbol(self.quantities.len() as u32 - 1)
    }

    /// The guards of a mode, which moves on downwards where the first ceases to hold, upwards where the second does.
    fn guards(&mut self, above: Expr, below: Expr, mode: Expr, role: GuardRole, written: Expr) -> usize {
        let ExprNode::Symbol(mode) = self.graph.node(mode) else { return self.relations.len() };
        let place = self.relations.len();
        for (guard, step) in [(above, -1.0), (below, 1.0)] {
            let closed = step < 0.0;
            self.relations.push(Relation {
                role,
                mode,
                guard,
                closed,
                step,
                points: None,
                table: None,
                written,
            });
        }
        place
    }
}

/// Everything of `parts` that has a value, with the nodes of `new` replaced.
fn replace(parts: &mut SystemParts<Graph>, new: &mut Map<Expr, Expr>) {
    let SystemParts { graph, rows, relations, events, tasks, outputs, constraints, frictions, .. } = parts;
    let mut places = values_of(events, tasks, outputs, constraints);
    places.extend(rows.iter_mut().map(|r| &mut r.value));
    places.extend(relations.iter_mut().map(|r| &mut r.guard));
    places.extend(frictions.iter_mut().flat_map(|f| [&mut f.speed, &mut f.limit, &mut f.sliding]));
    for place in places {
        *place = graph.replace(&[*place], new)[0];
    }
}
