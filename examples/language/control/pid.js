// PID position controller: rectangle rule for the integral, difference quotient for the rate.
let gains;
let integral = 0;
let last = 0;

function init(t, parameters) {
  gains = parameters;
}

function step(t, inputs) {
  const error = inputs.target - inputs.x;
  integral += gains.period * error;
  const rate = (error - last) / gains.period;
  last = error;
  return { f: gains.Kp * error + gains.Ki * integral + gains.Kd * rate };
}
