// Path of the platform of TORX and what it asks of the three slides.
//
//   z_i = z + h_i,   h_i² = l² − d_i·d_i,   d_i = (x − e cos θ_i, y − e sin θ_i)          (1)
//   ḣ_i = −d_i·ḋ_i/h_i,   ḧ_i = −(ḋ_i·ḋ_i + d_i·d̈_i + ḣ_i²)/h_i                            (2)
//
// Between its points the platform moves on straight lines, by the polynomial of fifth order that starts and ends at rest.

let p = { R_b: 0.25, r_p: 0.06, l: 0.35 };

// Time of arrival, time on the way, place.
const POINTS = [
    { at: 0, takes: 1, to: [0, 0, 0.1] },
    { at: 1.3, takes: 0.8, to: [0.05, -0.03, 0.12] },
    { at: 2.6, takes: 1.0, to: [-0.04, 0.03, 0.08] },
    { at: 3.7, takes: 0.8, to: [0, 0, 0.1] },
];

// cos θ_i and sin θ_i of the slides.
const DIRECTIONS = [0, 1, 2].map(i => ({ c: Math.cos(i * 2 * Math.PI / 3), s: Math.sin(i * 2 * Math.PI / 3) }));

function init(t, parameters) {
    p = { ...p, ...parameters };
}

// Place, speed and acceleration of the platform.
function platform(t) {
    const x = POINTS[0].to.slice(), v = [0, 0, 0], a = [0, 0, 0];
    for (let k = 1; k < POINTS.length; k++) {
        const { at, takes, to } = POINTS[k], from = POINTS[k - 1].to;
        if (t <= at - takes) break;
        const s = Math.min(1, (t - at + takes) / takes), r = 1 - s;
        const place = s * s * s * (10 - 15 * s + 6 * s * s);
        const speed = 30 * (s * r) * (s * r) / takes;
        const acceleration = 60 * s * r * (1 - 2 * s) / (takes * takes);
        for (let i = 0; i < 3; i++) {
            const way = to[i] - from[i];
            x[i] += way * place;
            v[i] += way * speed;
            a[i] += way * acceleration;
        }
    }
    return { x, v, a };
}

// Place, speed and acceleration of one slide.
function slide(x, v, a, { c, s }) {
    const e = p.R_b - p.r_p;
    const dx = x[0] - e * c, dy = x[1] - e * s;
    const h = Math.sqrt(p.l * p.l - dx * dx - dy * dy);                           // (1)
    const rate = -(dx * v[0] + dy * v[1]) / h;                                    // (2)
    const second = -(v[0] * v[0] + v[1] * v[1] + dx * a[0] + dy * a[1] + rate * rate) / h;
    return { x: x[2] + h, v: v[2] + rate, a: a[2] + second };
}

function step(t) {
    const { x, v, a } = platform(t);
    const one = slide(x, v, a, DIRECTIONS[0]), two = slide(x, v, a, DIRECTIONS[1]), three = slide(x, v, a, DIRECTIONS[2]);
    return {
        x: x[0], y: x[1], z: x[2],
        x1: one.x, x2: two.x, x3: three.x,
        v1: one.v, v2: two.v, v3: three.v,
        a1: one.a, a2: two.a, a3: three.a,
    };
}
