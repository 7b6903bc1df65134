//! Tableaus of explicit methods; (1) to (3) stand in `explicit.rs`.

/// A method. Stage s + 1 is the derivative at the end of the step.
#[derive(Debug)]
pub struct ExplicitTableau {
    pub name: &'static str,
    pub order: usize,
    pub c: &'static [f64],
    pub a: &'static [&'static [f64]],
    pub b: &'static [f64],
    /// b − b̂ of s + 1 stages; empty: no error estimate, the step is fixed.
    pub error: &'static [f64],
    /// w_ip of (3): row i for stage i of s + 1, column p for θ^(p+1).
    pub dense: &'static [&'static [f64]],
}

/// Tsitouras 5(4): fifth order, embedded fourth, last stage reused, free interpolant of order four.
/// [Tsitouras2011, table 1 and §4]
pub(crate) static TSIT45: ExplicitTableau = ExplicitTableau {
    name: "tsit45",
    order: 5,
    c: &[0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0],
    a: &[
        &[],
        &[0.161],
        &[-0.008480655492356989, 0.335480655492357],
        &[2.8971530571054935, -6.359448489975075, 4.3622954328695815],
        &[5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
        &[5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383],
    ],
    b: &[
        0.09646076681806523,
        0.01,
        0.4798896504144996,
        1.379008574103742,
        -3.290069515436081,
        2.324710524099774,
    ],
    error: &[
        -0.001780011052225777,
        -0.0008164344596567469,
        0.007880878010261995,
        -0.1447110071732629,
        0.5823571654525552,
        -0.45808210592918697,
        1.0 / 66.0,
    ],
    dense: &[
        &[1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216],
        &[0.0, 0.1317, -0.2234, 0.1017],
        &[0.0, 3.9302962368947516, -5.941033872131505, 2.490627285651253],
        &[0.0, -12.411077166933676, 30.33818863028232, -16.548102889244902],
        &[0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928],
        &[0.0, -27.896526289197286, 65.09189467479366, -34.87065786149661],
        &[0.0, 1.5, -4.0, 2.5],
    ],
};

/// The classical method of order four with cubic Hermite interpolation. [Hairer1993, table II.1.2]
pub(crate) static RK4: ExplicitTableau = ExplicitTableau {
    name: "rk4",
    order: 4,
    c: &[0.0, 0.5, 0.5, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    error: &[],
    // θ²: 3 b_i − 2 δ_i1, θ³: δ_i1 − 2 b_i; the end derivative −θ² + θ³.
    dense: &[
        &[1.0, -1.5, 2.0 / 3.0],
        &[0.0, 1.0, -2.0 / 3.0],
        &[0.0, 1.0, -2.0 / 3.0],
        &[0.0, 0.5, -1.0 / 3.0],
        &[0.0, -1.0, 1.0],
    ],
};

/// Explicit Euler with linear interpolation.
pub(crate) static EULER: ExplicitTableau = ExplicitTableau {
    name: "euler",
    order: 1,
    c: &[0.0],
    a: &[&[]],
    b: &[1.0],
    error: &[],
    dense: &[&[1.0], &[0.0]],
};
