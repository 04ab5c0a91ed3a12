import { LIMITS } from "../limits.js";
import { QueryError } from "../query-error.js";

/**
 * The regular expressions that are allowed: literals, `.`, classes, groups, alternatives, anchors and repetition. The
 * engine runs them in linear time. What it does not support (look-around, back-references) or builds slowly (huge
 * repetitions) is refused here, so that a bad pattern is an error of the caller and not of the engine.
 */
const PUNCTUATION = "[\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e]";
const ESCAPE = `\\\\(?:[dDwWsStnrf]|${PUNCTUATION})`;
const ATOM = new RegExp(
  `\\\\[bB]|${ESCAPE}|(?<group>\\((?:\\?:)?)|(?<close>\\))|(?<class>\\[(?!\\^?\\])\\^?(?:${ESCAPE}|[^\\]\\\\[])+\\])|(?<bar>\\|)|[^\\\\()[|*+?{]`,
  "uy",
);
const REPETITION = /[*+?]\??|\{(?<from>\d{1,4})(?:,(?<to>\d{1,4})?)?\}\??/y;

export function checkRegexp(pattern: string, path: string): void {
  const refuse = (reason: string) => new QueryError(path, `expected a regular expression; ${reason}`);
  // The number of atoms in each open group; the first is the whole pattern.
  const open = [0];
  let at = 0;
  while (at < pattern.length) {
    ATOM.lastIndex = at;
    const atom = ATOM.exec(pattern);
    if (atom === null) throw refuse(`"${pattern.slice(at, at + 10)}" is not supported`);
    at = ATOM.lastIndex;
    const { group, close, class: characters, bar } = atom.groups ?? {};
    if (bar !== undefined) continue;
    if (group !== undefined) {
      open.push(0);
      continue;
    }
    if (characters !== undefined && hasReversedRange(characters)) throw refuse(`${characters} has a reversed range`);
    const inside = close === undefined ? 1 : (open.pop() ?? 0);
    if (open.length === 0) throw refuse("a closing bracket has no opening bracket");
    REPETITION.lastIndex = at;
    const repetition = REPETITION.exec(pattern);
    if (repetition !== null) at = REPETITION.lastIndex;
    const { from = "1", to = from } = repetition?.groups ?? {};
    if (Number(to) < Number(from)) throw refuse("a repetition ends before it begins");
    const atoms = (open.pop() ?? 0) + Math.max(1, inside) * Math.max(1, Number(to));
    if (atoms > LIMITS.regexpLength)
      throw refuse(`it is longer than ${LIMITS.regexpLength} characters when repetitions are written out`);
    open.push(atoms);
  }
  if (open.length > 1) throw refuse("an opening bracket has no closing bracket");
}

function hasReversedRange(characters: string): boolean {
  const tokens = characters.slice(1, -1).replace(/^\^/, "").match(/\\.|./gsu) ?? [];
  return tokens.some((token, index) => {
    const end = tokens[index + 2];
    return tokens[index + 1] === "-" && end !== undefined && codeOf(token) > codeOf(end);
  });
}

function codeOf(token: string): number {
  return (token.startsWith("\\") && token.length > 1 ? token.slice(1) : token).codePointAt(0) ?? 0;
}
