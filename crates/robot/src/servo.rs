//! Gains of a position servo from bandwidth and damping.
//!
//! A motor with inertia J_high drives an axis with inertia J_low through a ratio ρ (angle of the axis, or way, per angle of the motor:
//! 1/η, or r/η with a wheel of radius r). Position is measured on the axis, speed on the motor. [docs/explanation/references/elastic-manipulator.md, D.2]
//!
//!   J_eff = J_high + J_low ρ²                                                                                 (1)
//!   PD:   M = K_p (θ_ref − θ) − K_v θ̇_m,   K_v = 2 ζ ω J_eff,   K_p = ω² J_eff/ρ                               (2)
//!   PID:  M = K_p e + K_i ∫ e − K_v θ̇_m,   poles of (s² + 2 ζ ω s + ω²)(s + α ω):                              (3)
//!         K_v = (2 ζ + α) ω J_eff,   K_p = (1 + 2 ζ α) ω² J_eff/ρ,   K_i = α ω³ J_eff/ρ
//!   limit: ω ≤ ½ ω_1, with ω_1 the lowest mode of the structure, axes locked                                   (4)  [Paul1981, ch. 7]
//!
//! With an inertia other than the one designed for, PD has ζ' = ζ √(J_eff/J') and ω' = ω √(J_eff/J').          (5)

use std::fmt;

use trunnion_num::text::number;

/// The drive of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisDrive {
    /// J_high, kg·m².
    pub motor_inertia: f64,
    /// ρ: rad/rad, or m/rad of a prismatic axis.
    pub ratio: f64,
}

impl AxisDrive {
    /// (1), on the side of the motor.
    pub fn effective_inertia(&self, axis_inertia: f64) -> f64 {
        self.motor_inertia + axis_inertia * self.ratio * self.ratio
    }
}

/// What a servo is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoSpec {
    /// ω, rad/s.
    pub bandwidth: f64,
    /// ζ.
    pub damping: f64,
    /// α of (3); 0: PD.
    pub integral: f64,
    /// ω_1 of (4), rad/s; None: a rigid structure.
    pub lowest_mode: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoGains {
    /// N·m of the motor per rad (or m) of the axis.
    pub k_p: f64,
    /// Likewise per second.
    pub k_i: f64,
    /// N·m·s/rad of the motor.
    pub k_v: f64,
}

/// Why there are no gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServoError {
    /// (4): what was asked, what is allowed, and the mode that sets the limit; rad/s.
    AboveLowestMode { bandwidth: f64, limit: f64, lowest_mode: f64 },
    /// Bandwidth, damping, ratio or inertia is not above 0 and finite, or α is below 0.
    Numbers,
}

impl fmt::Display for ServoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServoError::AboveLowestMode { bandwidth, limit, lowest_mode } => write!(
                f,
                "a bandwidth of {} rad/s would excite the lowest mode of {} rad/s; at most half of it, {} rad/s",
                number(*bandwidth, 4),
                number(*lowest_mode, 4),
                number(*limit, 4)
            ),
            ServoError::Numbers => {
                write!(f, "bandwidth, damping, ratio and inertia must be above 0 and finite")
            }
        }
    }
}

impl std::error::Error for ServoError {}

/// (4): share of the lowest mode that a bandwidth may have.
pub(crate) const SHARE_OF_LOWEST_MODE: f64 = 0.5;

impl ServoSpec {
    pub fn check(&self) -> Result<(), ServoError> {
        let usable = |x: f64| x > 0.0 && x.is_finite();
        if !(usable(self.bandwidth)
            && usable(self.damping)
            && self.integral >= 0.0
            && self.integral.is_finite())
        {
            return Err(ServoError::Numbers);
        }
        match self.lowest_mode {
            Some(lowest_mode) if self.bandwidth > SHARE_OF_LOWEST_MODE * lowest_mode => {
                let limit = SHARE_OF_LOWEST_MODE * lowest_mode;
                Err(ServoError::AboveLowestMode { bandwidth: self.bandwidth, limit, lowest_mode })
            }
            _ => Ok(()),
        }
    }

    /// (2), (3) for an effective inertia.
    pub fn gains(&self, effective_inertia: f64, ratio: f64) -> Result<ServoGains, ServoError> {
        self.check()?;
        let usable = |x: f64| x > 0.0 && x.is_finite();
        if !(usable(effective_inertia) && usable(ratio)) {
            return Err(ServoError::Numbers);
        }
        let ServoSpec { bandwidth: w, damping: zeta, integral: alpha, .. } = *self;
        Ok(ServoGains {
            k_p: (1.0 + 2.0 * zeta * alpha) * w * w * effective_inertia / ratio,
            k_i: alpha * w.powi(3) * effective_inertia / ratio,
            k_v: (2.0 * zeta + alpha) * w * effective_inertia,
        })
    }
}

/// (5): damping of PD gains with another inertia than they were made for.
pub fn damping_of(gains: &ServoGains, effective_inertia: f64, ratio: f64) -> f64 {
    gains.k_v / (2.0 * (gains.k_p * ratio * effective_inertia).sqrt())
}
