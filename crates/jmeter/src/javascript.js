// The objects that scripts of JMeter's functions know, and how such a script is run. What it
// leaves in the global scope is taken away when it is done, for the sake of other users.
(function (host) {
  const nothing = (value) => value === undefined ? null : value;
  const vars = {
    get: (name) => nothing(host.get(String(name))),
    put: (name, value) => { host.set(String(name), String(value)); },
    getObject: (name) => nothing(host.get(String(name))),
    putObject: (name, value) => { host.set(String(name), String(value)); },
    remove: (name) => { host.unset(String(name)); },
  };
  const props = {
    get: (name) => nothing(host.property(String(name))),
    getProperty(name, other) {
      const value = host.property(String(name));
      return value === undefined || value === null ? nothing(other) : value;
    },
    put: (name, value) => nothing(host.set_property(String(name), String(value))),
    setProperty: (name, value) => nothing(host.set_property(String(name), String(value))),
    remove: (name) => nothing(host.remove_property(String(name))),
  };
  const write = (...values) => { host.log(values.map(String).join(" ")); };
  const log = { info: write, warn: write, error: write, debug: write, trace: write };
  Math.random = () => host.unit();
  const evaluate = new Function("source", "return eval(source);");
  const known = new Set(Reflect.ownKeys(globalThis));
  return function (source, given) {
    Object.assign(globalThis, { vars, props, log, print: write, println: write }, given);
    try {
      return evaluate(source);
    } finally {
      for (const name of Reflect.ownKeys(globalThis)) {
        if (!known.has(name)) delete globalThis[name];
      }
    }
  };
})
