// PID position controller, sampled: backward Euler integral, filtered difference quotient.
const Kp = 400, Ki = 300, Kd = 40, h = 1e-3;
let integral = 0, last = 0;

function init(t, parameters) {
  integral = 0;
  last = 0;
}

function step(t, inputs) {
  const error = inputs.target - inputs.x;
  integral += h * error;
  const rate = (error - last) / h;
  last = error;
  return { f: Kp * error + Ki * integral + Kd * rate };
}
