// What scripts see beside the language. Evaluated once for each load thread; afterwards
// nothing that can be reached from a script can be changed, so that no user leaves
// anything behind for another.
(function (host) {
  "use strict";

  function text(value) {
    switch (typeof value) {
      case "string": return value;
      case "number": case "boolean": case "bigint": return String(value);
      default:
        throw new TypeError("a variable holds text: use JSON.stringify(value) to keep an object");
    }
  }

  const vars = new Proxy({}, {
    get: (_, name) => typeof name === "string" ? host.get(name) : undefined,
    has: (_, name) => typeof name === "string" && host.get(name) !== undefined,
    set(_, name, value) {
      if (typeof name !== "string") throw new TypeError("a variable's name is text");
      if (value === undefined || value === null) host.unset(name);
      else if (!host.set(name, text(value))) {
        throw new TypeError(name + " is fixed for the run, and its value already stands in the"
          + " requests: to change it, let a step of the plan set it too");
      }
      return true;
    },
    defineProperty() { throw new TypeError("set variables by vars.name = value"); },
    deleteProperty(_, name) { if (typeof name === "string") host.unset(name); return true; },
    ownKeys: () => host.names(),
    getOwnPropertyDescriptor(_, name) {
      const value = typeof name === "string" ? host.get(name) : undefined;
      if (value === undefined) return undefined;
      return { value, writable: true, enumerable: true, configurable: true };
    },
    getPrototypeOf: () => null,
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });

  const response = {
    get status() { return host.status(); },
    get url() { return host.url(); },
    get headers() {
      const headers = Object.create(null);
      for (const [name, value] of host.headers()) {
        headers[name] = name in headers ? headers[name] + ", " + value : value;
      }
      return headers;
    },
    header: (name) => host.header(String(name)),
    get body() { return host.body(); },
    json() { return JSON.parse(host.body()); },
  };

  function random(min, max) {
    return min === undefined ? host.unit() : host.between(Number(min), Number(max));
  }

  function log(...values) {
    host.log(values.map((value) => {
      if (typeof value !== "object" || value === null) return String(value);
      try { return JSON.stringify(value); } catch (_) { return String(value); }
    }).join(" "));
  }

  function fail(message) {
    host.fail(message === undefined ? "" : String(message));
    throw new Error("failed by the script");
  }

  const define = (where, name, value) =>
    Object.defineProperty(where, name, { value, writable: false, enumerable: true });
  define(globalThis, "vars", vars);
  define(globalThis, "response", undefined);
  define(globalThis, "random", random);
  define(globalThis, "log", log);
  define(globalThis, "fail", fail);
  define(globalThis, "console", { log, info: log, warn: log, error: log, debug: log });
  Math.random = () => host.unit();

  // Proxies answer for themselves and are left alone.
  const done = new Set([vars]);
  const todo = [
    globalThis, response,
    // What has no name of its own.
    (function* () {}).constructor, (async function () {}).constructor,
    (async function* () {}).constructor,
    Object.getPrototypeOf([][Symbol.iterator]()), Object.getPrototypeOf(""[Symbol.iterator]()),
    Object.getPrototypeOf(new Map().entries()), Object.getPrototypeOf(new Set().values()),
    Object.getPrototypeOf("".matchAll(/a/g)),
  ];
  while (todo.length > 0) {
    const it = todo.pop();
    if (it === null || (typeof it !== "object" && typeof it !== "function") || done.has(it)) continue;
    done.add(it);
    todo.push(Object.getPrototypeOf(it));
    const properties = Object.getOwnPropertyDescriptors(it);
    for (const key of Reflect.ownKeys(properties)) {
      const property = properties[key];
      todo.push(property.value, property.get, property.set);
    }
    Object.freeze(it);
  }
  return response;
})
