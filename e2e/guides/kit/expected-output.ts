const ANYTHING = "…";

/**
 * Why the output is not the expected one, or undefined when it is.
 *
 * The lines of an expected text must come in the output, in their order. `…` stands for anything in a line. Spaces
 * count as one.
 */
export function textProblem(expected: string, output: string): string | undefined {
  const lines = output.split("\n").map(oneSpace);
  let from = 0;
  for (const line of expected.split("\n").map(oneSpace)) {
    if (line === "" || line === ANYTHING) continue;
    const found = lines.findIndex((each, index) => index >= from && fits(line, each));
    if (found < 0) return `the output has no line "${line}"${from === 0 ? "" : " after the lines before it"}.`;
    from = found + 1;
  }
  return undefined;
}

/**
 * Why the output is not the expected JSON, or undefined when it is.
 *
 * Objects may have more keys than the expected ones. The string `…` equals anything, and stands for anything inside a
 * longer string. Text before the document is allowed, so that a block can print more than the answer.
 */
export function jsonProblem(expected: string, output: string): string | undefined {
  const printed = lastDocument(output);
  if (printed === undefined) return "the output does not end with a JSON document.";
  return difference(JSON.parse(expected), printed.value, "$");
}

function lastDocument(output: string): { value: unknown } | undefined {
  const lines = output.trim().split("\n");
  for (let start = 0; start < lines.length; start++) {
    try {
      return { value: JSON.parse(lines.slice(start).join("\n")) };
    } catch {
      // The document may begin at a later line.
    }
  }
  return undefined;
}

function difference(expected: unknown, actual: unknown, path: string): string | undefined {
  if (typeof expected === "string") {
    const equal = expected === ANYTHING || (typeof actual === "string" && fits(expected, actual));
    return equal ? undefined : unequal(expected, actual, path);
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return unequal(expected, actual, path);
    return firstProblem(expected.map((item, index) => difference(item, actual[index], `${path}[${index}]`)));
  }
  if (isObject(expected)) {
    if (!isObject(actual)) return unequal(expected, actual, path);
    return firstProblem(
      Object.entries(expected).map(([key, value]) =>
        key in actual ? difference(value, actual[key], `${path}.${key}`) : `${path}.${key} is missing.`,
      ),
    );
  }
  return expected === actual ? undefined : unequal(expected, actual, path);
}

function firstProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function unequal(expected: unknown, actual: unknown, path: string): string {
  return `${path} is ${JSON.stringify(actual)}, and not ${JSON.stringify(expected)}.`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split(ANYTHING);
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function oneSpace(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}
