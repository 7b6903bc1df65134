"""Suspensions and servo of ../suspensions.md, sections C.4 to C.10, integrated with scipy.  python3 suspensions.py"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

g = 9.81
M, A, N = 150.0, 0.001963, 1.4
P0, PE = M * g / A, 101300.0
OPTIONS = dict(method="LSODA", rtol=1e-9, atol=1e-12, max_step=1e-3, dense_output=True)
square = lambda q: q * abs(q)
root = lambda dp: np.sign(dp) * np.sqrt(abs(dp))


def pedestal():
    """C.4: λ, p_m, twist, p_p, θ_p."""
    def rhs(ref):
        def f(t, y):
            i, wm, T, wp = y[0] / 0.10, y[1] / 0.25, y[2] / 0.01, y[3] / 320
            return [ref(t) - y[4] - 5 * i, 20 * i - 0.33 * wm - T, wm - 30 * wp, 30 * T - 10.67 * wp, wp]
        return f
    for name, ref, end in (("step", lambda t: 1.0, 40), ("pulse 10 s", lambda t: float(t < 10), 40), ("pulse 1 s", lambda t: float(t < 1), 20)):
        s = solve_ivp(rhs(ref), (0, end), np.zeros(5), method="LSODA", rtol=1e-9, atol=1e-11, max_step=2e-3)
        k, m = s.y[4].argmax(), s.y[4].argmin()
        print(f"C.4 {name}: θ_p max {s.y[4][k]:.4f} at {s.t[k]:.2f} s, min {s.y[4][m]:.4f} at {s.t[m]:.2f} s;", end=" ")
        print(f"p_p {s.y[3].max():.2f} at {s.t[s.y[3].argmax()]:.2f} s, min {s.y[3].min():.2f}")


def oscillator():
    """C.5, closed form."""
    m, C = 150.0, 1e-4
    w, d = 1 / np.sqrt(m * C), m * g * C
    print(f"C.5 static {d:.5f} m, period {2 * np.pi / w:.5f} s, critical {2 * np.sqrt(m / C):.2f} N s/m")
    zeta = 1000 / (2 * np.sqrt(m / C))
    wd = w * np.sqrt(1 - zeta**2)
    print(f"    B = 1000: lowest {-d * (1 + np.exp(-zeta * w * np.pi / wd)):.6f} m at {np.pi / wd:.4f} s")


def gas(V, p0, V0):
    return p0 * (V0 / V) ** N


def free_swing(name, m, area, p0, V0, momentum):
    """Undamped mass on a gas spring: x between its turning points, and the period, by the energy integral."""
    f = lambda t, y: [y[1] / m, area * gas(V0 + area * y[0], p0, V0) - m * g]
    back = lambda t, y: y[0]
    back.direction = np.sign(momentum)
    s = solve_ivp(f, (0, 3), [0, momentum], events=back, **OPTIONS)
    period = s.t_events[0][s.t_events[0] > 0.05][0]
    print(f"{name}: x {s.y[0].min():.6f} .. {s.y[0].max():.6f} m, period {period:.5f} s")


def open_loop():
    """C.7: x, momentum, gas volume; the command is +1 mm, −1 mm, 0."""
    V0, R, Rv, PS = 1.186e-4, 4e-7, 1e-4, 1.4e6
    def f(t, y):
        x = 1e-3 if t < 0.5 else -1e-3 if t < 1 else 0.0
        p_gas = gas(y[2], P0, V0)
        v = y[1] / M
        q_strut = -A * v                      # into the gas, through the restrictor
        p_cyl = p_gas + square(q_strut / R)
        q_sl = Rv * x * root(PS - p_gas) if x > 0 else 0.0
        q_le = -Rv * x * root(p_gas - PE) if x < 0 else 0.0
        return [v, A * p_cyl - M * g, -(q_strut + q_sl - q_le)]
    y, ts, ys = [0.0, 0.0, V0], [], []
    for a, b in ((0, 0.5), (0.5, 1.0), (1.0, 6.0)):
        s = solve_ivp(lambda t, y: f(min(max(t, a + 1e-12), b - 1e-12), y), (a, b), y, **OPTIONS)
        y = s.y[:, -1]
        ts.append(s.t), ys.append(s.y)
        print(f"C.7 x({b} s) = {y[0]:.5f} m", end="; ")
    t, ys = np.concatenate(ts), np.concatenate(ys, axis=1)
    p = gas(ys[2], P0, V0)
    print(f"start flow {Rv * 1e-3 * root(PS - P0):.4g} m³/s; largest {ys[0].max():.5f} m at {t[ys[0].argmax()]:.3f} s; gas {p.min():.0f} .. {p.max():.0f}, end {p[-1]:.0f} Pa")


def formula_one(V0, G, R=4e-6, load=None, bump=None, end=4.0):
    """C.8: p, gas inflow V_i, spool, x_b, y."""
    PS, Rv, tau = 7.5e6, 1e-4, 0.03
    def f(t, y):
        vb, vg = y[0] / M, bump(t) if bump else 0.0
        p_gas = gas(V0 - y[1], P0, V0)
        qc = A * (vb - vg)
        p_cyl = p_gas - square(qc / R)
        x = y[2]
        q = Rv * x * root(PS - p_gas) if x >= 0 else Rv * x * root(p_gas - PE)
        return [A * p_cyl - M * g + (load(t) if load else 0.0), -qc + q, (G * y[4] - x) / tau, vb, vb - vg]
    return solve_ivp(f, (0, end), np.zeros(5), **OPTIONS)


def formula_one_cases():
    ramp = lambda t: -2000 * min(t / 0.5, 1.0)
    for name, V0 in (("soft", 1.186e-4), ("stiff", 7.59e-5)):
        k = N * A**2 * P0 / V0
        print(f"C.8 {name}: k {k:.0f} N/m, f {np.sqrt(k / M) / 2 / np.pi:.4f} Hz", end="; ")
        x = fsolve(lambda x: A * gas(V0 + A * x, P0, V0) - M * g - 2000, -0.02)[0]
        print(f"static under 2000 N {x:.5f} m")
        for G in (0.0, -0.002, -0.005, -0.01):
            s = formula_one(V0, G, load=ramp)
            print(f"  (a) G {G}: lowest {s.y[3].min():.5f}, x(2) {s.sol(2)[3]:.4f}, x(4) {s.sol(4)[3]:.4f}")
    for G in (0.0, -0.005, -0.01):
        s = formula_one(1.186e-4, G, R=1e-6, load=ramp, end=10.0)
        print(f"  (a) soft, R = 1e-6, G {G}: x(2) {s.sol(2)[3]:.4f}, x(4) {s.sol(4)[3]:.4f}, x(10) {s.sol(10)[3]:.4f}")
    T = 2.5 / 30
    bump = lambda t: 0.02 * np.pi / T * np.cos(np.pi * t / T) if t < T else 0.0
    for G in (0.0, -0.005):
        s = formula_one(1.186e-4, G, bump=bump)
        k = s.y[3].argmax()
        late = s.t > 2
        rms = np.sqrt(np.trapezoid(s.y[3][late] ** 2, s.t[late]) / 2)
        print(f"  (c) soft, G {G}: peak {s.y[3][k]:.4f} at {s.t[k]:.3f} s, first minimum {s.y[3][s.t < 0.6].min():.4f}, rms 2-4 s {rms:.4f}")


def crane_vehicle(r, v0=0.0, left=None, end=12.0, R=1e-5):
    """C.9: v, w, x, roll, inflow 1 and 2. r None: independent struts."""
    m, J, a, p0, V0, net = 1200.0, 1350.0, 0.575, 606714.0, 0.0015, 9.701e-3
    Ar, Ah = (0.0, net) if r is None else (net / (r - 1), r * net / (r - 1))
    def f(t, y):
        v, w = y[0], y[1]
        cL, cR = (left(t) if left else 0.0) - (v - a * w), -(v + a * w)
        i1, i2 = Ah * cL - Ar * cR, Ah * cR - Ar * cL
        P1 = gas(V0 - y[4], p0, V0) + square(i1 / R)
        P2 = gas(V0 - y[5], p0, V0) + square(i2 / R)
        FL, FR = Ah * P1 - Ar * P2, Ah * P2 - Ar * P1
        return [(FL + FR - m * g) / m, a * (FR - FL) / J, v, w, i1, i2]
    return solve_ivp(f, (0, end), [v0, 0, 0, 0, 0, 0], **OPTIONS)


def crane_statics(r, moment):
    """Roll and rise at rest: the square-law damping would take minutes to get there."""
    m, a, p0, V0, net = 1200.0, 0.575, 606714.0, 0.0015, 9.701e-3
    Ar, Ah = (0.0, net) if r is None else (net / (r - 1), r * net / (r - 1))
    def f(z):
        x, roll = z[1] / 100, z[0] / 100
        cL, cR = -(x - a * roll), -(x + a * roll)
        P1, P2 = (gas(V0 - i, p0, V0) for i in (Ah * cL - Ar * cR, Ah * cR - Ar * cL))
        FL, FR = Ah * P1 - Ar * P2, Ah * P2 - Ar * P1
        return [(FL + FR - m * g) / 1e3, (a * (FR - FL) + moment) / 1e3]
    roll, x = fsolve(f, [1.0, 0.1], xtol=1e-11)
    return roll / 100, x / 100


def crane_cases():
    rise = lambda t: 0.5 if 0.5 <= t < 0.6 else -0.5 if 5.5 <= t < 5.6 else 0.0
    for r in (None, 4, 3, 2):
        s = crane_vehicle(r, v0=-1.0, end=1.0)
        print(f"C.9 r {r}: I {s.y[2].min():.5f} m at {s.t[s.y[2].argmin()]:.3f} s, {s.y[2].max():.5f} at {s.t[s.y[2].argmax()]:.3f} s;", end=" ")
        s = crane_vehicle(r, left=rise, end=8.0)
        print(f"II roll {abs(s.y[3]).max():.4f} rad, rise {s.y[2].max():.4f} m;", end=" ")
        roll, x = crane_statics(r, 1000.0)
        print(f"III roll {roll:.6f} rad, rise {x * 1e3:.3f} mm")


def optimal():
    """C.10: p_b, p_w, Q_t, z_b, z_w: linear, by the matrix exponential."""
    from scipy.linalg import expm
    K, mb, mw, C = [57240, -35355, 1385.7, -4827.0], 288.9, 28.58, 6.414e-6
    F = np.array([K[3] / mb, K[2] / mw, 0, K[1], K[0]])
    rows = [F, -F + np.array([0, 0, 1 / C, 0, 0]), [0, -1 / mw, 0, 0, 0], [1 / mb, 0, 0, 0, 0], [0, 1 / mw, 0, 0, 0]]
    Am, y0 = np.array(rows, float), np.array([0, 0, -1, 1, 1.0])
    print("C.10 poles", np.round(np.linalg.eigvals(Am), 4))
    at = lambda t: expm(Am * t) @ y0
    print("  z_b", *(f"{at(t)[3]:.4f}" for t in (0.05, 0.1, 0.2, 0.3, 0.5, 1)), " z_w", *(f"{at(t)[4]:.4f}" for t in (0.01, 0.02, 0.05, 0.1, 0.2)))
    t = np.linspace(0, 1, 20001)
    step, y, all_y = expm(Am * t[1]), y0, []
    for _ in t:
        all_y.append(y)
        y = step @ y
    all_y = np.array(all_y)
    f, k = all_y @ F, (all_y @ F).argmin()
    w, b = all_y[:, 4].argmin(), all_y[:, 3].argmin()
    print(f"  F(0) {f[0]:.0f}, min {f[k]:.0f} N at {t[k]:.4f} s; wheel {all_y[w, 4]:.4f} at {t[w]:.4f}, body {all_y[b, 3]:.4f} at {t[b]:.3f} s")


if __name__ == "__main__":
    pedestal()
    oscillator()
    for p in (50, -50, 100):
        free_swing(f"C.6 momentum {p}", M, 0.004905, 3.0e5, 4.27e-4, p)
    for V0 in (1.186e-4, 7.59e-5):
        free_swing(f"C.7 V0 {V0}", M, A, P0, V0, 50)
    open_loop()
    formula_one_cases()
    crane_cases()
    optimal()
