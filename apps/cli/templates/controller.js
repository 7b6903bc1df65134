// Position controller of NAME.toml. All numbers are in SI units: metres, newtons.

const kp = 2000; // N/m
const ki = 2000; // N/(m s)
const kd = 200; // N s/m
const period = 1e-3; // s, as in the model
const limit = 300; // N

// What stands outside of the functions is kept from call to call.
let integral = 0;

function step(t, { x, x_ref, v }) {
    const error = x_ref - x;
    const wanted = kp * error + integral - kd * v;
    const f = Math.min(limit, Math.max(-limit, wanted));
    // At the limit the integral waits.
    if (f === wanted) integral += ki * error * period;
    return { f };
}
