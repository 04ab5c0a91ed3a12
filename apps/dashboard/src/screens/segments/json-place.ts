import { parseJson } from "@muster/protocol";
/**
 * The line of a place in JSON text, counted from 1; the nearest place above it when the text does not have it.
 * @example lineOfPath('{\n  "type": "some"\n}', "predicate.type") // 2
 */
export function lineOfPath(text: string, path: string): number {
  const [, ...keys] = path.split(".");
  let from = 0;
  let line = 1;
  let rest: unknown = parseJson(text);
  for (const key of keys) {
    if (typeof rest !== "object" || rest === null) break;
    const found = Array.isArray(rest) ? placeOfElement(text, from, Number(key)) : placeOfKey(text, from, key);
    if (found === undefined) break;
    from = found;
    line = text.slice(0, found).split("\n").length;
    rest = (rest as Record<string, unknown>)[key];
  }
  return line;
}

/** Where the value of a key begins, in the object that begins at or after `from`. */
function placeOfKey(text: string, from: number, key: string): number | undefined {
  for (const { at, depth, isString, end } of tokens(text, from)) {
    if (depth < 1) continue;
    if (depth === 1 && isString && text.slice(at, end) === JSON.stringify(key)) {
      const colon = /^\s*:\s*/.exec(text.slice(end));
      if (colon) return end + colon[0].length;
    }
  }
  return undefined;
}

/** Where an element begins, in the list that begins at or after `from`. */
function placeOfElement(text: string, from: number, index: number): number | undefined {
  let count = 0;
  let isNext = false;
  for (const { at, depth, character } of tokens(text, from)) {
    if (character === "[" && depth === 1 && !isNext && count === 0) {
      if (index === 0) return at + 1 + (/^\s*/.exec(text.slice(at + 1))?.[0].length ?? 0);
      isNext = true;
    } else if (character === "," && depth === 1) {
      count += 1;
      if (count === index) return at + 1 + (/^\s*/.exec(text.slice(at + 1))?.[0].length ?? 0);
    }
  }
  return undefined;
}

interface Token {
  at: number;
  end: number;
  character: string;
  /** How many brackets are open here, counted from the start of the search. */
  depth: number;
  isString: boolean;
}

function* tokens(text: string, from: number): Generator<Token> {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') {
      const end = endOfString(text, at);
      yield { at, end, character, depth, isString: true };
      at = end - 1;
      continue;
    }
    if (character === "{" || character === "[") depth += 1;
    if (/[{}[\],]/.test(character)) yield { at, end: at + 1, character, depth, isString: false };
    if (character === "}" || character === "]") depth -= 1;
    if (depth === 0 && (character === "}" || character === "]")) return;
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
