// The block `cascade` with sampled = true, as a program: the same formulas in the same order.
// Parameters of the model replace what stands here; the curve of the opening comes in as `opening`.
let p = {
    extend:  { Kp: 12, Ki: 10, Kpv: 0.35, Kiv: 0.6 },
    retract: { Kp: 12, Ki: 10, Kpv: 0.35, Kiv: 0.6 },
    hold:    { Kp: 25, Ki: 20, Kpv: 0.6, Kiv: 0.8 },
    v_0: 1e-3, a_ff: 0.5, i_x_max: 0.1, i_v_max: 0.2, u_min: -1, u_max: 1, period: 1e-3,
};

let i_x = 0;
let i_v = 0;

const clip = (x, lo, hi) => Math.min(hi, Math.max(lo, x));

function init(t, parameters) {
    p = { ...p, ...parameters };
}

function step(t, { x_ref, v_ref, a_ref, x, v, opening }) {
    const k = v_ref > p.v_0 ? p.extend : v_ref < -p.v_0 ? p.retract : p.hold;
    const e = x_ref - x;
    const v_cmd = v_ref + k.Kp * e + i_x;
    const e_v = v_cmd - v;
    // Feedforward while it speeds up or slows down.
    const w = k.Kpv * e_v + i_v + Math.min(1, Math.abs(a_ref) / p.a_ff) * opening;

    i_x = clip(i_x + p.period * k.Ki * e, -p.i_x_max, p.i_x_max);
    i_v = clip(i_v + p.period * k.Kiv * e_v, -p.i_v_max, p.i_v_max);
    return { u: clip(w, p.u_min, p.u_max) };
}
