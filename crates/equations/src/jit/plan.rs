//! How a program becomes functions: straight pieces, and pieces that repeat.
//!
//! A chain of equal bodies or cells gives the same operations over and over, each time on other values. Such a stretch is compiled
//! once and called for each repetition with a table of where its operands are: the code stays in the cache and compiles in no time,
//! however long the chain. What does not repeat is cut into functions of at most [`CHUNK`] operations: register allocation takes more than
//! linear time, and short functions keep it near linear. Values that another piece or repetition needs go through the array w.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

use crate::node::{Binary, Unary};
use crate::program::{Op, Program};

/// Operations a function. Measured on 50 000 operations: longer ones compile slower, shorter ones pass more
/// values through memory.
const CHUNK: usize = 1000;
/// Shortest and longest period of a stretch that repeats, and the fewest repetitions that are worth a table.
const PERIODS: (usize, usize) = (8, 1000);
const REPEATED: usize = 4;
/// Operations whose kinds are compared at once to find periods.
const WINDOW: usize = 24;

/// Where an operand that differs from repetition to repetition is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    Unknown,
    Slow,
    Shared,
    Out,
    Constant,
}

/// An operand as a repeated piece sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// Made in the same repetition, by the operation at this place of the piece.
    Inner(usize),
    Time,
    Constant(f64),
    /// Entry of the table.
    Table(Base, usize),
}

#[derive(Debug)]
pub struct Repeated {
    pub from: usize,
    pub period: usize,
    /// Of each operation of the piece, in order.
    pub operands: Vec<[Option<Operand>; 3]>,
    /// Rank among the values that others need, of each operation.
    pub shared: Vec<Option<usize>>,
    /// Byte offsets: for each repetition that of its first shared value, then one for each entry.
    pub table: Vec<u32>,
    pub width: usize,
}

#[derive(Debug)]
pub enum CodePiece {
    /// Places in `code`.
    Straight(usize, usize),
    Repeated(Repeated),
}

impl CodePiece {
    /// Places in the code that are compiled: of a repeated piece its first repetition.
    pub fn range(&self) -> std::ops::Range<usize> {
        match self {
            CodePiece::Straight(from, to) => *from..*to,
            CodePiece::Repeated(r) => r.from..r.from + r.period,
        }
    }
}

#[derive(Debug, Default)]
pub struct CodePlan {
    /// Numbers of the operations that compute or store something.
    pub code: Vec<u32>,
    pub pieces: Vec<CodePiece>,
    /// Place in w of operations that another piece or repetition reads; by number.
    pub shared: Vec<Option<u32>>,
    /// Constants that differ between repetitions.
    pub constants: Vec<f64>,
}

/// Leaves are read where they are used.
pub fn is_leaf(op: Op) -> bool {
    matches!(op, Op::Const(_) | Op::Time | Op::Unknown(_) | Op::Slow(_))
}

fn operands(op: Op) -> [Option<u32>; 3] {
    match op {
        Op::Const(_) | Op::Time | Op::Unknown(_) | Op::Slow(_) => [None; 3],
        Op::Unary(_, a) | Op::Table1(_, a, _) | Op::Store(_, a) => [Some(a), None, None],
        Op::Binary(_, a, b) | Op::Table2(_, a, b, _, _) => [Some(a), Some(b), None],
        Op::Select(c, a, b) => [Some(c), Some(a), Some(b)],
    }
}

/// What an operation does, apart from what it does it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sort {
    Unary(Unary),
    Binary(Binary),
    Select,
    Table(Discriminant<Op>, u32, u8, u8),
    Store,
}

fn sort(op: Op) -> Sort {
    match op {
        Op::Unary(u, _) => Sort::Unary(u),
        Op::Binary(b, _, _) => Sort::Binary(b),
        Op::Table1(t, _, d) => Sort::Table(discriminant(&op), t, d, 0),
        Op::Table2(t, _, _, dx, dy) => Sort::Table(discriminant(&op), t, dx, dy),
        Op::Store(..) => Sort::Store,
        _ => Sort::Select,
    }
}

impl CodePlan {
    pub fn new(program: &Program) -> Self {
        let ops = &program.ops;
        let code: Vec<u32> = (0..ops.len() as u32).filter(|&i| !is_leaf(ops[i as usize])).collect();
        let mut place = vec![u32::MAX; ops.len()];
        code.iter().enumerate().for_each(|(p, &i)| place[i as usize] = p as u32);
        let stretches = Stretches { ops, code: &code, place: &place }.find();
        let mut plan = CodePlan { shared: vec![None; ops.len()], ..CodePlan::default() };
        // Which piece, and which repetition in it, each place of the code belongs to.
        let mut home: Vec<(u32, u32)> = vec![(0, 0); code.len()];
        let mut pieces: Vec<(usize, usize, usize)> = vec![];
        let mut next = 0;
        for (from, period, count) in stretches.into_iter().chain([(code.len(), 0, 0)]) {
            while next < from {
                let length = CHUNK.min(from - next);
                pieces.push((next, length, 1));
                next += length;
            }
            if count > 0 {
                pieces.push((from, period, count));
                next = from + period * count;
            }
        }
        for (number, &(from, period, count)) in pieces.iter().enumerate() {
            for p in from..from + period * count {
                home[p] = (number as u32, ((p - from) / period) as u32);
            }
        }
        plan.code = code;
        plan.share(ops, &place, &home, &pieces);
        for (from, period, count) in pieces {
            let piece = match count {
                1 => CodePiece::Straight(from, from + period),
                _ => CodePiece::Repeated(plan.repeated(ops, &place, from, period, count)),
            };
            plan.pieces.push(piece);
        }
        plan
    }

    /// Places in w: of a repeated piece those of one repetition lie together, in the same order in all.
    fn share(&mut self, ops: &[Op], place: &[u32], home: &[(u32, u32)], pieces: &[(usize, usize, usize)]) {
        let mut needed = vec![false; self.code.len()];
        for (p, &i) in self.code.iter().enumerate() {
            for a in operands(ops[i as usize]).into_iter().flatten() {
                let from = place[a as usize];
                if from != u32::MAX && home[from as usize] != home[p] {
                    needed[from as usize] = true;
                }
            }
        }
        let mut next = 0;
        for &(from, period, count) in pieces {
            let of_one: Vec<bool> =
                (0..period).map(|s| (0..count).any(|t| needed[from + t * period + s])).collect();
            for p in from..from + period * count {
                if of_one[(p - from) % period] {
                    self.shared[self.code[p] as usize] = Some(next);
                    next += 1;
                }
            }
        }
    }

    fn repeated(&mut self, ops: &[Op], place: &[u32], from: usize, period: usize, count: usize) -> Repeated {
        let number = |t: usize, s: usize| self.code[from + t * period + s];
        let first = |t: usize| (0..period).find_map(|s| self.shared[number(t, s) as usize]).unwrap_or(0);
        let mut rank = 0;
        let shared: Vec<Option<usize>> = (0..period)
            .map(|s| {
                self.shared[number(0, s) as usize].map(|_| {
                    rank += 1;
                    rank - 1
                })
            })
            .collect();
        // Entries are distinguished by what they are in all repetitions.
        let mut entries: HashMap<(Base, Vec<u32>), usize> = HashMap::new();
        let mut lists: Vec<Vec<u32>> = vec![(0..count).map(|t| 8 * first(t)).collect()];
        let mut constants = std::mem::take(&mut self.constants);
        let mut enter = |base: Base, list: Vec<u32>| {
            let next = lists.len();
            let entry = *entries.entry((base, list.clone())).or_insert(next);
            if entry == next {
                lists.push(list);
            }
            Operand::Table(base, entry)
        };
        let mut all = Vec::with_capacity(period);
        for s in 0..period {
            let op = ops[number(0, s) as usize];
            let mut here = [None; 3];
            for (which, a) in operands(op).into_iter().enumerate() {
                let Some(a) = a else { continue };
                let each = |t: usize| {
                    let a = operands(ops[number(t, s) as usize])[which];
                    a.expect("repetitions are of one form") as usize
                };
                let offsets = |offset: &dyn Fn(usize) -> u32| -> Vec<u32> {
                    (0..count).map(|t| 8 * offset(each(t))).collect()
                };
                here[which] = Some(match ops[a as usize] {
                    Op::Time => Operand::Time,
                    Op::Const(c) => {
                        let value = |a: usize| match ops[a] {
                            Op::Const(c) => c,
                            _ => f64::NAN,
                        };
                        if (0..count).all(|t| value(each(t)).to_bits() == c.to_bits()) {
                            Operand::Constant(c)
                        } else {
                            let list: Vec<u32> = (0..count)
                                .map(|t| {
                                    constants.push(value(each(t)));
                                    8 * (constants.len() as u32 - 1)
                                })
                                .collect();
                            enter(Base::Constant, list)
                        }
                    }
                    Op::Unknown(_) => {
                        enter(Base::Unknown, offsets(&|a| if let Op::Unknown(j) = ops[a] { j } else { 0 }))
                    }
                    Op::Slow(_) => {
                        enter(Base::Slow, offsets(&|a| if let Op::Slow(j) = ops[a] { j } else { 0 }))
                    }
                    _ => {
                        let p = place[a as usize] as usize;
                        if (from..from + period).contains(&p) {
                            Operand::Inner(p - from)
                        } else {
                            enter(Base::Shared, offsets(&|a| self.shared[a].unwrap_or(0)))
                        }
                    }
                });
            }
            if let Op::Store(..) = op {
                let out = |t: usize| match ops[number(t, s) as usize] {
                    Op::Store(j, _) => 8 * j,
                    _ => 0,
                };
                here[1] = Some(enter(Base::Out, (0..count).map(out).collect()));
            }
            all.push(here);
        }
        let width = lists.len();
        let table = (0..count).flat_map(|t| lists.iter().map(move |l| l[t])).collect();
        self.constants = constants;
        Repeated { from, period, operands: all, shared, table, width }
    }
}

/// The search for what repeats.
struct Stretches<'a> {
    ops: &'a [Op],
    code: &'a [u32],
    place: &'a [u32],
}

impl Stretches<'_> {
    /// (from, period, count) in order, without overlap.
    fn find(&self) -> Vec<(usize, usize, usize)> {
        let sorts: Vec<Sort> = self.code.iter().map(|&i| sort(self.ops[i as usize])).collect();
        let mut found = vec![];
        let mut last: HashMap<&[Sort], usize> = HashMap::new();
        let mut p = 0;
        // A window seen before proposes its distance as a period.
        while p + WINDOW <= sorts.len() {
            let seen = last.insert(&sorts[p..p + WINDOW], p);
            let period = seen.map_or(0, |q| p - q);
            if !(PERIODS.0..=PERIODS.1).contains(&period) {
                p += 1;
                continue;
            }
            let from = p - period;
            let run = (0..sorts.len() - p).take_while(|&i| sorts[from + i] == sorts[p + i]).count();
            let (from, count) = self.alike(from, period, run / period + 1);
            if count >= REPEATED && found.last().is_none_or(|&(f, q, c)| from >= f + q * c) {
                found.push((from, period, count));
                p = from + period * count;
                last.clear();
            } else {
                // Not to look at the same long run from every place in it.
                p += run.clamp(1, period);
            }
        }
        found
    }

    /// The first stretch of repetitions whose operands are of one form, of those that begin at `from`.
    fn alike(&self, from: usize, period: usize, count: usize) -> (usize, usize) {
        if count < REPEATED {
            return (from, 0);
        }
        let forms: Vec<Vec<u64>> = (0..count).map(|t| self.form(from + t * period, period)).collect();
        let mut begin = 0;
        while begin < count {
            let length = forms[begin..].iter().take_while(|f| **f == forms[begin]).count();
            if length >= REPEATED {
                return (from + begin * period, length);
            }
            begin += length;
        }
        (from, 0)
    }

    /// Of every operand: where it is found, and which inner one.
    fn form(&self, from: usize, period: usize) -> Vec<u64> {
        let mut form = Vec::with_capacity(2 * period);
        for p in from..from + period {
            for a in operands(self.ops[self.code[p] as usize]).into_iter().flatten() {
                form.push(match self.ops[a as usize] {
                    Op::Const(_) => 0,
                    Op::Time => 1,
                    Op::Unknown(_) => 2,
                    Op::Slow(_) => 3,
                    _ => match (self.place[a as usize] as usize).checked_sub(from) {
                        Some(inner) if inner < period => 5 + inner as u64,
                        _ => 4,
                    },
                });
            }
        }
        form
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::jit::Jit;
    use crate::node::{ExprNode, Symbol};
    use crate::program::{LeafPlace, Programs};

    /// Cells z ← f(z, y_k, y_(k+1), number), up and back down, with a store in each: as chains of bodies give them.
    fn chain(n: u32) -> Programs {
        let g = Graph::new();
        let y = |k: u32| g.symbol(Symbol(k));
        let (mut z, mut up) = (g.time(), vec![]);
        for k in 0..n {
            let (a, b) = (y(k).sin(), y(k).cos());
            let c = z * (1.0 + 0.25 * f64::from(k)) + a * y(k + 1);
            z = (c * c + 1.0).sqrt() * b - c / (a * a + 2.0) + g.symbol(Symbol(1000 + k % 3)) * a;
            up.push((z, c));
        }
        let mut roots = vec![];
        for (k, (z_k, c)) in up.into_iter().enumerate().rev() {
            z = (z * z_k - c * y(k as u32)) / (1.0 + z_k * z_k) + 0.5 * c * (z - z_k * c) + g.time();
            roots.push(z.id);
        }
        Programs::build(&g, &[roots], |node| match node {
            ExprNode::Time => Some(LeafPlace::Time),
            ExprNode::Symbol(Symbol(s)) if s >= 1000 => Some(LeafPlace::Slow(s - 1000)),
            ExprNode::Symbol(Symbol(s)) => Some(LeafPlace::Unknown(s)),
            _ => None,
        })
    }

    #[test]
    fn a_chain_becomes_a_few_functions_that_give_the_same_bits() {
        for n in [3, 6, 40, 300] {
            let programs = chain(n);
            let program = &programs.fast[0];
            let plan = CodePlan::new(program);
            let compiled: usize = plan.pieces.iter().map(|p| p.range().len()).sum();
            if n >= 40 {
                assert!(compiled < 500, "{compiled} of {} operations", plan.code.len());
            }
            let y: Vec<f64> = (0..=n).map(|k| (f64::from(k) * 0.7).sin()).collect();
            let k = [0.3, -0.2, 0.7];
            let mut scratch = vec![0.0; program.ops.len()];
            let (mut expected, mut found) = (vec![0.0; n as usize], vec![0.0; n as usize]);
            program.run(&[], 0.4, &y, &k, &mut scratch, &mut expected);
            let jit = Jit::new(program, &[]).unwrap();
            // y, k and out are as long as the program says.
            unsafe { jit.code.run(0.4, &y, &k, &mut scratch, &mut found) };
            assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{n}");
        }
    }
}
