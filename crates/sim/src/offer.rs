//! Parameters and inputs of a model that a controller may change while the model runs, and what it asked for.

use std::collections::HashMap;
use std::sync::Arc;

use trunnion_equations::image::QuantityKind;
use trunnion_equations::{Image, Symbol};

/// What may be changed, with names, ranges and values in SI.
#[derive(Debug, Default)]
pub struct Offer {
    pub names: Vec<String>,
    symbols: Vec<Symbol>,
    ranges: Vec<(f64, f64)>,
    places: HashMap<String, usize>,
}

impl Offer {
    /// Parameters and inputs that the equations read while they run.
    pub fn of(image: &Image) -> Self {
        let mut offer = Offer::default();
        for &symbol in &image.slow {
            let q = image.quantity(symbol);
            if matches!(q.kind, QuantityKind::Parameter | QuantityKind::Input) {
                offer.places.insert(q.name.clone(), offer.names.len());
                offer.names.push(q.name.clone());
                offer.symbols.push(symbol);
                offer.ranges.push(q.range);
            }
        }
        offer
    }

    pub fn symbol(&self, place: usize) -> Option<Symbol> {
        self.symbols.get(place).copied()
    }
}

/// Changes that a controller asks for.
#[derive(Debug, Default)]
pub struct Requests {
    /// None: nothing is offered yet.
    offer: Option<Arc<Offer>>,
    made: Vec<(usize, f64)>,
}

/// Why a change is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum RefusedChange {
    /// The model has not begun.
    TooEarly,
    Unknown(Vec<String>),
    NotFinite,
    OutOfRange(f64, f64),
}

impl Requests {
    pub fn begin(&mut self, offer: Arc<Offer>) {
        self.offer = Some(offer);
    }

    /// Asks for a value (SI).
    pub fn ask(&mut self, name: &str, value: f64) -> Result<(), RefusedChange> {
        let offer = self.offer.as_ref().ok_or(RefusedChange::TooEarly)?;
        let place = offer.places.get(name).ok_or_else(|| RefusedChange::Unknown(offer.names.clone()))?;
        let (low, high) = offer.ranges[*place];
        match () {
            () if !value.is_finite() => Err(RefusedChange::NotFinite),
            () if !(low..=high).contains(&value) => Err(RefusedChange::OutOfRange(low, high)),
            () => {
                self.made.push((*place, value));
                Ok(())
            }
        }
    }

    /// What was asked for since the last time, in order.
    pub fn take(&mut self) -> Vec<(usize, f64)> {
        std::mem::take(&mut self.made)
    }
}
