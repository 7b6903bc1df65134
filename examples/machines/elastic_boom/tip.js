// Height of the tip of an elastic boom by the valve of its cylinder.
//
//   l_dot = (v_ref + gain (z_ref − z)) a b/(L l)      speed of the cylinder, from ż = L cos φ φ̇ and l̇ = a b cos φ φ̇/l      (1)
//   u     = l_dot A_h/(R √Δp) − damping (p − p̄)/p_s    opening for it, less the varying part of the load pressure          (2)
//
// p̄ follows the load pressure p = p_h − p_r A_r/A_h with a time constant: what is left is the vibration.
let p = { a: 1, b: 1, L: 5, gain: 3, damping: 0.8, A_h: 5e-3, A_r: 3e-3, R_v: 3.5e-7, p_s: 1.8e7, period: 2e-3 };
const T_MEAN = 0.2;
let mean;

function init(t, parameters) {
    p = { ...p, ...parameters };
}

function step(t, { z, z_ref, v_ref, l, p_h, p_r }) {
    const load = p_h - p_r * p.A_r / p.A_h;
    if (mean === undefined) mean = load;
    mean += (load - mean) * p.period / T_MEAN;

    const l_dot = (v_ref + p.gain * (z_ref - z)) * p.a * p.b / (p.L * l); // (1)
    // The edge that meters the piston side: supply to head while it extends, head to tank while it retracts.
    const drop = Math.max(l_dot > 0 ? p.p_s - p_h : p_h, 1e5);
    const u = l_dot * p.A_h / (p.R_v * Math.sqrt(drop)) - p.damping * (load - mean) / p.p_s; // (2)
    return Math.min(1, Math.max(-1, u));
}
