import type { Choice } from "./read-setting.js";

const USER_PREFIX = "traits_";

/** The attributes to choose from, by group. With `source`, those of one group come alone. */
export function attributeChoices(keys: readonly string[], source: string | undefined): Choice[] {
  const choices = keys.map((key) => ({ value: key, label: bareName(key), group: groupOf(key) }));
  if (source === undefined) return choices;
  const own = choices.filter(({ group }) => group === source);
  // A group that has no attributes yet would leave nothing to choose.
  return own.length > 0 ? own : choices;
}

/** The key of an attribute that somebody has made up. In a mapping with a source it is in the source's group. */
export function newAttributeKey(typed: string, subject: "user" | "account", source: string | undefined): string {
  const name = typed.trim();
  const isComplete = source === undefined || name.includes("/") || name.startsWith(USER_PREFIX);
  if (isComplete) return name;
  return subject === "user" ? `${USER_PREFIX}${source}/${name}` : `${source}/${name}`;
}

function bareName(key: string): string {
  return key.startsWith(USER_PREFIX) ? key.slice(USER_PREFIX.length) : key;
}

function groupOf(key: string): string | undefined {
  const name = bareName(key);
  const slash = name.indexOf("/");
  return slash > 0 ? name.slice(0, slash) : undefined;
}
