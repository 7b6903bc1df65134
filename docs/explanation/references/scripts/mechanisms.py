"""Mechanisms and structural steps of ../benchmarks.md: A01, A02, A04 and the HHT-α recursion.  python3 mechanisms.py"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

g = 9.81
FINE = dict(method="DOP853", rtol=1e-13, atol=1e-13)


def pendulum():
    """A01: sin(θ/2) = k sn(K − ω₀ t), θ from the lowest point, started horizontal on the left: k² = ½."""
    w, K = np.sqrt(g), ellipk(0.5)
    print(f"A01 period {4 * K / w:.14f} s")
    for t in (1, 2, 5, 9.99, 10):
        sn, cn, dn, _ = ellipj(K - w * t, 0.5)
        th, rate = -2 * np.arcsin(np.sqrt(0.5) * sn), 2 * np.sqrt(0.5) * w * cn
        print(f"  {t}: {np.sin(th):.12f} {-np.cos(th):.12f} {np.cos(th) * rate:.10f} {np.sin(th) * rate:.10f}")


def four_bars(N, times):
    """A02: I θ'' = −g G cos θ with I = (N+1)/3 + N, G = (N+1)/2 + N."""
    I, G = (N + 1) / 3 + N, (N + 1) / 2 + N
    s = solve_ivp(lambda t, y: [y[1], -g * G / I * np.cos(y[0])], (0, 10), [np.pi / 2, -1.0], t_eval=times, **FINE)
    for t, (th, w) in zip(s.t, s.y.T):
        print(f"A02 N {N}, {t}: {np.cos(th):.12f} {np.sin(th):.12f} {-np.sin(th) * w:.10f} {np.cos(th) * w:.10f}")


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + s * K + (1 - c) * K @ K


def bricard(side, times):
    """A04: five rods of 1 m and 1 kg, thin (side 0) or square, in five joint angles and the closure of the sixth joint.

        M q'' + Jᵀλ = Q − bias,   J q'' = −b                              rank of J is 4 of 5: least squares
    """
    P = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
    axes = [np.eye(3)[k] for k in (1, 2, 0, 1, 2, 0)]

    def motion(q, w):
        """Mass matrix, generalised forces less bias, closure rows, their bias and their gap."""
        R, p, om, al, acc = np.eye(3), P[0].copy(), np.zeros(3), np.zeros(3), np.zeros(3)
        z, points, M, Q = [], [], np.zeros((5, 5)), np.zeros(5)
        for k in range(5):
            z.append(R @ axes[k])
            points.append(p)
            al = al + np.cross(om, z[k] * w[k])
            om = om + z[k] * w[k]
            R = R @ rotation(axes[k], q[k])
            r = R @ (P[k + 1] - P[k])
            c = p + 0.5 * r
            a_c = acc + np.cross(al, 0.5 * r) + np.cross(om, np.cross(om, 0.5 * r))
            across = (1 + side**2) / 12
            J = across * np.eye(3) + (side**2 / 6 - across) * np.outer(r, r)
            Jv, Jw = np.zeros((3, 5)), np.zeros((3, 5))
            for j in range(k + 1):
                Jv[:, j], Jw[:, j] = np.cross(z[j], c - points[j]), z[j]
            M += Jv.T @ Jv + Jw.T @ J @ Jw
            Q += Jv.T @ (np.array([0, -g, 0]) - a_c) - Jw.T @ (J @ al + np.cross(om, J @ om))
            acc = acc + np.cross(al, r) + np.cross(om, np.cross(om, r))
            p = p + r
        Jp = np.array([np.cross(z[j], p - points[j]) for j in range(5)]).T
        # The last axis, X in the last rod, stays X of the ground.
        e = R @ axes[5]
        Je = np.array([np.cross(z[j], e) for j in range(5)]).T
        be = np.cross(al, e) + np.cross(om, np.cross(om, e))
        rows, bias = np.vstack([Jp, Je]), np.concatenate([acc, be])
        return M, Q, rows, bias, np.concatenate([p - P[5], e - axes[5]]), points

    def f(t, y):
        q, w = y[:5], y[5:]
        M, Q, rows, bias, gap, _ = motion(q, w)
        # Held to the closure by a weak spring (Baumgarte), far below what is asked for.
        bias = bias + 20 * rows @ w + 100 * gap
        K = np.block([[M, rows.T], [rows, np.zeros((6, 6))]])
        return np.concatenate([w, np.linalg.lstsq(K, np.concatenate([Q, -bias]), rcond=1e-10)[0][:5]])

    s = solve_ivp(f, (0, times[-1]), np.zeros(10), t_eval=times, method="DOP853", rtol=1e-12, atol=1e-12)
    for t, y in zip(s.t, s.y.T):
        points = motion(y[:5], y[5:])[5]
        print(f"A04 side {side}, {t}: " + ", ".join(f"{x:.9f}" for x in points[3]))


def hht():
    """m a₁ + (1−α)(c v₁ + k u₁ − F) + α(c v₀ + k u₀ − F) = 0, α = 0.1, a₀ = 0, h = 0.01."""
    m, c, k, F, al, h = 10.0, 10.0, 200.0, 100.0, 0.1, 0.01
    be, ga = (1 + al) ** 2 / 4, 0.5 + al
    for name, c, k, F in (("X", 10.0, 200.0, 100.0), ("Y", 0.0, 100.0, 1.0)):
        u = v = a = 0.0
        first = []
        for n in range(1000):
            # u₁ = u + h v + h²((½−β) a + β a₁), v₁ = v + h((1−γ) a + γ a₁)
            up, vp = u + h * v + h * h * (0.5 - be) * a, v + h * (1 - ga) * a
            a1 = (F - (1 - al) * (c * vp + k * up) - al * (c * v + k * u)) / (m + (1 - al) * (c * ga * h + k * be * h * h))
            u, v, a = up + h * h * be * a1, vp + h * ga * a1, a1
            first.append(u)
        print(f"HHT {name}: first", *(f"{x:.8e}" for x in first[:4]), f" at 10 s: {u:.9g} {v:.9g} {a:.9g}")


if __name__ == "__main__":
    pendulum()
    four_bars(2, [1, 4, 5, 10])
    four_bars(40, [1, 5, 10])
    hht()
    for side in (0.0, 0.1):
        bricard(side, [0.25, 0.5, 1, 1.5, 2, 3, 5, 8, 10])
