//! Spring along the line between two nodes, without mass.
//!
//!   K = k (−e, e)(−e, e)ᵀ                                                                                   (1)

use trunnion_num::Matrix;

use super::rod::line;
use super::{ElementInput, ElementKernel, ElementLayout, MassPoint, PrestressPoint, StressPoint};
use crate::error::FeError;
use crate::model::ElementProperty;

pub(super) struct Spring2Kernel;

impl ElementKernel for Spring2Kernel {
    fn layout(&self) -> ElementLayout {
        ElementLayout { nodes: 2, components: 3 }
    }

    fn stiffness(&self, element: &ElementInput) -> Result<Matrix, FeError> {
        let ElementProperty::Spring { stiffness } = element.property else {
            return Err(FeError::MissingProperty { element: element.number });
        };
        let (e, _) = line(element)?;
        let b = |j: usize| if j < 3 { -e[j] } else { e[j - 3] };
        Ok(Matrix::from_fn(6, 6, |i, j| stiffness * b(i) * b(j)))
    }

    fn mass_points(&self, _: &ElementInput) -> Result<Vec<MassPoint>, FeError> {
        Ok(vec![])
    }

    fn prestress_points(&self, _: &ElementInput) -> Result<Vec<PrestressPoint>, FeError> {
        Ok(vec![])
    }

    fn stress_points(&self, _: &ElementInput) -> Result<Vec<StressPoint>, FeError> {
        Ok(vec![])
    }
}
