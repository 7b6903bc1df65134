// Position control of a pneumatic cylinder: a position loop gives the speed, a speed loop the command to the valve.
//
//   v_cmd = v_ref + Kp e + I_x,   u = Kpv (v_cmd - v) + I_v + m u_ff,   m = min(1, |a_ref|/a_ff)
//
// u_ff is the opening that gives v_ref in steady motion; it fades out where the reference does not accelerate. There are three sets of gains, for
// extending (_e), retracting (_r) and holding (_h). Parameters of the model replace what they have in common with `p`.

let p = {
    period: 1e-3, extend: 2.0256, retract: 1.7408, a_ff: 0.5, feedforward: 1,
    Kp_e: 12, Ki_e: 10, Kpv_e: 0.35, Kiv_e: 0.6,
    Kp_r: 12, Ki_r: 10, Kpv_r: 0.35, Kiv_r: 0.6,
    Kp_h: 25, Ki_h: 20, Kpv_h: 0.6, Kiv_h: 0.8,
};

let sets;

let ix = 0; // ∫ of the position loop, m/s
let iv = 0; // ∫ of the speed loop

function init(t, parameters) {
    p = { ...p, ...parameters };
    const set = which => ({ kp: p["Kp" + which], ki: p["Ki" + which], kpv: p["Kpv" + which], kiv: p["Kiv" + which] });
    sets = { extend: set("_e"), retract: set("_r"), hold: set("_h") };
}

const clip = (x, limit) => Math.min(limit, Math.max(-limit, x));

function step(t, { x, v, x_ref, v_ref, a_ref }) {
    const k = v_ref > 1e-3 ? sets.extend : v_ref < -1e-3 ? sets.retract : sets.hold;
    const error = x_ref - x;
    const slip = v_ref + k.kp * error + ix - v;
    const ahead = Math.min(1, Math.abs(a_ref) / p.a_ff) * v_ref / (v_ref > 0 ? p.extend : p.retract);

    const u = k.kpv * slip + iv + p.feedforward * ahead;
    ix = clip(ix + k.ki * error * p.period, 0.1);
    iv = clip(iv + k.kiv * slip * p.period, 0.2);
    return clip(u, 1);
}
