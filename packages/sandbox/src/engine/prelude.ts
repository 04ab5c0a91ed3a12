/**
 * The functions that scripts can call, as JavaScript that runs in the sandbox. They collect actions. Evaluates to a function
 * that scripts cannot reach, which returns what was collected as JSON. All of them keep their own references to built-in
 * functions and use no property that a script can replace, so that a script cannot change what they do.
 *
 * It is short because the engine reads it for every script, which takes longer than most scripts.
 */
export const PRELUDE = `
(() => {
  const { stringify } = JSON, { assign, defineProperty, freeze, setPrototypeOf } = Object, { isArray } = Array, Refused = TypeError;
  let actions = "", logs = "", count = 0, lines = 0;
  const plain = (object) => setPrototypeOf(object, null);
  const isObject = (value) => typeof value === "object" && value !== null && !isArray(value);
  const need = (isGood, what) => { if (!isGood) throw new Refused(what); };
  const sized = (text) => {
    need(actions.length + logs.length + text.length <= 4e6, "The actions and logs of a script may have at most 4 MB.");
    return text;
  };
  const add = (action) => {
    need(count < 1000, "A script may ask for at most 1000 actions.");
    actions += (count++ ? "," : "") + sized(stringify(plain(action)));
  };
  const claimsOf = (claims, kind) => {
    const given = typeof claims === "string" ? { id: claims } : claims;
    const copy = isObject(given) && plain(assign({}, given));
    need(copy && typeof copy.toJSON !== "function", kind + "() needs an object of identifiers.");
    return copy;
  };
  const scoped = (subject) => {
    const method = (kind, name, what) => (given) => {
      need(isObject(given), kind + "() needs an object of " + what + ".");
      add({ kind, subject, [name]: given });
      return self;
    };
    const self = freeze({
      traits: method("traits", "attributes", "attributes"),
      alias: method("alias", "body", "identifiers"),
      unalias: method("unalias", "body", "identifiers"),
      track(event, properties = {}, context = {}) {
        need(typeof event === "string" && event !== "", "track() needs the name of an event.");
        need(isObject(properties) && isObject(context), "track() needs its properties and context to be objects.");
        add({ kind: "track", subject, event, properties, context });
        return self;
      },
      account: (claims) => scoped(plain(assign({}, subject, { account: claimsOf(claims, "account") }))),
    });
    return self;
  };
  const log = (...values) => {
    if (lines >= 1000) return;
    let line = "";
    for (let index = 0; index < values.length; index++) {
      const value = values[index];
      line += (index ? " " : "") + (typeof value === "string" ? value : stringify(value) ?? "");
    }
    logs += (lines++ ? "," : "") + sized(stringify(line));
  };
  const { traits, track, alias, unalias } = scoped(plain({}));
  const functions = {
    traits, track, alias, unalias,
    asUser: (claims) => scoped(plain({ user: claimsOf(claims, "asUser") })),
    asAccount: (claims) => scoped(plain({ account: claimsOf(claims, "asAccount") })),
    console: freeze({ log, info: log, warn: log, error: log, debug: log }),
  };
  for (const name in functions) defineProperty(globalThis, name, { value: functions[name] });
  return () => '{"actions":[' + actions + '],"logs":[' + logs + "]}";
})();
`;

/** A function that describes a thrown value as JSON. It runs in a context that the script cannot reach. */
export const DESCRIBE = `
((thrown) => {
  const shorten = (text) => (text.length > 1000 ? text.slice(0, 1000) + "…" : text);
  const read = (name) => {
    try {
      const value = thrown[name];
      return typeof value === "string" ? shorten(value) : undefined;
    } catch {}
  };
  const isObject = (typeof thrown === "object" && thrown !== null) || typeof thrown === "function";
  if (!isObject) return JSON.stringify({ message: shorten(String(thrown)) });
  return JSON.stringify({ name: read("name"), message: read("message"), stack: read("stack") });
})
`;
