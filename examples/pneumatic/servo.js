// Position control of a pneumatic cylinder: a position loop gives the speed, a speed loop the command to the valve.
//
//   v_cmd = v_ref + Kp e + I_x,   u = Kpv (v_cmd - v) + I_v + m u_ff,   m = min(1, |a_ref|/a_ff)
//
// u_ff is the opening that gives v_ref in steady motion; it fades out where the reference does not accelerate.

let p = { period: 1e-3, extend: 2.0256, retract: 1.7408, a_ff: 0.5, feedforward: 1 };

const MOVE = { kp: 12, ki: 10, kpv: 0.35, kiv: 0.6 };
const HOLD = { kp: 25, ki: 20, kpv: 0.6, kiv: 0.8 };

let ix = 0; // ∫ of the position loop, m/s
let iv = 0; // ∫ of the speed loop

function init(t, parameters) {
    p = { ...p, ...parameters };
}

const clip = (x, limit) => Math.min(limit, Math.max(-limit, x));

function step(t, { x, v, x_ref, v_ref, a_ref }) {
    const k = Math.abs(v_ref) > 1e-3 ? MOVE : HOLD;
    const error = x_ref - x;
    const slip = v_ref + k.kp * error + ix - v;
    const ahead = Math.min(1, Math.abs(a_ref) / p.a_ff) * v_ref / (v_ref > 0 ? p.extend : p.retract);

    const u = k.kpv * slip + iv + p.feedforward * ahead;
    ix = clip(ix + k.ki * error * p.period, 0.1);
    iv = clip(iv + k.kiv * slip * p.period, 0.2);
    return clip(u, 1);
}
