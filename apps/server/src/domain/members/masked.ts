import { isObject } from "@muster/protocol";

/** What stands in place of a secret. */
export const MASK = "********";

const SECRET_NAME = /secret|password|passphrase|token|credential|authorization|(?:api|write)_?key|private|cookie/i;
const MAX_LENGTH = 4_000;

/** A value without what may be secret: texts under telling names, and credentials in addresses. */
export function masked(value: unknown): unknown {
  if (typeof value === "string") return withoutCredentials(value);
  if (Array.isArray(value)) return value.map(masked);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, SECRET_NAME.test(name) ? maskAll(one) : masked(one)]),
  );
}

/** A masked value that is short enough to be kept; a longer one is cut to the beginning of its text. */
export function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= MAX_LENGTH ? value : { cut: text.slice(0, MAX_LENGTH) };
}

/** Hides every value, and keeps the names of fields. */
function maskAll(value: unknown): unknown {
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskAll(one)]));
  return value === null || value === undefined || value === "" ? value : MASK;
}

/** An address without its user, password and query, which often hold a token. Other texts stay as they are. */
function withoutCredentials(text: string): string {
  if (!/^[a-z][a-z+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.username === "" && url.password === "" && url.search === "") return text;
  url.username = "";
  url.password = "";
  url.search = url.search === "" ? "" : `?${MASK}`;
  return url.href;
}
