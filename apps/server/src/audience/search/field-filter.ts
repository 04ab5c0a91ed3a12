import { Refusal } from "@muster/protocol";

// Each pattern is tested on each field of the answer, so there may be few of them. Names without a star cost nothing.
export const MAX_FIELDS = 1_000;
export const MAX_PATTERNS = 50;
// No field has a longer name.
const MAX_LENGTH = 512;

/**
 * A test for the names of the fields that an answer is to hold. In a name, `*` stands for any characters, also for none.
 *
 * @example fieldFilter(["email", "traits_*"])("traits_plan") // true
 */
export function fieldFilter(include: readonly string[]): (name: string) => boolean {
  const patterns = include.filter((field) => field.includes("*"));
  if (include.length > MAX_FIELDS) throw refused(`has at most ${MAX_FIELDS} fields`);
  if (patterns.length > MAX_PATTERNS) throw refused(`has at most ${MAX_PATTERNS} fields with a star`);
  if (include.some((field) => field.length > MAX_LENGTH))
    throw refused(`has names of at most ${MAX_LENGTH} characters`);
  const names = new Set(include);
  const tests = patterns.map(wildcardTest);
  // The same few names are in every document of a page.
  const known = new Map<string, boolean>();
  return (name) => {
    const found = known.get(name) ?? (names.has(name) || tests.some((fits) => fits(name)));
    known.set(name, found);
    return found;
  };
}

/** Tests a name in linear time: a regular expression with many stars would try their combinations. */
function wildcardTest(pattern: string): (name: string) => boolean {
  const parts = pattern.split(/\*+/);
  const start = parts[0] ?? "";
  const end = parts.at(-1) ?? "";
  const between = parts.slice(1, -1);
  return (name) => {
    if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false;
    let at = start.length;
    for (const part of between) {
      const found = name.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= name.length - end.length;
  };
}

function refused(message: string): Refusal {
  return new Refusal("invalid_parameter", `include ${message}.`, { details: [{ path: "body.include", message }] });
}
