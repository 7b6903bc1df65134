//! A = L D Lᵀ of a symmetric sparse matrix, without pivoting, by the supernodal factorisation of the library faer.
//!
//! The number of negative pivots is the number of negative eigenvalues of A (Sylvester's law of inertia).
//! Unknowns are ordered by nested dissection of the graph of nodes: unknowns of one node stay together, so the graph is smaller than that of
//! the unknowns by the square of their number.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::prelude::default;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLdltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::{Conj, Mat, MatMut, Par, Side};
use feral_metis::{CscPattern, metis_order};

use crate::error::FeError;
use crate::sparse::SymSparse;

/// The order of elimination and the pattern of L, for any values on one pattern.
#[derive(Clone)]
pub(crate) struct SymbolicFactor(Arc<SymbolicCholesky<u32>>);

impl SymbolicFactor {
    /// `node_of` says to which node an unknown belongs.
    pub fn new(a: &SymSparse, node_of: &[u32]) -> Result<Self, FeError> {
        let too_large = FeError::TooLarge { unknowns: a.n };
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..default()
        };
        let order = dissected(a, node_of);
        let mut inverse = vec![0_u32; a.n];
        for (new, &old) in order.iter().enumerate() {
            inverse[old as usize] = new as u32;
        }
        let order = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, a.n));
        match factorize_symbolic_cholesky(a.pattern(), Side::Lower, order, params) {
            Ok(symbolic) => Ok(SymbolicFactor(Arc::new(symbolic))),
            Err(_) => Err(too_large),
        }
    }
}

/// Unknowns in the order of elimination.
fn dissected(a: &SymSparse, node_of: &[u32]) -> Vec<u32> {
    let mut groups: Vec<u32> = node_of.to_vec();
    groups.sort_unstable();
    groups.dedup();
    let group_of = |i: usize| groups.partition_point(|&g| g < node_of[i]);
    let of: Vec<usize> = (0..a.n).map(group_of).collect();
    let mut neighbours: Vec<Vec<i32>> = vec![vec![]; groups.len()];
    for j in 0..a.n {
        let mut last = usize::MAX;
        for p in a.column(j) {
            let i = a.rows[p] as usize;
            if of[i] != last && of[i] != of[j] {
                neighbours[of[j]].push(of[i] as i32);
                neighbours[of[i]].push(of[j] as i32);
            }
            last = of[i];
        }
    }
    let (mut starts, mut rows) = (vec![0_i32], vec![]);
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
        rows.extend_from_slice(list);
        starts.push(rows.len() as i32);
    }
    let graph = CscPattern { n: groups.len(), col_ptr: &starts, row_idx: &rows };
    let order = metis_order(&graph).unwrap_or_else(|_| (0..groups.len() as i32).collect());
    let mut members: Vec<Vec<u32>> = vec![vec![]; groups.len()];
    for i in 0..a.n {
        members[of[i]].push(i as u32);
    }
    order.into_iter().flat_map(|g| std::mem::take(&mut members[g as usize])).collect()
}

pub(crate) struct SparseFactor {
    symbolic: SymbolicFactor,
    values: Vec<f64>,
}

impl SparseFactor {
    /// A pivot of exactly zero is the error's unknown.
    pub fn new(symbolic: &SymbolicFactor, a: &SymSparse) -> Result<Result<Self, usize>, FeError> {
        let too_large = || FeError::TooLarge { unknowns: a.n };
        let pattern = &symbolic.0;
        let mut values = Vec::new();
        values.try_reserve_exact(pattern.len_val()).map_err(|_| too_large())?;
        values.resize(pattern.len_val(), 0.0);
        let scratch = pattern.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| too_large())?;
        let failed = pattern
            .factorize_numeric_ldlt(
                &mut values,
                a.view(),
                Side::Lower,
                LdltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                default(),
            )
            .err();
        Ok(match failed {
            None => Ok(SparseFactor { symbolic: symbolic.clone(), values }),
            Some(faer::linalg::cholesky::ldlt::factor::LdltError::ZeroPivot { index }) => {
                Err(pattern.perm().map_or(index, |p| p.arrays().0[index] as usize))
            }
        })
    }

    /// A⁻¹ X in place of X.
    pub fn solve(&self, x: MatMut<'_, f64>) {
        let symbolic = &self.symbolic.0;
        let scratch = symbolic.solve_in_place_scratch::<f64>(x.ncols(), Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        let factor = LdltRef::new(symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut memory));
    }

    pub fn solved(&self, mut x: Mat<f64>) -> Mat<f64> {
        self.solve(x.as_mut());
        x
    }

    /// The diagonal of D in the order of elimination.
    fn pivots(&self) -> Vec<f64> {
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.symbolic.0.raw() else {
            unreachable!("supernodal factors were asked for");
        };
        let factor = SupernodalLdltRef::new(symbolic, &self.values);
        let of_node = |s| {
            let block = factor.supernode(s).val();
            (0..block.ncols()).map(move |i| block[(i, i)])
        };
        (0..symbolic.n_supernodes()).flat_map(of_node).collect()
    }

    pub(crate) fn negative_pivots(&self) -> usize {
        self.pivots().into_iter().filter(|d| *d < 0.0).count()
    }
}
