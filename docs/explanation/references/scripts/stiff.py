"""Stiff problems of ../benchmarks.md, integrated with scipy's Radau method at 1e-12.  python3 stiff.py"""

import numpy as np
from scipy.integrate import solve_ivp


def hires(t, y):
    r = 280 * y[5] * y[7]
    d7 = r - 1.81 * y[6]
    return [-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6], -r + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6], d7, -d7]


def robertson(t, y):
    a, b = 0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return [-a, a - b, b]


def van_der_pol(t, y):
    return [y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]]


if __name__ == "__main__":
    for name, f, y0, end, atol in (
        ("HIRES", hires, [1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122, 1e-16),
        ("Robertson", robertson, [1, 0, 0], 1e11, 1e-20),
        ("van der Pol", van_der_pol, [2, 0], 2000.0, 1e-14),
    ):
        s = solve_ivp(f, (0, end), y0, "Radau", rtol=1e-12, atol=atol)
        print(name, *(f"{x:.13e}" for x in s.y[:, -1]))
