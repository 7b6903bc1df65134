// The block `pid_controller` with sampled = true, as a program: the same formulas in the same order.
// Parameters of the model or component replace what stands here.
let p = { Kp: 1, Ki: 0, Kd: 0, Kv: 0, Tf: 0.01, u_min: -1, u_max: 1, u_d: 0, u_z: 1e-3, period: 1e-3 };

let integral = 0;
let filtered = 0;

const clip = (x, lo, hi) => Math.min(hi, Math.max(lo, x));

function init(t, parameters) {
    p = { ...p, ...parameters };
}

function step(t, { ref, y, v_ref, v, ff }) {
    const error = ref - y;
    const rate = (error - filtered) / (p.Tf + p.period);
    const w = p.Kp * error + integral + p.Kd * rate + p.Kv * (v_ref - v) + ff;
    // The jump over the overlap of the valve.
    const z = w + p.u_d * clip(w / p.u_z, -1, 1);

    filtered += p.period * rate;
    const push = p.Ki * error;
    // At a limit the integral waits while the error pushes further out.
    const waits = (z > p.u_max && push > 0) || (z < p.u_min && push < 0);
    if (!waits) integral += p.period * push;
    return { u: clip(z, p.u_min, p.u_max) };
}
