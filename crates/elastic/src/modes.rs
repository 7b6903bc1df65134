//! Lowest natural modes, K φ = λ M φ, by inverse iteration with a shift in [`crate::pencil`].
//!
//!   A = K + s M,  M φ = μ A φ,  λ = 1/μ − s                                                                  (1)
//!   number of λ < σ = number of negative pivots of K − σ M                                                   (2)  [Sylvester]
//!
//! s = 0 for a supported structure. A free one gets a small s; were it far above the first elastic λ, it is taken anew from it.
//! The modes of an answer are complete: (2) is compared with what was found, and what was missed is searched.

use std::f64::consts::PI;

use faer::Mat;

use crate::assembly::Assembled;
use crate::error::FeError;
use crate::factor::{SparseFactor, SymbolicFactor};
use crate::model::FeModel;
use crate::pencil::{PencilPairs, largest};
use crate::singular::is_singular;
use crate::sparse::SymSparse;
use crate::unknowns::Unknowns;

/// First shift of a free structure as a share of the largest K_ii/M_ii.
const SHIFT: f64 = 1e-9;
/// λ below this many roundings of the largest K_ii/M_ii cannot be told from zero.
const ROUNDINGS: f64 = 64.0;

/// Natural modes, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct NaturalModes {
    /// Squares of the circular frequencies.
    pub eigenvalues: Vec<f64>,
    /// Nodal displacements, 6 per node, of modal mass 1.
    pub shapes: Vec<Vec<f64>>,
    /// Motions without deformation among them.
    pub rigid: usize,
}

impl NaturalModes {
    pub(crate) fn new(model: &FeModel, assembled: &Assembled, pairs: ModePairs) -> Self {
        let shape = |j: usize| assembled.nodal(model, |u| pairs.phi[(u, j)]);
        NaturalModes {
            shapes: (0..pairs.lambda.len()).map(shape).collect(),
            rigid: pairs.rigid,
            eigenvalues: pairs.lambda,
        }
    }

    /// In Hz.
    pub fn frequencies(&self) -> Vec<f64> {
        self.eigenvalues.iter().map(|l| l.max(0.0).sqrt() / (2.0 * PI)).collect()
    }
}

/// The lowest modes of a model with its supports; motions without deformation count among them.
pub fn natural_modes(model: &FeModel, count: usize) -> Result<NaturalModes, FeError> {
    let assembled = Assembled::new(model, Unknowns::new(model, &[], &[])?)?;
    let symbolic = SymbolicFactor::new(&assembled.k, &assembled.unknowns.node_of())?;
    let pairs = lowest(&assembled.k, &assembled.m, &symbolic, None, count)?;
    Ok(NaturalModes::new(model, &assembled, pairs))
}

pub(crate) struct ModePairs {
    pub lambda: Vec<f64>,
    /// Columns, φᵀM φ = 1.
    pub phi: Mat<f64>,
    pub rigid: usize,
}

/// The largest K_ii/M_ii: a scale of the largest eigenvalue.
pub(crate) fn stiffest(k: &SymSparse, m: &SymSparse) -> f64 {
    let ratios = k.diagonal().into_iter().zip(m.diagonal()).filter(|(_, m)| *m > 0.0).map(|(k, m)| k / m);
    ratios.fold(0.0, f64::max)
}

/// `factor` is that of K, where it is known and K is not singular.
pub(crate) fn lowest(
    k: &SymSparse,
    m: &SymSparse,
    symbolic: &SymbolicFactor,
    factor: Option<&SparseFactor>,
    count: usize,
) -> Result<ModePairs, FeError> {
    let massive = m.diagonal().iter().filter(|d| **d > 0.0).count();
    let count = count.min(massive);
    let largest_ratio = stiffest(k, m);
    if count == 0 || largest_ratio <= 0.0 {
        return Ok(ModePairs { lambda: vec![], phi: Mat::zeros(k.n, 0), rigid: 0 });
    }
    if let Some(factor) = factor {
        return search(k, m, 0.0, factor, symbolic, count);
    }
    if let Ok(factor) = SparseFactor::new(symbolic, k)?
        && factor.negative_pivots() == 0
        && is_singular(k, &factor).is_none()
    {
        return search(k, m, 0.0, &factor, symbolic, count);
    }
    let mut shift = SHIFT * largest_ratio;
    loop {
        let a = k.plus(shift, m);
        let factor = SparseFactor::new(symbolic, &a)?.map_err(|_| FeError::Empty)?;
        let pairs = search(k, m, shift, &factor, symbolic, count)?;
        let elastic = pairs.lambda.get(pairs.rigid).copied().unwrap_or(shift);
        // Ten times the first eigenvalue costs nothing; the bound below keeps the factors from drowning in rounding.
        if shift <= 10.0 * elastic || elastic < 1e-12 * largest_ratio {
            return Ok(pairs);
        }
        shift = elastic;
    }
}

fn search(
    k: &SymSparse,
    m: &SymSparse,
    shift: f64,
    factor: &SparseFactor,
    symbolic: &SymbolicFactor,
    count: usize,
) -> Result<ModePairs, FeError> {
    let a = k.plus(shift, m);
    let missing = |found| FeError::ModesNotFound { found, wanted: count };
    let zero = ROUNDINGS * f64::EPSILON * stiffest(k, m);
    let mut known: Option<PencilPairs> = None;
    for seed in 1..6 {
        // A few more than wanted show whether the last is one of several equal ones.
        let found = largest(factor, &a, m, (count + 2).min(k.n), known.as_ref(), seed).ok_or(missing(0))?;
        if found.converged < count.min(found.mu.len()) {
            return Err(missing(found.converged));
        }
        let pairs = of_pencil(k, m, &found, zero);
        let wanted = count.min(pairs.lambda.len());
        let (sigma, below) = above_modes(&pairs.lambda, wanted, zero);
        let counted = SparseFactor::new(symbolic, &k.plus(-sigma, m))?;
        match counted {
            Ok(f) if f.negative_pivots() > below => known = Some(found),
            _ => return Ok(pairs.first(wanted)),
        }
    }
    Err(missing(count - 1))
}

/// A number above the first `wanted` eigenvalues that is not near any, and how many of those found are below it.
fn above_modes(lambda: &[f64], wanted: usize, zero: f64) -> (f64, usize) {
    let last = lambda[wanted - 1];
    match lambda[wanted..].iter().position(|l| *l > last * (1.0 + 1e-4) + 4.0 * zero) {
        // Between this and the next that is known.
        Some(next) => {
            let upper = lambda[wanted + next];
            (last + 0.1 * (upper - last).min(0.01 * last + 40.0 * zero), wanted + next)
        }
        // Nothing above is known: all found are counted below a number close above the largest of them.
        None => {
            let top = lambda[lambda.len() - 1];
            (top * (1.0 + 1e-6) + 4.0 * zero, lambda.len())
        }
    }
}

/// λ by Rayleigh's quotient, modes of modal mass 1, ascending.
fn of_pencil(k: &SymSparse, m: &SymSparse, found: &PencilPairs, zero: f64) -> ModePairs {
    let (n, count) = (k.n, found.mu.len());
    let (kx, mx) = (k.times(found.x.as_ref()), m.times(found.x.as_ref()));
    let dot = |y: &Mat<f64>, j: usize| (0..n).map(|i| found.x[(i, j)] * y[(i, j)]).sum::<f64>();
    let mut order: Vec<(f64, usize, f64)> = (0..count)
        .map(|j| (dot(&kx, j), dot(&mx, j), j))
        // Static shapes of massless unknowns have μ = 0.
        .filter(|(_, mass, j)| *mass > 0.0 && found.mu[*j] > 0.0)
        .map(|(stiffness, mass, j)| (stiffness / mass, j, mass.sqrt()))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let phi = Mat::from_fn(n, order.len(), |i, j| found.x[(i, order[j].1)] / order[j].2);
    let lambda: Vec<f64> = order.iter().map(|o| o.0).collect();
    let rigid = lambda.iter().filter(|l| l.abs() <= zero).count();
    ModePairs { lambda, phi, rigid }
}

impl ModePairs {
    fn first(mut self, count: usize) -> ModePairs {
        self.lambda.truncate(count);
        self.phi = self.phi.subcols(0, count).to_owned();
        self.rigid = self.rigid.min(count);
        self
    }
}
