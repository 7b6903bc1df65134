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

function init(t, parameters) {
    p = { ...p, ...parameters };
}

// Place, speed and acceleration of the platform.
function platform(t) {
    const x = [...POINTS[0].to], v = [0, 0, 0], a = [0, 0, 0];
    for (let k = 1; k < POINTS.length; k++) {
        const { at, takes, to } = POINTS[k];
        const s = Math.min(1, Math.max(0, (t - at + takes) / takes));
        for (let i = 0; i < 3; i++) {
            const way = to[i] - POINTS[k - 1].to[i];
            x[i] += way * s ** 3 * (10 - 15 * s + 6 * s * s);
            v[i] += way / takes * 30 * (s * (1 - s)) ** 2;
            a[i] += way / takes ** 2 * 60 * s * (1 - s) * (1 - 2 * s);
        }
    }
    return { x, v, a };
}

function step(t) {
    const { x, v, a } = platform(t);
    const e = p.R_b - p.r_p;
    const answer = { x: x[0], y: x[1], z: x[2] };
    for (let i = 0; i < 3; i++) {
        const theta = i * 2 * Math.PI / 3;
        const dx = x[0] - e * Math.cos(theta), dy = x[1] - e * Math.sin(theta);
        const h = Math.sqrt(p.l ** 2 - dx * dx - dy * dy);                       // (1)
        const rate = -(dx * v[0] + dy * v[1]) / h;                                // (2)
        const second = -(v[0] ** 2 + v[1] ** 2 + dx * a[0] + dy * a[1] + rate ** 2) / h;
        answer["x" + (i + 1)] = x[2] + h;
        answer["v" + (i + 1)] = v[2] + rate;
        answer["a" + (i + 1)] = a[2] + second;
    }
    return answer;
}
