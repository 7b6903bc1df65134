"""Pneumatic axis and TORX robot of ../pneumatics.md, sections B.1 to B.3.  python3 pneumatics.py"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

A, ALPHA, L, W, M = np.pi / 4 * 0.032**2, 1 - (12 / 32) ** 2, 0.25, 2.0e-5, 4.0
PS, PATM, P0, RHO0, C, B = 6.0e5, 1.013e5, 1.0e5, 1.185, 1.4e-8, 0.30
FC, FS, VS, GAMMA = 20.0, 30.0, 0.02, 60.0


def psi(r):
    ellipse = lambda r: np.sqrt(max(1 - ((r - B) / (1 - B)) ** 2, 0.0))
    if r <= B:
        return 1.0
    return ellipse(r) if r < 0.995 else ellipse(0.995) * (1 - r) / 0.005


def flow(p1, p2, opening=1.0):
    """Mass flow from 1 to 2, ISO 6358."""
    if p1 >= p2:
        return opening * C * RHO0 * p1 * psi(p2 / p1)
    return -opening * C * RHO0 * p2 * psi(p1 / p2)


def pressure_rate(p, V, dV, G, n):
    return (-n * p * dV + n * G * P0 ** (1 / n) / (RHO0 * p ** ((1 - n) / n))) / V


class Axis:
    """x, v, P_a, P_b; sticks below 1 mm/s while the push is less than F_s."""

    def __init__(self, n, command):
        self.n, self.command, self.stuck = n, command, True

    def push(self, y):
        return A * y[2] - ALPHA * A * y[3] - (1 - ALPHA) * A * PATM

    def rhs(self, t, y):
        u = self.command(t, y)
        x, v, pa, pb = y[:4]
        Ga = flow(PS, pa, u) if u >= 0 else -flow(pa, PATM, -u)
        Gb = -flow(pb, PATM, u) if u >= 0 else flow(PS, pb, -u)
        v = 0.0 if self.stuck else v
        fric = np.sign(v) * (FC + (FS - FC) * np.exp(-((v / VS) ** 2))) + GAMMA * v
        acc = 0.0 if self.stuck else (self.push(y) - fric) / M
        dpa = pressure_rate(pa, W + A * x, A * v, Ga, self.n)
        dpb = pressure_rate(pb, W + ALPHA * A * (L - x), -ALPHA * A * v, Gb, self.n)
        return [v, acc, dpa, dpb]


def closed_forms():
    print(f"B.1 choked {flow(PS, 0.1 * PS):.4g} kg/s, at 5/6 {flow(PS, 5e5):.4g} kg/s")
    print(f"    steady speed {C * P0 / (ALPHA * A):.4f} u, back {C * P0 / A:.4f} |u| m/s")
    pa = 3.5e5
    pb = (A * pa - (1 - ALPHA) * A * PATM) / (ALPHA * A)
    for n in (1.0, 1.4):
        k = n * (A**2 * pa / (W + A * 0.125) + (ALPHA * A) ** 2 * pb / (W + ALPHA * A * 0.125))
        print(f"    stiffness n = {n}: {k:.0f} N/m, {np.sqrt(k / M) / 2 / np.pi:.3f} Hz")
    V = W + A * 0.125
    print(f"    fill to b P_s, n = 1: {(B * PS - PATM) * V / (C * 0.05 * PS * P0):.5f} s")
    for n in (1.0, 1.2, 1.4):
        f = lambda t, p: [pressure_rate(p[0], V, 0.0, flow(PS, p[0], 0.05), n)]
        marks = [lambda t, p: p[0] - B * PS, lambda t, p: p[0] - 0.9 * PS]
        s = solve_ivp(f, (0, 3), [PATM], rtol=1e-9, atol=1e-3, events=marks, max_step=1e-2)
        print(f"    n = {n}: to b P_s {s.t_events[0][0]:.4f} s, to 0.9 P_s {s.t_events[1][0]:.4f} s")


def steady(u, n=1.0):
    """Speed and pressures of a long stroke at a constant command."""
    up = lambda v: brentq(lambda p: flow(PS, p, u) - RHO0 * p / P0 * A * v, PATM, PS)
    down = lambda v: brentq(lambda p: flow(p, PATM, u) - RHO0 * p / P0 * ALPHA * A * v, PATM * 1.0001, PS)
    net = lambda v: A * up(v) - ALPHA * A * down(v) - (1 - ALPHA) * A * PATM - FC - GAMMA * v
    # The exhaust is choked: any pressure of the rod side gives the same speed, so the balance gives the pressure.
    v = u * C * P0 / (ALPHA * A)
    pa = up(v)
    return v, pa, (A * pa - (1 - ALPHA) * A * PATM - FC - GAMMA * v) / (ALPHA * A)


def first_stroke(n):
    axis = Axis(n, lambda t, y: 0.2)
    breaks = lambda t, y: axis.push(y) - FS
    breaks.terminal = True
    s = solve_ivp(axis.rhs, (0, 1), [0, 0, PATM, PS], rtol=1e-9, atol=1e-9, events=breaks, max_step=1e-3)
    axis.stuck = False
    y = s.y[:, -1].copy()
    y[1] = 1e-9
    moved, end = lambda t, y: y[0] - 1e-4, lambda t, y: y[0] - L
    end.terminal = True
    r = solve_ivp(axis.rhs, (s.t[-1], 3), y, method="Radau", rtol=1e-8, atol=1e-9, events=[moved, end], max_step=1e-3)
    print(f"B.1 u = 0.2, n = {n}: breakaway {r.t_events[0][0]:.4f} s, end {r.t_events[1][0]:.4f} s, largest speed {r.y[1].max():.4f} m/s")


def quintic(t, t0, T, a, b):
    """Position, speed and acceleration of a move from a to b."""
    s = min(max((t - t0) / T, 0.0), 1.0)
    x = a + (b - a) * s**3 * (10 - 15 * s + 6 * s * s)
    return x, (b - a) / T * 30 * s**2 * (1 - s) ** 2, (b - a) / T**2 * 60 * s * (1 - s) * (1 - 2 * s)


def speeds():
    """Steady speed against opening, extending and retracting, for the feedforward."""
    us = np.linspace(0.01, 0.4, 40)
    return us, us * C * P0 / (ALPHA * A), us * C * P0 / A


def position_control(feedforward, dt=5e-6):
    """B.2 with n = 1: fixed small steps between samples, friction that sticks below 1 mm/s."""
    us, out, back = speeds()
    ff = lambda v: np.interp(abs(v), np.concatenate([[0], out if v > 0 else back]), np.concatenate([[0], us])) * np.sign(v)
    pa = 3.5e5
    x, v, pb = 0.05, 0.0, (A * pa - (1 - ALPHA) * A * PATM) / (ALPHA * A)
    ie = iv = 0.0
    rows = []
    for k in range(4000):
        t = 1e-3 * k
        ref = quintic(t, 0.5, 0.8, 0.05, 0.20) if t < 2.3 else quintic(t, 2.3, 0.8, 0.20, 0.05)
        kp, ki, kpv, kiv = (12, 10, 0.35, 0.6) if abs(ref[1]) > 1e-3 else (25, 20, 0.6, 0.8)
        e = ref[0] - x
        ie = float(np.clip(ie + ki * e * 1e-3, -0.1, 0.1))
        cmd = ref[1] + kp * e + ie
        iv = float(np.clip(iv + kiv * (cmd - v) * 1e-3, -0.2, 0.2))
        u = kpv * (cmd - v) + iv + (min(1, abs(ref[2]) / 0.5) * ff(ref[1]) if feedforward else 0.0)
        u = float(np.clip(u, -1, 1))
        rows.append((t, x, e, pa, pb))
        for _ in range(round(1e-3 / dt)):
            Ga, Gb = (flow(PS, pa, u), -flow(pb, PATM, u)) if u >= 0 else (-flow(pa, PATM, -u), flow(PS, pb, -u))
            push = A * pa - ALPHA * A * pb - (1 - ALPHA) * A * PATM
            if abs(v) < 1e-3 and abs(push) < FS:
                v = 0.0
            else:
                sign = np.sign(v) if v else np.sign(push)
                v += dt * (push - sign * (FC + (FS - FC) * np.exp(-((v / VS) ** 2))) - GAMMA * v) / M
            Va, Vb = W + A * x, W + ALPHA * A * (L - x)
            pa += dt * (P0 * Ga / RHO0 - pa * A * v) / Va
            pb += dt * (P0 * Gb / RHO0 + pb * ALPHA * A * v) / Vb
            x += dt * v
    t, x, e, pa, pb = np.array(rows).T
    moving = ((t >= 0.5) & (t < 1.3)) | ((t >= 2.3) & (t < 3.1))
    hold = (t >= 1.8) & (t < 2.3)
    print(f"B.2 feedforward {feedforward}: largest {1e3 * abs(e[moving]).max():.2f} mm, rms {1e3 * np.sqrt((e[moving] ** 2).mean()):.2f} mm,", end=" ")
    print(f"holding {1e3 * abs(e[hold]).max():.2f} mm, overshoot {1e3 * (x.max() - 0.2):.2f} mm, P_a {pa.min():.3g} .. {pa.max():.3g}, P_b {pb.min():.3g} .. {pb.max():.3g}")


def torx():
    e, l = 0.19, 0.35
    th = np.deg2rad([0, 120, 240])
    for p in ((0, 0, 0.10), (0.05, -0.03, 0.12), (0.10, 0, 0.10), (-0.08, 0.06, 0.05)):
        z = [p[2] + np.sqrt(l**2 - (p[0] - e * np.cos(a)) ** 2 - (p[1] - e * np.sin(a)) ** 2) for a in th]
        print("B.3", p, *(f"{x:.6f}" for x in z))
    h = np.sqrt(l**2 - e**2)
    J = np.array([[e * np.cos(a) / h, e * np.sin(a) / h, 1] for a in th])
    print("    rate matrix", np.round(J, 5).tolist(), f"condition {np.linalg.cond(J):.3f}")
    print(f"    load of each cylinder {(2.0 + 3 * 0.25 + 3 * 1.0) * 9.81 / 3:.2f} N")


if __name__ == "__main__":
    closed_forms()
    print("B.1 steady at u = 0.2: v {:.5f} m/s, P_a {:.5g}, P_b {:.5g} Pa".format(*steady(0.2)))
    first_stroke(1.0)
    first_stroke(1.4)
    position_control(True)
    position_control(False)
    torx()
