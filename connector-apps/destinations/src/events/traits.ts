import { withoutUserAttributePrefix } from "@muster/protocol";

/** What is told elsewhere in an event, or says nothing to a service. */
const LEFT_OUT = new Set([
  "id",
  "external_id",
  "anonymous_ids",
  "segment_ids",
  "segments",
  "account",
  "identifiers",
  "merged_ids",
]);
/** The names that mappings of the package look for, beside our own. */
const ALIASES: Readonly<Record<string, string>> = {
  first_name: "firstName",
  last_name: "lastName",
  created_at: "createdAt",
  picture: "avatar",
};

/**
 * The attributes of a user or an account as traits. A group of attributes such as `crm/stage` becomes an object, because the
 * paths of mappings have dots.
 */
export function traitsOf(report: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const traits: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(report)) {
    if (LEFT_OUT.has(key) || value === null || value === undefined) continue;
    const name = withoutUserAttributePrefix(key);
    const [group = "", ...rest] = name.split("/");
    if (rest.length === 0) traits[name] = value;
    else addTo(traits, group, rest.join("/"), value);
    const alias = ALIASES[name];
    if (alias !== undefined && report[alias] === undefined) traits[alias] = value;
  }
  return traits;
}

function addTo(traits: Record<string, unknown>, group: string, name: string, value: unknown): void {
  const existing = traits[group];
  if (typeof existing === "object" && existing !== null) (existing as Record<string, unknown>)[name] = value;
  // An attribute may have the name of a group. Then the grouped one keeps its whole name.
  else if (existing === undefined) traits[group] = { [name]: value };
  else traits[`${group}/${name}`] = value;
}
