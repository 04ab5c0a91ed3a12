/** One field of a change: its path, what it was and what it became. `undefined` means that it was not there. */
export interface FieldChange {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

/** The fields of a change, one line each. Objects are taken apart, lists are not. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [was, became] = [flatten(before), flatten(after)];
  const paths = [...new Set([...was.keys(), ...became.keys()])];
  return paths.map((path) => ({ path, before: was.get(path), after: became.get(path) }));
}

function flatten(value: unknown, path = ""): Map<string, string> {
  if (value === null || value === undefined) return path === "" ? new Map() : new Map([[path, "null"]]);
  if (typeof value !== "object" || Array.isArray(value)) return new Map([[path, textOf(value)]]);
  const fields = Object.entries(value);
  if (fields.length === 0 && path !== "") return new Map([[path, "{}"]]);
  return new Map(fields.flatMap(([name, one]) => [...flatten(one, path === "" ? name : `${path}.${name}`)]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
