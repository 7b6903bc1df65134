// What a controller finds besides the language. Runs before it; `print`, `random`, `refuse` and `change` are ours.
((print, random, refuse, change) => {
    const { create, defineProperty, keys, preventExtensions } = Object;
    const { stringify } = JSON;
    const { get } = Reflect;

    // JSON writes NaN as null; a log should not.
    const honest = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
    const text = value => {
        if (typeof value !== "object" || value === null || value instanceof Error) return String(value);
        try {
            return stringify(value, honest);
        } catch {
            return String(value);
        }
    };
    const log = (...values) => print(values.map(text).join(" "));
    globalThis.console = { log, info: log, warn: log, error: log, debug: log };
    globalThis.model = { set: (name, value) => change(name, value) };
    Math.random = { random: () => random() }.random;

    // A name that an object lacks is looked up in its prototype, and there refused: the others cost nothing.
    const prototypes = [];
    const make = (kind, names) => {
        const prototype = new Proxy(Object.prototype, {
            get(target, key, receiver) {
                if (typeof key === "symbol" || key in target || key === "toJSON") return get(target, key, receiver);
                return refuse(kind, key, keys(receiver));
            },
        });
        const object = create(prototype);
        for (const name of names) defineProperty(object, name, { value: 0, writable: true, enumerable: true });
        prototypes.push(prototype);
        return preventExtensions(object);
    };
    make.prototypes = prototypes;
    // Runs a text among the variables of the program, whoever calls.
    const indirect = globalThis.eval;
    make.evaluate = code => indirect(code);
    return make;
});
