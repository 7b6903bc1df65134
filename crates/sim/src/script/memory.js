// What a controller remembers, as a text and back. Runs after the program; `names` are its variables.
//
// Variables are read and written by their names. Objects are nodes of a graph, numbered as they are met: what is shared stays shared.
// Where an object exists already (the top level and `init` have run), it is filled, so that it keeps its class.
(names, read, write) => {
    const bits = new Float64Array(1);
    const halves = new Uint32Array(bits.buffer);
    const { create, getOwnPropertyDescriptor: describe, getPrototypeOf, is, keys } = Object;
    const isObject = value => value !== null && (typeof value === "object" || typeof value === "function");
    const typeName = object => Object.prototype.toString.call(object).slice(8, -1);

    function fail(path, reason, hint) {
        const error = new Error(`\`${path}\` ${reason}`);
        error.hint = hint;
        throw error;
    }

    function kindOf(object, path) {
        if (typeof object === "function") return "function";
        if (Array.isArray(object)) return "array";
        if (object instanceof Map) return "map";
        if (object instanceof Set) return "set";
        if (ArrayBuffer.isView(object) && !(object instanceof DataView)) return "numbers";
        const type = typeName(object);
        if (type !== "Object" && type !== "Math" && type !== "JSON") {
            fail(path, `is a ${type}, which no snapshot can keep`, "keep numbers, texts, arrays and objects");
        }
        return "object";
    }

    // The name of its class, where it has one that is a variable of the program.
    function classOf(object) {
        const prototype = getPrototypeOf(object);
        return names.find(name => typeof read(name) === "function" && read(name).prototype === prototype) ?? "";
    }

    function save() {
        const nodes = [];
        const met = new Map();
        function value(x, path, open) {
            if (typeof x === "number") {
                bits[0] = x;
                return [halves[0], halves[1]];
            }
            if (x === undefined) return { nothing: 1 };
            if (typeof x === "symbol") fail(path, "is a symbol, which no snapshot can keep", "use a text");
            return isObject(x) ? { node: node(x, path, open) } : x;
        }
        function node(object, path, open) {
            if (met.has(object)) return met.get(object);
            const kind = kindOf(object, path);
            if (kind === "function" && !open) {
                fail(path, "is a function that may remember something no snapshot can see",
                    "keep what is remembered in variables of the program or in objects of a class");
            }
            const number = nodes.push(null) - 1;
            met.set(object, number);
            const entries = [];
            if (kind === "map") object.forEach((x, key) => entries.push([value(key, path, open), value(x, path, open)]));
            else if (kind === "set") object.forEach(x => entries.push([value(x, path, open)]));
            else for (const key of keys(object)) {
                if (describe(object, key).get) fail(`${path}.${key}`, "is computed, which no snapshot can keep", "make it a function of its class");
                entries.push([key, value(object[key], `${path}.${key}`, open)]);
            }
            nodes[number] = { kind, of: kind === "numbers" ? object.constructor.name : classOf(object), length: kind === "array" || kind === "numbers" ? object.length : 0, entries };
            return number;
        }
        const variables = names.map(name => [name, value(read(name), name, read.literal(name))]);
        return JSON.stringify({ variables, nodes });
    }

    function load(text) {
        const { variables, nodes } = JSON.parse(text);
        const made = [];
        function value(x, present, path) {
            if (Array.isArray(x)) {
                [halves[0], halves[1]] = x;
                return bits[0];
            }
            if (x === null || typeof x !== "object") return x;
            return "nothing" in x ? undefined : object(x.node, present, path);
        }
        function blank({ kind, of, length }, path) {
            if (kind === "array") return [];
            if (kind === "map") return new Map();
            if (kind === "set") return new Set();
            if (kind === "numbers") return new globalThis[of](length);
            if (kind === "function") fail(path, "is not there when the program starts, so that no snapshot can bring it back", "make it at the top level or in `init`");
            return of === "" ? {} : create(read(of).prototype);
        }
        function fits({ kind, of, length }, present, path) {
            if (!isObject(present) || made.includes(present) || kindOf(present, path) !== kind) return false;
            return kind === "numbers" ? present.length === length : kind === "function" || classOf(present) === of;
        }
        function object(number, present, path) {
            if (made[number]) return made[number];
            const node = nodes[number];
            const target = made[number] = fits(node, present, path) ? present : blank(node, path);
            if (node.kind === "map" || node.kind === "set") {
                target.clear();
                for (const [a, b] of node.entries) {
                    if (node.kind === "map") target.set(value(a, undefined, path), value(b, undefined, path));
                    else target.add(value(a, undefined, path));
                }
                return target;
            }
            const kept = new Set(node.entries.map(([key]) => key));
            for (const key of keys(target)) if (!kept.has(key)) delete target[key];
            if (node.kind === "array") target.length = node.length;
            for (const [key, x] of node.entries) {
                const old = kept.has(key) && Object.hasOwn(target, key) ? target[key] : undefined;
                const fresh = value(x, old, `${path}.${key}`);
                if (!Object.hasOwn(target, key) || !is(fresh, old)) target[key] = fresh;
            }
            return target;
        }
        for (const [name, x] of variables) {
            const fresh = value(x, read(name), name);
            if (!is(fresh, read(name))) write(name, fresh);
        }
    }

    return { save, load };
};
