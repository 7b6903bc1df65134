"""Elastic space manipulator: inverse kinematics in closed form, servo gains, and the straight move with ideal servos.

Equations and numbers are those of ../elastic-manipulator.md. Needs nothing but Python:  python3 manipulator.py
Nothing here is shared with the simulator: the inverse is the one of the page, written out for this arm; each joint is integrated by the exact
solution of a critically damped servo over a step in which the reference is a parabola.
"""

from math import acos, atan2, cos, exp, hypot, sin

S = (3.30, 0.0, 0.45)
A, B, C = 0.60, 0.50, 0.25


def rx(a):
    return [[1, 0, 0], [0, cos(a), -sin(a)], [0, sin(a), cos(a)]]


def ry(a):
    return [[cos(a), 0, sin(a)], [0, 1, 0], [-sin(a), 0, cos(a)]]


def rz(a):
    return [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]]


def mul(*m):
    r = m[0]
    for n in m[1:]:
        r = [[sum(r[i][k] * n[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    return r


def forward(q):
    r1 = mul(rz(q[0]), ry(q[1]))
    r2 = mul(r1, ry(q[2]))
    r3 = mul(r2, rx(q[3]), ry(q[4]), rx(q[5]))
    return [S[i] + A * r1[i][0] + B * r2[i][0] + C * r3[i][0] for i in range(3)]


def inverse(p):
    """Tool point p, tool axes along the base: front, elbow up, |q4| <= pi/2."""
    x, y, z = p[0] - C - S[0], p[1] - S[1], p[2] - S[2]
    q1, rho = atan2(y, x), hypot(x, y)
    q3 = acos((rho**2 + z**2 - A**2 - B**2) / (2 * A * B))
    q2 = atan2(-z, rho) - atan2(B * sin(q3), A + B * cos(q3))
    # Rx(q4) Ry(q5) Rx(q6) = (Rz Ry Ry)^T: first row and first column.
    m = mul(rz(q1), ry(q2), ry(q3))
    r = [[m[j][i] for j in range(3)] for i in range(3)]
    q4 = atan2(r[1][0], -r[2][0])
    sign = 1.0
    if abs(q4) > 1.5707963267948966:
        q4, sign = q4 - 3.141592653589793 * (1 if q4 > 0 else -1), -1.0
    q5 = sign * hypot(r[1][0], r[2][0])
    q5 = atan2(q5, r[0][0])
    q6 = atan2(sign * r[0][1], sign * r[0][2])
    return [q1, q2, q3, q4, q5, q6]


def reference(t):
    s = min(max(t / 5.0, 0.0), 1.0)
    return inverse((4.3295 + 0.2 * (10 * s**3 - 15 * s**4 + 6 * s**5), -0.161, 0.175))


def move(h, w=6.0):
    """q'' = w² (r − q) − 2 w q'. Over a step r = r0 + b t + c t²/2 through both ends and the middle; the rest decays as (k + l t) e^(−w t)."""
    q = reference(0.0)
    v = [0.0] * 6
    rows = []
    for i in range(round(9.0 / h)):
        t = i * h
        r0, r1, r2 = reference(t), reference(t + h / 2), reference(t + h)
        e = exp(-w * h)
        for j in range(6):
            c = (r0[j] - 2 * r1[j] + r2[j]) / (h / 2) ** 2
            b = (r2[j] - r0[j]) / h - c * h / 2
            # Particular solution: p = r − 2 r'/w + 3 r''/w².
            particular = lambda s: r0[j] + b * s + c * s * s / 2 - 2 * (b + c * s) / w + 3 * c / w**2
            rate = lambda s: b + c * s - 2 * c / w
            k = q[j] - particular(0.0)
            l = v[j] - rate(0.0) + w * k
            q[j], v[j] = particular(h) + (k + l * h) * e, rate(h) + (l - w * (k + l * h)) * e
        p = forward(q)
        rows.append((t + h, p, max(abs(a - b) for a, b in zip(r2, q))))
    return rows


if __name__ == "__main__":
    print("D.1 inverse kinematics")
    for x in (4.3295, 4.4295, 4.5295):
        q = inverse((x, -0.161, 0.175))
        print(f"  x = {x}:", *(f"{a:.5f}" for a in q), " forward:", *(f"{a:.6f}" for a in forward(q)))
    print("D.2 gains, 12 J_eff and 36 J_eff/ratio")
    for j_eff, ratio in [(4.19e-4, 1 / 260), (5.40e-4, 1 / 260), (2.28e-4, 1 / 200), (2.30e-5, 1 / 160), (3.06e-5, 1 / 160),
                         (2.33e-5, 1 / 160), (6.58e-5, 5.10e-4), (7.72e-4, 1.59e-4)]:
        print(f"  {12 * j_eff:.4g} {36 * j_eff / ratio:.4g}")
    for h in (2e-3, 1e-3, 5e-4):
        rows = move(h)
        at = lambda t: next(p[0] for s, p, _ in rows if abs(s - t) < h / 4) if any(abs(s - t) < h / 4 for s, _, _ in rows) else float("nan")
        print(f"D.3 with steps of {h} s: x(2.5) = {at(2.5):.6f}, x(2.501) = {at(2.501):.6f}, x(5) = {at(5.0):.6f}, "
              f"off y {max(abs(p[1] + 0.161) for _, p, _ in rows):.3e}, off z {max(abs(p[2] - 0.175) for _, p, _ in rows):.3e}, "
              f"lag {max(l for _, _, l in rows):.4f}, highest x {max(p[0] for _, p, _ in rows):.7f}, end {rows[-1][1][0]:.7f}")
