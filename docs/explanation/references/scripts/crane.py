"""Forestry crane: closed forms of rest and inertia, steady swing, and an independent integration of the full model.

Equations and parameters are those of ../forestry-crane.md. Needs numpy and scipy:  python3 crane.py
Nothing here is shared with the simulator: the mass matrix is the closed form of a three-link arm, the valve switches by
events of scipy's Radau method.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

g, a1 = 9.81, 0.30
L2, m2, lc2, J2 = 4.50, 900.0, 2.10, 1500.0
L3, m3, lc3, J3, J1 = 2.80, 450.0, 1.20, 300.0, 6000.0
PUMP, TANK = 18.0e6, 0.3e6
UMAX, UD, UH, TAU_Q = 10.0, 0.5, 0.02, 0.01
area = lambda bore, rod: (np.pi / 4 * bore**2, np.pi / 4 * (bore**2 - rod**2))
BOOM = dict(A=area(0.140, 0.090), C=(7.0e-12, 5.0e-12), R=7.0e10, B=2.0e4)
STICK = dict(A=area(0.110, 0.070), C=(3.2e-12, 2.2e-12), R=7.0e10, B=5.0e3, I=1.84e7, k=6.0e-7, ratio=2.0)


def line(q, rod, base):
    """Length of a cylinder and its derivative by the joint angle; rod pin turned by q, base pin fixed."""
    x, z = rod[0] * np.cos(q) - rod[1] * np.sin(q), rod[0] * np.sin(q) + rod[1] * np.cos(q)
    dx, dz = x - base[0], z - base[1]
    length = np.hypot(dx, dz)
    return length, (x * dz - z * dx) / length


boom_line = lambda q: line(q, (2.00, 0.10), (0.55, -0.70))
stick_line = lambda q: line(q, (-0.48, 0.16), (-1.90, 0.55))


def inertia(q2, q3, mp):
    h = m3 * lc3 + mp * L3
    r2, r3 = a1 + lc2 * np.cos(q2), a1 + L2 * np.cos(q2) + lc3 * np.cos(q2 + q3)
    rp = a1 + L2 * np.cos(q2) + L3 * np.cos(q2 + q3)
    M11 = J1 + m2 * r2**2 + J2 * np.cos(q2) ** 2 + m3 * r3**2 + J3 * np.cos(q2 + q3) ** 2 + mp * rp**2
    M33 = J3 + m3 * lc3**2 + mp * L3**2
    M23 = M33 + L2 * h * np.cos(q3)
    M22 = J2 + m2 * lc2**2 + (m3 + mp) * L2**2 + M33 + 2 * L2 * h * np.cos(q3)
    return M11, M22, M23, M33


def weight(q2, q3, mp):
    h = m3 * lc3 + mp * L3
    ca = np.cos(q2 + q3)
    return g * ((m2 * lc2 + (m3 + mp) * L2) * np.cos(q2) + h * ca), g * h * ca


def resistance(u, k_max, C_Rmax):
    s = np.clip((abs(u) - UD) / (UMAX - UD), 0, 1)
    k = k_max * s * (0.5 + 0.8 * s - 0.3 * s**2)
    return 1 / max(k, 1 / np.sqrt(C_Rmax)) ** 2


def rest(mp=0.0, q2=0.6, q3=-1.0):
    (lb, Jb), (ls, Js) = boom_line(q2), stick_line(q3)
    G2, G3 = weight(q2, q3, mp)
    Fb, Fs = G2 / Jb, G3 / Js
    Pb2, Ps1 = 2.0e6, 2.0e6
    Pb1 = (Fb + BOOM["A"][1] * Pb2) / BOOM["A"][0]
    Ps2 = (STICK["A"][0] * Ps1 - Fs) / STICK["A"][1]
    K = [a["A"][0] ** 2 / a["C"][0] + a["A"][1] ** 2 / a["C"][1] for a in (BOOM, STICK)]
    return dict(lb=lb, Jb=Jb, ls=ls, Js=Js, G2=G2, G3=G3, Fb=Fb, Fs=Fs, P=(Pb1, Pb2, Ps1, Ps2), K=K)


class Crane:
    """Boom and stick; the swing rests and does not couple (M12 = M13 = 0). State: q2 q3 w2 w3 Pb1 Pb2 Ps1 Ps2 Q1 Q2 ∫e."""

    def __init__(self, mp=0.0, C_Rmax=1e18, command=None):
        self.mp, self.C_Rmax, self.command, self.open = mp, C_Rmax, command, False
        r = rest(mp)
        self.y0 = np.array([0.6, -1.0, 0, 0, *r["P"], 0, 0, 0])

    def reference(self, t):
        w = 2 * np.pi / 20
        return -1.0 - 0.30 * (1 - np.cos(w * t)), -0.30 * w * np.sin(w * t)

    def u(self, t, y):
        if self.command:
            return self.command(t)
        q, rate = self.reference(t)
        return np.clip(-(80 * (q - y[1]) + 40 * y[10] + 1 * (rate - y[3])), -UMAX, UMAX)

    def pressures(self, t, y):
        """At the ports, behind the resistance of the hoses."""
        (_, Jb), (_, Js) = boom_line(y[0]), stick_line(y[1])
        vb, vs = Jb * y[2], Js * y[3]
        ports = []
        for a, v, p in ((BOOM, vb, y[4:6]), (STICK, vs, y[6:8])):
            A, R = a["A"], a["R"]
            ports += [p[0] - R * A[0] ** 2 * v * abs(v), p[1] + R * A[1] ** 2 * v * abs(v)]
        return np.array(ports), vb, vs, Jb, Js

    def rhs(self, t, y):
        q2, q3, w2, w3 = y[:4]
        p, vb, vs, Jb, Js = self.pressures(t, y)
        Fb = BOOM["A"][0] * p[0] - BOOM["A"][1] * p[1] - BOOM["B"] * vb
        Fs = STICK["A"][0] * p[2] - STICK["A"][1] * p[3] - STICK["B"] * vs
        _, M22, M23, M33 = inertia(q2, q3, self.mp)
        G2, G3 = weight(q2, q3, self.mp)
        h = m3 * lc3 + self.mp * L3
        s = L2 * h * np.sin(q3)
        V2, V3 = -s * (2 * w2 * w3 + w3**2), s * w2**2
        acc = np.linalg.solve([[M22, M23], [M23, M33]], [Jb * Fb - V2 - G2, Js * Fs - V3 - G3])
        A, C, I = STICK["A"], STICK["C"], STICK["I"]
        u = self.u(t, y)
        PS1, PS2 = (PUMP, TANK) if u >= 0 else (TANK, PUMP)
        Q1, Q2 = y[8:10]
        if self.open:
            CR = resistance(u, STICK["k"], self.C_Rmax)
            flows = ((Q1 - A[0] * vs) / C[0], (A[1] * vs - Q2) / C[1])
            rates = ((PS1 - CR * Q1 * abs(Q1) - y[6]) / I, (y[7] - STICK["ratio"] * CR * Q2 * abs(Q2) - PS2) / I)
        else:
            res = lambda dp: np.sign(dp) * np.sqrt(abs(dp) / self.C_Rmax)
            flows = (-A[0] * vs / C[0], A[1] * vs / C[1])
            rates = ((res(PS1 - y[6]) - Q1) / TAU_Q, (res(y[7] - PS2) - Q2) / TAU_Q)
        boom = (-BOOM["A"][0] * vb / BOOM["C"][0], BOOM["A"][1] * vb / BOOM["C"][1])
        return np.array([w2, w3, *acc, *boom, *flows, *rates, self.reference(t)[0] - q3])

    def run(self, t_end, corners=(), rtol=1e-8):
        t, y, ts, ys, events = 0.0, self.y0, [], [], 0
        for end in [c for c in corners if c < t_end] + [t_end]:
            while t < end - 1e-12:
                sign = 1 if self.open else -1
                level = UD if self.open else UD + UH
                switch = lambda t, y: sign * (abs(self.u(t, y)) - level)
                switch.terminal, switch.direction = True, -1
                if switch(t + 1e-9, y) < 0:
                    self.open, events = not self.open, events + 1
                    continue
                atol = np.array([1e-9, 1e-9, 1e-9, 1e-9, 1, 1, 1, 1, 1e-12, 1e-12, 1e-9])
                done = solve_ivp(self.rhs, (t, end), y, "Radau", rtol=rtol, atol=atol, events=switch, max_step=0.02)
                t, y = done.t[-1], done.y[:, -1]
                ts.append(done.t), ys.append(done.y)
                if done.status == 1:
                    self.open, events = not self.open, events + 1
        return np.concatenate(ts), np.concatenate(ys, axis=1), events


def swing(u):
    """Steady rate and port pressures of the swing motor at a constant command."""
    D, N, R, B, Rin, Re = 100e-6 / (2 * np.pi), 120, 5e7, 2000.0, 1e12, 3e12
    CR = resistance(u, 8e-7, 1e18)
    Q = lambda dp: np.sign(dp) * (-R + np.sqrt(R**2 + 4 * CR * abs(dp))) / (2 * CR)

    def balance(x):
        w, pe, pf = x[0], x[1] * 1e6, x[2] * 1e6
        inner = N * D * w + (pe - pf) / Rin
        # The leaks lead to a case at zero pressure.
        return [(Q(PUMP - pe) - inner - pe / Re) * 1e4, (Q(pf - TANK) - inner + pf / Re) * 1e4, (N * D * (pe - pf) - B * w) / 1e3]

    w, pe, pf = fsolve(balance, [0.2, 9.0, 8.9], xtol=1e-12)
    return CR, w, pe, pf


def main():
    r = rest()
    print("rest: l, dl/dq of boom and stick", *(f"{r[k]:.5f}" for k in ("lb", "Jb", "ls", "Js")))
    print("M11 M22 M23 M33", *(f"{x:.1f}" for x in inertia(0.6, -1.0, 0)))
    print(f"G2 {r['G2']:.1f}  G3 {r['G3']:.1f} N m   F_bm {r['Fb']:.1f}  F_sk {r['Fs']:.1f} N")
    print("P1_bm P4_bm P1_sk P4_sk", *(f"{p / 1e6:.4f}" for p in r["P"]), "MPa   K", *(f"{k:.5g}" for k in r["K"]))
    _, M22, M23, M33 = inertia(0.6, -1.0, 0)
    kb, ks = r["K"][0] * r["Jb"] ** 2, r["K"][1] * r["Js"] ** 2
    print(f"one alone {np.sqrt(kb / M22) / 2 / np.pi:.3f}, {np.sqrt(ks / M33) / 2 / np.pi:.2f} Hz;", end=" ")
    w = np.sqrt(np.linalg.eigvals(np.linalg.solve([[M22, M23], [M23, M33]], np.diag([kb, ks]))))
    print("coupled", *(f"{x:.3f}" for x in sorted(w / 2 / np.pi)), "Hz")
    for u in (2.0, 3.0, 5.0):
        CR, w, pe, pf = swing(u)
        print(f"swing {u} V: C_R {CR:.5g}  w {w:.5f} rad/s  P_e {pe:.4f}  P_f {pf:.4f} MPa")
    for mp in (0.0, 800.0):
        crane = Crane(mp)
        t, y, events = crane.run(40.0)
        p = np.array([crane.pressures(a, b)[0] for a, b in zip(t, y.T)]).T / 1e6
        e = crane.reference(t)[0] - y[1]
        u = np.array([crane.u(a, b) for a, b in zip(t, y.T)])
        late = t > 5
        rms = np.sqrt(np.trapezoid(e[late] ** 2, t[late]) / 35)
        at = lambda s, x: np.interp(s, t, x)
        travel = np.array([boom_line(q)[0] for q in y[0]]) - boom_line(0.6)[0]
        print(f"\nhead {mp} kg: |e| {np.abs(e[late]).max():.4f}, rms {rms:.4f} rad; |u| {np.abs(u).max():.2f} V; {events} switches")
        print("  stick P4 at 1, 10, 20 s", *(f"{at(s, p[3]):.3f}" for s in (1, 10, 20)), f"max {p[3].max():.3f}")
        print(f"  stick P1 {p[2].min():.3f} .. {p[2].max():.3f}   boom P1 {p[0].min():.4f} .. {p[0].max():.4f}", end="")
        print(f"   boom P4 {p[1].min():.4f} .. {p[1].max():.4f} MPa")
        print(f"  boom piston {travel.min() * 1e3:.4f} .. {travel.max() * 1e3:.4f} mm, drift {y[0][-1] - 0.6:.1e} rad")
    ring = Crane(command=lambda t: 3.0 if t < 0.5 else 0.0)
    t, y, _ = ring.run(5.0, corners=[0.5])
    p = np.array([ring.pressures(a, b)[0] for a, b in zip(t, y.T)]).T / 1e6
    k = np.searchsorted(t, 0.5)
    print(f"\nring at 0.5 s: q {y[1][k]:.4f}, w {y[3][k]:.4f}, P1 {p[2][k]:.3f}, P4 {p[3][k]:.3f}")
    after = t > 0.5
    print(f"  after: stick P4 {np.ptp(p[3][after]):.3f}, boom P1 {np.ptp(p[0][after]):.3f} MPa peak to peak")


if __name__ == "__main__":
    main()
