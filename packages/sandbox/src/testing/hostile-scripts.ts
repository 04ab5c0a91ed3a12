/** What a person reads when a script was ended. */
const TIME = /^The script took too long\.$/;
/** Which limit is met first depends on the machine. */
const LIMIT = /^The script (took too long|needed too much memory|needed too much stack)\.$|out of memory|stack/i;
/** The engine refuses some sizes at once. */
const TOO_LARGE =
  /^RangeError: |^InternalError: string too long$|^The script (took too long|needed too much memory)\.$/;
const STACK = /stack/i;
const NO_MESSAGE = /^The script threw a value without a message\.$/;
const REFUSED = /^TypeError: .* needs an object of identifiers\.$/;
const SPOILT = /^The results of the script cannot be read/;

/**
 * Scripts that try to run for ever, to use all memory, or to break what reads their results. By name: the script, and the
 * error that a person must see.
 */
export const HOSTILE_SCRIPTS: Readonly<Record<string, readonly [code: string, error: RegExp]>> = {
  // Built-in functions run to their end: the engine asks only between instructions of a script whether its time is up.
  "includes of a huge length": ["[].includes.call({ length: 2 ** 53 - 1 }, 1)", TIME],
  "indexOf of a huge length": ["[].indexOf.call({ length: 2 ** 53 - 1 }, 1)", TIME],
  "lastIndexOf of a huge length": ["[].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)", TIME],
  "indexOf of a proxy": ["[].indexOf.call(new Proxy({ length: 2 ** 53 - 1 }, {}), 1)", TIME],
  "join of a huge length": ["[].join.call({ length: 2 ** 31 - 1 }, '')", LIMIT],
  "join with a separator": ["[].join.call({ length: 2 ** 31 - 1 }, 'a long separator')", LIMIT],
  "join of a sparse array": ["new Array(2 ** 32 - 1).join('')", LIMIT],
  "toString of a sparse array": ["String(new Array(2 ** 32 - 1))", LIMIT],
  "sort of a sparse array": ["new Array(2 ** 32 - 1).sort()", LIMIT],
  "sort of a huge length": ["[].sort.call({ length: 2 ** 53 - 1 })", LIMIT],
  "sort of a large array": ["const a = []; for (let i = 0; i < 9e5; i++) a.push(i ^ 0x5555); for (;;) a.sort()", LIMIT],
  "sort with a comparison that lies": [
    "for (;;) Array.from({ length: 1e5 }, (_, i) => i).sort(() => 1 - Math.random() * 2)",
    LIMIT,
  ],
  "toSorted of a huge length": ["[].toSorted.call({ length: 2 ** 32 - 1 })", TOO_LARGE],
  "reverse of a huge length": ["[].reverse.call({ length: 2 ** 53 - 1 })", TIME],
  "unshift of a huge length": ["[].unshift.call({ length: 2 ** 53 - 2 }, 1)", TIME],
  "splice of a huge length": ["[].splice.call({ length: 2 ** 53 - 1 }, 0, 1)", TIME],
  "shift of a huge length": ["[].shift.call({ length: 2 ** 53 - 1 })", TIME],
  "copyWithin of a huge length": ["[].copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)", TIME],
  "fill of a huge length": ["[].fill.call({ length: 2 ** 53 - 1 }, 1)", LIMIT],
  "slice of a huge length": ["[].slice.call({ length: 2 ** 32 - 1 })", LIMIT],
  "concat of spreadable objects": ["[].concat({ length: 2 ** 53 - 1, [Symbol.isConcatSpreadable]: true })", TIME],
  "forEach of a huge length": ["[].forEach.call({ length: 2 ** 53 - 1 }, () => {})", TIME],
  "flat of a huge length": ["[].flat.call({ length: 2 ** 53 - 1 })", TIME],
  "findLast of a huge length": ["[].findLast.call({ length: 2 ** 53 - 1 }, () => false)", TIME],
  "Array.from of a huge length": ["Array.from({ length: 2 ** 32 - 1 })", LIMIT],
  "at of all in a loop of built-ins": ["for (;;) [].includes.call({ length: 1e9 }, 1)", TIME],
  "Reflect.apply with huge arguments": [
    "Reflect.apply(Math.max, null, { length: 2 ** 31 - 1 })",
    /too many|memory|too long/i,
  ],
  "apply with huge arguments": [
    "Math.max.apply(null, { length: 65_000 }); for (;;) Math.max.apply(null, { length: 65_000 })",
    TIME,
  ],
  "JSON of a huge array": ["JSON.stringify(new Array(2 ** 32 - 1))", LIMIT],
  "JSON of a huge length by a proxy": [
    "JSON.stringify(new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 53 - 1 : t[k]) }))",
    LIMIT,
  ],
  "typed array that is searched for ever": ["const a = new Uint8Array(3e7); for (;;) a.includes(1)", LIMIT],
  // Strings and patterns.
  "repeat of a huge string": ["'x'.repeat(2 ** 30)", TOO_LARGE],
  "repeat that doubles": ["let s = 'x'; for (;;) s += s", TOO_LARGE],
  "padStart of a huge string": ["'x'.padStart(2 ** 30 - 2, 'ab')", LIMIT],
  "replaceAll that grows": ["let s = 'aa'; for (;;) s = s.replaceAll('a', 'aa')", LIMIT],
  "split of a large string": ["const s = 'a,'.repeat(1e6); for (;;) s.split(',')", LIMIT],
  "indexOf in a large string": [
    "const s = 'a'.repeat(8e6); const t = 'a'.repeat(4e6) + 'b'; for (;;) s.indexOf(t)",
    LIMIT,
  ],
  "normalize of a large string": ["const s = '\\u1e9b\\u0323'.repeat(1e6); for (;;) s.normalize('NFKD')", LIMIT],
  "localeCompare of large strings": ["const s = 'a'.repeat(4e6); for (;;) s.localeCompare(s + 'b')", LIMIT],
  "pattern that backtracks": ["/^(a+)+$/.test('a'.repeat(40) + 'b')", TIME],
  "pattern that backtracks by groups": ["/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(200))", LIMIT],
  "pattern with references": ["/^(.*)(.*)(.*)(.*)\\1\\2\\3\\4x$/.test('ab'.repeat(300))", TIME],
  "pattern with huge counts": ["/(?:a{0,9999}){0,9999}b/.test('a'.repeat(30_000))", LIMIT],
  "pattern that is huge": ["new RegExp('('.repeat(1e6) + ')'.repeat(1e6))", /SyntaxError|stack|memory|too long/],
  "pattern in a replace": ["'a'.repeat(4e4).replace(/(a*)*b/g, 'x')", LIMIT],
  // Numbers.
  "power of big integers": ["2n ** (2n ** 40n)", /RangeError|memory|too long/],
  "product of big integers": ["let n = 3n; for (;;) n *= n", LIMIT],
  "text of a big integer": ["const n = 1n << 8_000_000n; String(n); for (;;) String(n)", TOO_LARGE],
  // Loops.
  "loop that never ends": ["while (true) {}", TIME],
  "loop that catches its end": ["for (;;) try { for (;;) {} } catch {}", TIME],
  "loop in a finally": ["try { for (;;) {} } finally { for (;;) {} }", TIME],
  "loop in a generator": ["function* g() { for (;;) yield 1 } for (const x of g()) x", TIME],
  "spread of an endless iterator": ["[...(function* () { for (;;) yield 1 })()]", LIMIT],
  "loop in a getter of the thrown value": ["throw { get message() { for (;;) {} } }", TIME],
  "built-in in a getter of the thrown value": [
    "throw { get message() { return [].includes.call({ length: 2 ** 53 - 1 }, 1) } }",
    TIME,
  ],
  "loop in toJSON of an action": ["traits({ a: { toJSON() { for (;;) {} } } })", TIME],
  "loop in toJSON of a log": ["console.log({ toJSON() { return [].indexOf.call({ length: 2 ** 53 - 1 }, 1) } })", TIME],
  // Memory and stack.
  "hoard of buffers": ["const all = []; for (;;) all.push(new Uint8Array(1e6))", LIMIT],
  "hoard of objects": ["const all = []; for (;;) all.push({})", LIMIT],
  "huge buffer": ["new ArrayBuffer(2 ** 31)", /RangeError|memory/],
  "hoard of closures": ["let f = () => 0; for (;;) { const g = f; f = () => g }", LIMIT],
  "map that grows": ["const m = new Map(); for (let i = 0; ; i++) m.set(i, {})", LIMIT],
  "endless recursion": ["(function f() { f() })()", STACK],
  "endless recursion that is caught": ["const f = () => { try { f() } finally { f() } }; f()", LIMIT],
  "recursion through toString": ["const o = { toString() { return String(o) } }; String(o)", STACK],
  "recursion through a proxy": ["const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.a", STACK],
  "deep arrays as JSON": ["let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)", LIMIT],
  "deep attributes": ["let a = []; for (let i = 0; i < 1e5; i++) a = [a]; traits({ a })", LIMIT],
  "deep text as JSON": ["JSON.parse('['.repeat(1e6))", /stack|SyntaxError/],
  "deep code": [`return ${"(".repeat(20_000)}1${")".repeat(20_000)}`, /stack|SyntaxError/],
  "deep code by Function": ["Function('return ' + '['.repeat(1e6))()", /stack|SyntaxError|memory/],
  "logs without end": ["for (;;) console.log('x'.repeat(1e5))", /at most 4 MB|memory|too long/],
  "actions that are huge": ["for (;;) traits({ a: 'x'.repeat(1e6) })", /at most|memory|too long/],
  // Thrown values of any shape.
  "thrown null": ["throw null", /^null$/],
  "thrown undefined": ["throw undefined", /^undefined$/],
  "thrown symbol": ["throw Symbol('mine')", /^Symbol\(mine\)$/],
  "thrown big integer": ["throw 10n ** 5000n", /^1000+…$/],
  "thrown function": ["throw () => 1", NO_MESSAGE],
  "thrown promise": ["throw Promise.reject(new Error('late'))", NO_MESSAGE],
  "thrown array": ["throw [1, 2, 3]", NO_MESSAGE],
  "thrown cycle": ["const a = {}; a.a = a; throw a", NO_MESSAGE],
  "thrown object without a prototype": ["throw Object.create(null)", NO_MESSAGE],
  "thrown proxy that throws": ["throw new Proxy({}, new Proxy({}, { get() { throw 1 } }))", NO_MESSAGE],
  "thrown revoked proxy": ["const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy", NO_MESSAGE],
  "thrown getter that throws": ["throw { get message() { throw this } }", NO_MESSAGE],
  "thrown name that is an object": ["throw { name: { toString: 1 }, message: 'named' }", /^named$/],
  "thrown message that is an object": ["throw { name: 'InternalError', message: { includes: 1 } }", NO_MESSAGE],
  "thrown message that is a symbol": ["const e = new Error('a'); e.message = Symbol('b'); throw e", NO_MESSAGE],
  "thrown huge message": ["throw new Error('x'.repeat(5_000_000))", /^Error: x+…$/],
  "thrown huge name": ["const e = new Error('a'); e.name = 'x'.repeat(5_000_000); throw e", /^x+…/],
  "thrown stack that is a getter": [
    "const e = new Error('a'); Object.defineProperty(e, 'stack', { get() { throw 1 } }); throw e",
    /^Error: a$/,
  ],
  "thrown error that pretends": [
    "throw { name: 'InternalError', message: 'interrupted' }",
    /^InternalError: interrupted$/,
  ],
  "thrown by spoilt built-ins": [
    "String.prototype.slice = String = () => { throw 1 }; JSON.stringify = null; throw new Error('a')",
    /^Error: a$/,
  ],
  // Results that are none.
  "actions that toJSON replaces": [
    "Object.prototype.toJSON = () => undefined; traits({ a: 1 }); throw 'replaced'",
    /^replaced$/,
  ],
  "attributes that toJSON replaces": ["traits({ toJSON: () => 'text' })", SPOILT],
  "claims that toJSON replaces": ["asUser({ toJSON: () => undefined }).traits({ a: 1 })", REFUSED],
  "logs by a spoilt map": [
    "Array.prototype.map = () => ({ join: () => ({ a: 1 }) }); console.log('a'); throw 'spoilt'",
    /^spoilt$/,
  ],
  "actions that a setter takes": [
    "Object.defineProperty(Array.prototype, 0, { set() { throw 'taken' } }); traits({ a: 1 }); throw 'set'",
    /^(set|taken)$/,
  ],
};
