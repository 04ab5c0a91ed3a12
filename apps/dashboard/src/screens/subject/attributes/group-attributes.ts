import type { AttributeState } from "@muster/protocol/api/history";

export interface AttributeGroup {
  name: string;
  attributes: AttributeState[];
}

/** What a change counts as recent. */
const RECENT_MS = 24 * 3_600_000;

/** Groups attributes: those of Muster's own fields, those without a group, then the others by name. */
export function groupAttributes(
  attributes: readonly AttributeState[],
  filter: string,
  labelOf: (attribute: AttributeState) => string = () => "",
): AttributeGroup[] {
  const wanted = filter.trim().toLowerCase();
  const groups = new Map<string, AttributeState[]>();
  for (const attribute of attributes) {
    if (wanted !== "" && !matches(attribute, labelOf(attribute), wanted)) continue;
    const name = groupName(attribute);
    groups.set(name, [...(groups.get(name) ?? []), attribute]);
  }
  return [...groups]
    .map(([name, members]) => ({ name, attributes: members }))
    .sort((one, other) => rank(one.name) - rank(other.name) || (one.name < other.name ? -1 : 1));
}

/** Whether the value changed within the last day. */
export function isRecent({ changed_at }: AttributeState, now: number): boolean {
  return changed_at !== null && now - Date.parse(changed_at) < RECENT_MS;
}

/** The name without that of its group. */
export function shortName({ name, group }: AttributeState): string {
  return group === null ? name : name.slice(group.length + 1);
}

const STANDARD = "Standard";
const CUSTOM = "Attributes";

/** Custom attributes of users have a prefix in reports, those of accounts have none. */
function groupName({ group, name, key, computed }: AttributeState): string {
  if (group !== null) return group;
  return computed || (key === name && STANDARD_NAMES.has(name)) ? STANDARD : CUSTOM;
}

const STANDARD_NAMES = new Set([
  "email",
  "contact_email",
  "external_id",
  "anonymous_ids",
  "domain",
  "name",
  "first_name",
  "last_name",
  "username",
  "description",
  "phone",
  "picture",
  "tags",
  "address",
  "created_at",
  "updated_at",
]);

function rank(name: string): number {
  return name === CUSTOM ? 0 : name === STANDARD ? 2 : 1;
}

function matches({ name, value }: AttributeState, label: string, wanted: string): boolean {
  return `${name} ${label} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`
    .toLowerCase()
    .includes(wanted);
}
