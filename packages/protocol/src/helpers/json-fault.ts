// Longer texts are not searched further, because a caller waits and anybody may send a body of many megabytes.
const MAX_SEARCHED = 1_000_000;

const SPACE = new Set([" ", "\t", "\n", "\r"]);
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,10})?)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Where a text stops being valid JSON, for people: the message of `JSON.parse` often has no place, and repeats a part of the
 * text, which may be a secret. Undefined when the text is valid, or the fault is far behind.
 * @example describeJsonFault('{"a": 1,}') // "line 1, column 9"
 */
export function describeJsonFault(text: string): string | undefined {
  const offset = findJsonFault(text.slice(0, MAX_SEARCHED));
  if (offset === undefined || offset >= MAX_SEARCHED) return undefined;
  const before = text.slice(0, offset).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
  return offset >= text.trimEnd().length ? `${place}, where it ends too early` : place;
}

/** What may come next: a value, a key, a colon, a comma, or the end of the text. The first value or key may be missing. */
type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

/** The offset of the first character that JSON does not allow; undefined when there is none. */
function findJsonFault(text: string): number | undefined {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let at = 0;
  const afterValue = (): Expected => (open.length === 0 ? "nothing" : "comma or end");
  for (;;) {
    while (SPACE.has(text[at] ?? "")) at += 1;
    const character = text[at];
    if (character === undefined) return expected === "nothing" ? undefined : at;
    if (expected === "nothing") return at;
    if (expected === "colon") {
      if (character !== ":") return at;
      expected = "value";
      at += 1;
    } else if (expected === "comma or end" && character === ",") {
      expected = open.at(-1) === "{" ? "key" : "value";
      at += 1;
    } else if (expected.endsWith("or end") && character === (open.at(-1) === "{" ? "}" : "]")) {
      open.pop();
      expected = afterValue();
      at += 1;
    } else if (expected === "comma or end") {
      return at;
    } else if (character === '"') {
      const end = findEndOfString(text, at);
      if (end.fault) return end.at;
      expected = expected.startsWith("key") ? "colon" : afterValue();
      at = end.at;
    } else if (expected.startsWith("key")) {
      return at;
    } else if (character === "{" || character === "[") {
      open.push(character);
      expected = character === "{" ? "key or end" : "value or end";
      at += 1;
    } else {
      LITERAL.lastIndex = at;
      if (!LITERAL.test(text)) return at;
      at = LITERAL.lastIndex;
      expected = afterValue();
    }
  }
}

/** The offset behind a string, or that of its fault. */
function findEndOfString(text: string, start: number): { at: number; fault: boolean } {
  let at = start + 1;
  for (;;) {
    const character = text[at];
    if (character === undefined || character < " ") return { at, fault: true };
    if (character === '"') return { at: at + 1, fault: false };
    if (character !== "\\") at += 1;
    else {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return { at, fault: true };
      at = ESCAPE.lastIndex;
    }
  }
}
