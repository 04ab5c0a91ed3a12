/**
 * The functions that scripts can call, as JavaScript that runs in the sandbox. They collect actions, which `__results`
 * returns. They keep their own references to built-in functions, so that a script cannot change what they do.
 */
export const PRELUDE = `
(() => {
  const { stringify } = JSON;
  const { freeze, assign } = Object;
  const { isArray } = Array;
  const actions = [];
  const logs = [];
  const MAX = 1000;
  const isObject = (value) => typeof value === "object" && value !== null && !isArray(value);
  const need = (isGood, what) => { if (!isGood) throw new TypeError(what); };
  const add = (action) => {
    need(actions.length < MAX, "A script may ask for at most " + MAX + " actions.");
    actions[actions.length] = stringify(action);
  };
  const claimsOf = (claims, kind) => {
    const given = typeof claims === "string" ? { id: claims } : claims;
    need(isObject(given), kind + "() needs an object of identifiers.");
    return given;
  };
  const scoped = (subject) => {
    const self = {
      traits(attributes) {
        need(isObject(attributes), "traits() needs an object of attributes.");
        add({ kind: "traits", subject, attributes });
        return self;
      },
      alias(body) {
        need(isObject(body), "alias() needs an object of identifiers.");
        add({ kind: "alias", subject, body });
        return self;
      },
      unalias(body) {
        need(isObject(body), "unalias() needs an object of identifiers.");
        add({ kind: "unalias", subject, body });
        return self;
      },
      track(event, properties = {}, context = {}) {
        need(typeof event === "string" && event !== "", "track() needs the name of an event.");
        need(isObject(properties) && isObject(context), "track() needs its properties and context to be objects.");
        add({ kind: "track", subject, event, properties, context });
        return self;
      },
      account(claims) {
        return scoped(assign({}, subject, { account: claimsOf(claims, "account") }));
      },
    };
    return freeze(self);
  };
  const own = scoped({});
  const write = (...values) => {
    if (logs.length < MAX) logs[logs.length] = values.map((value) => (typeof value === "string" ? value : stringify(value))).join(" ");
  };
  const define = (name, value) => Object.defineProperty(globalThis, name, { value });
  define("asUser", (claims) => scoped({ user: claimsOf(claims, "asUser") }));
  define("asAccount", (claims) => scoped({ account: claimsOf(claims, "asAccount") }));
  define("traits", own.traits);
  define("track", own.track);
  define("alias", own.alias);
  define("unalias", own.unalias);
  define("console", freeze({ log: write, info: write, warn: write, error: write, debug: write }));
  define("__results", () => {
    let list = "";
    for (let index = 0; index < actions.length; index += 1) list += (index ? "," : "") + actions[index];
    return '{"actions":[' + list + '],"logs":' + stringify(logs) + "}";
  });
})();
`;
