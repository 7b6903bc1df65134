"""The circuit of examples/domains/hydraulic/stiff_circuit.toml in CasADi: CVODES with equations compiled by gcc.

Prints one JSON line: processor time of the best of several runs at rtol 1e-6, and its error against a run at
rtol 1e-11, relative to each state's range over 501 outputs.
"""
import json
import time

import casadi as ca
import numpy as np

T_END, OUTPUTS = 10.0, 501
AXES = [  # mass, head area, rod area, frequency, phase, spring
    (400.0, 5.0e-3, 3.3e-3, 0.35, 0.0, 4e4),
    (250.0, 3.8e-3, 2.5e-3, 0.50, 0.7, 3e4),
    (120.0, 2.0e-3, 1.3e-3, 0.80, 1.9, 2e4),
]
BETA, P_S, P_T, P_B0 = 1.4e9, 20e6, 1e5, 5e6
STROKE, V_0, C_V, X_S = 0.8, 1e-4, 3e-7, 0.02
L, R, T = 8e6, 5e8, 4e11
D, K_S, D_S, G = 2e3, 2e7, 2e4, 9.81
SCALE = np.array([0.1, 0.1, 1e6, 1e6, 1e-4, 1e-4] * 3)


def smooth_abs(z, width):
    return ca.sqrt(z * z + width)


def above(z):
    return 0.5 * (z + smooth_abs(z, 1e-10))


def axis(t, y, m, area_a, area_b, frequency, phase, k):
    x, v, p_a, p_b, q_a, q_b = y
    u = 0.8 * ca.sin(2 * np.pi * frequency * t + phase)
    u_p, u_n = 0.5 * (u + smooth_abs(u, 1e-6)), 0.5 * (-u + smooth_abs(u, 1e-6))
    edge = (C_V * (u_p + u_n)) ** 2
    from_a = (u_p * P_S + u_n * P_T) / (u_p + u_n)
    from_b = (u_n * P_S + u_p * P_T) / (u_p + u_n)

    def line(source, p, q):
        return (source - p - q * smooth_abs(q, 1e-14) / edge - R * q - T * q * smooth_abs(q, 1e-12)) / L

    lo, hi = above(X_S - x), above(x - (STROKE - X_S))
    stop = K_S * (lo - hi) - D_S * v * (lo + hi) / 0.01
    force = area_a * p_a - area_b * p_b - D * v - k * (x - 0.4) - 0.3 * m * G + stop
    v_a, v_b = V_0 + area_a * above(x), V_0 + area_b * above(STROKE - x)
    return [v, force / m, BETA / v_a * (q_a - area_a * v), BETA / v_b * (q_b + area_b * v),
            line(from_a, p_a, q_a), line(from_b, p_b, q_b)]


def main():
    t, z = ca.SX.sym("t"), ca.SX.sym("z", 18)
    y = [z[i] * SCALE[i] for i in range(18)]
    f, start = [], []
    for i, data in enumerate(AXES):
        m, area_a, area_b = data[:3]
        f += axis(t, y[6 * i:6 * i + 6], *data)
        start += [0.4, 0.0, (area_b * P_B0 + 0.3 * m * G) / area_a, P_B0, 0.0, 0.0]
    ode = {"x": z, "t": t, "ode": ca.vertcat(*f) / SCALE}
    grid = np.linspace(0, T_END, OUTPUTS)
    z_0 = np.array(start) / SCALE

    def integrator(name, rtol, atol, **more):
        options = {"reltol": rtol, "abstol": atol, "max_num_steps": 10**7, **more}
        return ca.integrator(name, "cvodes", ode, 0.0, grid[1:], options)

    reference = np.array(integrator("reference", 1e-11, 1e-12)(x0=z_0)["xf"])
    fast = integrator("fast", 1e-6, 1e-8, jit=True, compiler="shell",
                      jit_options={"flags": ["-O2"], "verbose": False})
    best = np.inf
    for _ in range(8):
        clock = time.process_time()
        found = np.array(fast(x0=z_0)["xf"])
        best = min(best, time.process_time() - clock)
    span = reference.max(1) - reference.min(1)
    error = float((np.abs(found - reference).max(1) / span).max())
    print(json.dumps({"cpu_s": best, "error": error, "final": (reference[:, -1] * SCALE).tolist()}))


if __name__ == "__main__":
    main()
