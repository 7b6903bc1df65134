// What a controller remembers, as a text and back: all that can be reached from its variables and from the global object.
//
// Runs in a realm of its own, so that it sees built-ins as they are whatever the program did to its own. Objects are nodes of a graph,
// numbered as they are met: what is shared stays shared. What hides its state (closures, iterators, …) is refused.
//
// `evaluate` runs a text in the program's realm; `words` are all words of the program, its variables among them; `fixed` are objects that
// the program cannot exchange; `given` are prototypes of objects that were given to it; `isProxy` and `isStateless` are asked of values.
({ global, evaluate, words, fixed, given, isProxy, isStateless }) => {
    const { getOwnPropertyDescriptor: describe, getPrototypeOf, setPrototypeOf, isExtensible, preventExtensions, defineProperty, is } = Object;
    const { ownKeys } = Reflect;
    const textOf = Function.prototype.call.bind(Function.prototype.toString);
    const tagOf = Function.prototype.call.bind(Object.prototype.toString);
    const getter = (object, key) => Function.prototype.call.bind(describe(object, key).get);
    const [lineOf, columnOf] = ["lineNumber", "columnNumber"].map(key => getter(Function.prototype, key));
    const [mapSize, setSize] = [getter(Map.prototype, "size"), getter(Set.prototype, "size")];
    const numbersName = getter(getPrototypeOf(Float64Array.prototype), Symbol.toStringTag);
    const wellKnown = new Map(ownKeys(Symbol).filter(key => typeof Symbol[key] === "symbol").map(key => [Symbol[key], key]));
    const bits = new Float64Array(1);
    const halves = new Uint32Array(bits.buffer);
    const isObject = value => value !== null && (typeof value === "object" || typeof value === "function");
    const succeeds = action => {
        try {
            action();
            return true;
        } catch {
            return false;
        }
    };

    function fail(path, reason, hint) {
        const error = new Error(`\`${path}\` ${reason}`);
        error.hint = hint;
        throw error;
    }
    const plain = "keep numbers, texts, arrays, maps, sets and objects of classes";
    const shown = key => typeof key === "symbol" ? `[Symbol.${wellKnown.get(key) ?? "…"}]` : String(key);
    const flagsOf = property => (property.writable ? 1 : 0) + (property.enumerable ? 2 : 0) + (property.configurable ? 4 : 0);

    // Built-ins of the program's realm, numbered as they are met beside those of ours; what differs was changed by the program.
    let numbered;
    function builtIns() {
        if (numbered) return numbered;
        const hidden = "[function*(){}, async function(){}, async function*(){}, [].values(), new Map().values(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g)]";
        const numbers = new Map();
        const twins = new Map();
        const open = [];
        const changed = path => fail(path, "is a built-in that the program changed, which no snapshot can keep", "keep it in a variable or a function of the program");
        function pair(theirs, ours, path) {
            if (!isObject(ours) || !isObject(theirs)) return is(theirs, ours) || changed(path);
            if (numbers.has(theirs) || twins.has(ours)) return twins.get(ours) === theirs || changed(path);
            if (typeof theirs !== typeof ours || isProxy(theirs)) changed(path);
            numbers.set(theirs, numbers.size);
            twins.set(ours, theirs);
            open.push([theirs, ours, path]);
        }
        pair(global, globalThis, "globalThis");
        pair(evaluate(hidden), (0, eval)(hidden), "an iterator");
        for (let k = 0; k < open.length; k++) {
            const [theirs, ours, path] = open[k];
            const keys = ownKeys(ours);
            if (typeof ours === "function" && textOf(ours) !== textOf(theirs)) changed(path);
            if (theirs !== global && (ownKeys(theirs).length !== keys.length || isExtensible(ours) !== isExtensible(theirs))) changed(path);
            pair(getPrototypeOf(theirs), getPrototypeOf(ours), `${path}.__proto__`);
            for (const key of keys) {
                const here = theirs === global ? shown(key) : `${path}.${shown(key)}`;
                const [a, b] = [describe(theirs, key), describe(ours, key)];
                if (!a || flagsOf(a) !== flagsOf(b)) changed(here);
                for (const part of ["value", "get", "set"]) pair(a[part], b[part], here);
            }
        }
        return numbered = numbers;
    }

    // Variables that `let`, `const` and `class` made, which are no properties of the global object.
    let known;
    function variables() {
        if (known) return known;
        const sentinel = {};
        known = [];
        for (const name of words) {
            const own = describe(global, name);
            if (own && !("value" in own && own.writable)) continue;
            if (!succeeds(() => evaluate(name))) continue;
            if (own) {
                global[name] = sentinel;
                const same = evaluate(name) === sentinel;
                global[name] = own.value;
                if (same) continue;
            }
            let access;
            if (!succeeds(() => { access = evaluate(`[() => ${name}, value => { ${name} = value; }]`); })) continue;
            const [read, write] = access;
            known.push({ name, read, write, constant: !succeeds(() => write(read())) });
        }
        return known;
    }

    const ofProgram = () => ownKeys(global).filter(key => !describe(globalThis, key));

    function kindOf(object, path) {
        if (isProxy(object)) fail(path, "is a Proxy, which no snapshot can keep", plain);
        if (typeof object === "function") return "function";
        if (Array.isArray(object)) return "array";
        if (succeeds(() => mapSize(object))) return "map";
        if (succeeds(() => setSize(object))) return "set";
        if (numbersName(object)) return "numbers";
        const tag = tagOf(object).slice(8, -1);
        if (["Boolean", "Number", "String", "Error", "RegExp", "Arguments", "Date"].includes(tag)) {
            fail(path, `is a ${tag}, which no snapshot can keep`, plain);
        }
        return "object";
    }

    // Prototypes that say nothing of hidden state.
    const open = () => evaluate("[Object, Array, Map, Set, Function, Object.getPrototypeOf(Float64Array), Float64Array, Float32Array, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array]")
        .flatMap(made => [made, made.prototype]);

    function save() {
        const numbers = builtIns();
        const bases = new Set(open());
        const nodes = [];
        const met = new Map();
        const waiting = [];
        function value(x, path) {
            if (typeof x === "number") {
                bits[0] = x;
                return [halves[0], halves[1]];
            }
            if (x === undefined) return { nothing: 1 };
            if (typeof x === "bigint") return { big: String(x) };
            if (typeof x === "symbol") fail(path, "is a symbol, which no snapshot can keep", "use a text");
            return isObject(x) ? reference(x, path) : x;
        }
        function reference(object, path) {
            if (numbers.has(object)) return { builtIn: numbers.get(object) };
            if (given.includes(object)) return { given: given.indexOf(object) };
            if (met.get(object) === -1) fail(path, "is the memory of an array, which no snapshot can keep", plain);
            if (!met.has(object)) {
                met.set(object, nodes.push(null) - 1);
                waiting.push([object, path]);
            }
            return { node: met.get(object) };
        }
        function property(object, key, path) {
            const found = describe(object, key);
            const here = path === "" ? shown(key) : `${path}.${shown(key)}`;
            if (typeof key === "symbol" && !wellKnown.has(key)) fail(here, "is named by a symbol, which no snapshot can keep", "use a text");
            const name = typeof key === "symbol" ? { symbol: wellKnown.get(key) } : key;
            return "value" in found ? [name, flagsOf(found), value(found.value, here)] : [name, flagsOf(found), value(found.get, here), value(found.set, here)];
        }
        function node(object, path) {
            const kind = kindOf(object, path);
            const prototype = getPrototypeOf(object);
            if (prototype && numbers.has(prototype) && !bases.has(prototype)) {
                fail(path, "is of a kind that no snapshot can keep", plain);
            }
            const found = { kind, prototype: value(prototype, `${path}.__proto__`), open: isExtensible(object), properties: [] };
            let keys = ownKeys(object);
            if (kind === "function") {
                if (!isStateless(textOf(object))) {
                    fail(path, "is a function that may remember something no snapshot can see", "keep what is remembered in variables of the program or in objects of a class");
                }
                found.at = [lineOf(object), columnOf(object)];
            } else if (kind === "map") {
                found.entries = [];
                Map.prototype.forEach.call(object, (x, key) => found.entries.push([value(key, path), value(x, path)]));
            } else if (kind === "set") {
                found.entries = [];
                Set.prototype.forEach.call(object, x => found.entries.push([value(x, path)]));
            } else if (kind === "numbers") {
                found.of = numbersName(object);
                const whole = object.byteOffset === 0 && object.buffer.byteLength === object.byteLength && !object.buffer.resizable && !met.has(object.buffer);
                if (!whole || found.of.startsWith("Big")) fail(path, "shares its memory with others, or has a kind that no snapshot can keep", "make each array of numbers with a length of its own");
                met.set(object.buffer, -1);
                found.entries = Array.from({ length: object.length }, (_, k) => value(object[k], path));
                keys = keys.filter(key => typeof key === "symbol" || !/^\d+$/.test(key));
            }
            found.properties = keys.map(key => property(object, key, path));
            return found;
        }
        const roots = fixed.map((object, k) => value(object, ["step", "init", "inputs"][k]));
        const locals = variables().map(({ name, read }) => [name, value(read(), name)]);
        const globals = ofProgram().map(key => property(global, key, ""));
        for (let k = 0; k < waiting.length; k++) nodes[met.get(waiting[k][0])] = node(...waiting[k]);
        return JSON.stringify({ roots, locals, globals, nodes });
    }

    // Functions of the program as it stands, by their place in its text.
    function functions() {
        const found = new Map();
        const seen = new Set(builtIns().keys());
        const waiting = [];
        const meet = x => {
            if (isObject(x) && !seen.has(x) && !given.includes(x) && !isProxy(x)) {
                seen.add(x);
                waiting.push(x);
            }
        };
        const properties = (object, keys) => keys.map(key => describe(object, key)).forEach(p => [p.value, p.get, p.set].forEach(meet));
        fixed.forEach(meet);
        variables().forEach(({ read }) => meet(read()));
        properties(global, ofProgram());
        for (let k = 0; k < waiting.length; k++) {
            const object = waiting[k];
            meet(getPrototypeOf(object));
            properties(object, ownKeys(object));
            if (succeeds(() => mapSize(object))) Map.prototype.forEach.call(object, (x, key) => [x, key].forEach(meet));
            if (succeeds(() => setSize(object))) Set.prototype.forEach.call(object, meet);
            if (typeof object !== "function") continue;
            const place = `${lineOf(object)}:${columnOf(object)}`;
            found.set(place, found.has(place) ? null : object);
        }
        return found;
    }

    function load(text) {
        const { roots, locals, globals, nodes } = JSON.parse(text);
        const places = functions();
        const byNumber = [...builtIns().keys()];
        const made = nodes.map(({ kind, at }) => {
            if (kind !== "function") return undefined;
            return places.get(at.join(":")) ?? fail(`the function of line ${at[0]}`, "is not there when the program starts, so that no snapshot can bring it back", "make it at the top level");
        });
        const buffer = evaluate("ArrayBuffer.prototype");
        function value(x) {
            if (Array.isArray(x)) {
                [halves[0], halves[1]] = x;
                return bits[0];
            }
            if (x === null || typeof x !== "object") return x;
            if ("nothing" in x) return undefined;
            if ("big" in x) return BigInt(x.big);
            if ("builtIn" in x) return byNumber[x.builtIn];
            return "given" in x ? given[x.given] : made[x.node];
        }
        const keyOf = key => typeof key === "object" ? Symbol[key.symbol] : key;
        // Objects that the program cannot exchange, and those that hang on them for good, stay; all others are made anew.
        const staying = [];
        const stay = (x, object) => {
            if (x !== null && typeof x === "object" && "node" in x && isObject(object) && (made[x.node] === undefined || made[x.node] === object) && !staying.includes(x.node)) {
                made[x.node] = object;
                staying.push(x.node);
            }
        };
        made.forEach((object, node) => stay({ node }, object));
        roots.forEach((x, k) => stay(x, fixed[k]));
        const now = new Map(variables().map(variable => [variable.name, variable]));
        locals.filter(([name]) => now.get(name)?.constant).forEach(([name, x]) => stay(x, now.get(name).read()));
        for (let k = 0; k < staying.length; k++) {
            for (const [key, flags, x] of nodes[staying[k]].properties) {
                const present = (flags & 5) === 0 ? describe(made[staying[k]], keyOf(key)) : undefined;
                if (present) stay(x, present.value);
            }
        }
        nodes.forEach(({ kind, of, entries }, k) => {
            if (made[k] !== undefined) return;
            made[k] = kind === "array" ? [] : kind === "map" ? new Map() : kind === "set" ? new Set() : kind === "numbers" ? new globalThis[of](entries.length) : {};
            if (kind === "numbers") setPrototypeOf(made[k].buffer, buffer);
        });
        function define(object, [key, flags, ...parts]) {
            const base = { enumerable: (flags & 2) !== 0, configurable: (flags & 4) !== 0 };
            const property = parts.length === 2 ? { ...base, get: value(parts[0]), set: value(parts[1]) } : { ...base, writable: (flags & 1) !== 0, value: value(parts[0]) };
            defineProperty(object, keyOf(key), property);
        }
        function fill(object, { kind, prototype, open, properties, entries }) {
            if (getPrototypeOf(object) !== value(prototype)) setPrototypeOf(object, value(prototype));
            const present = ownKeys(object).filter(key => kind !== "numbers" || typeof key === "symbol" || !/^\d+$/.test(key));
            const wanted = properties.map(([key]) => keyOf(key));
            // Order counts: what stands elsewhere goes, and is added again.
            let same = 0;
            while (same < present.length && present[same] === wanted[same]) same++;
            present.slice(same).filter(key => describe(object, key).configurable).forEach(key => delete object[key]);
            const length = kind === "array" ? value(properties.find(([key]) => key === "length")[2]) : 0;
            if (kind === "array" && object.length !== length) object.length = length;
            properties.forEach(property => define(object, property));
            if (kind === "map") {
                Map.prototype.clear.call(object);
                entries.forEach(([a, b]) => Map.prototype.set.call(object, value(a), value(b)));
            } else if (kind === "set") {
                Set.prototype.clear.call(object);
                entries.forEach(([a]) => Set.prototype.add.call(object, value(a)));
            } else if (kind === "numbers") entries.forEach((x, k) => { object[k] = value(x); });
            if (!open) preventExtensions(object);
        }
        nodes.forEach((node, k) => fill(made[k], node));
        for (const [name, x] of locals) {
            const variable = now.get(name);
            if (!is(variable.read(), value(x))) variable.write(value(x));
        }
        const kept = new Set(globals.map(([key]) => keyOf(key)));
        ofProgram().filter(key => !kept.has(key)).forEach(key => delete global[key]);
        globals.forEach(property => define(global, property));
        if (save() !== text) fail("the program", "does not come back as it was", plain);
    }

    return { save, load };
};
