import type { SubjectType } from "@muster/protocol";
import type { Event } from "@muster/protocol/api/events";
import { showChange } from "../../../ui/text/show-value.js";
import { attributeName } from "../../../ui/text/words.js";

type Fields = Readonly<Record<SubjectType, readonly { key: string; label: string }[]>>;

/**
 * What an event about changed attributes says: each attribute as people call it, with its change as "free → pro".
 * Undefined for other events.
 */
export function changesIn(
  { event_source, user_id, properties }: Pick<Event, "event_source" | "user_id" | "properties">,
  fields: Fields,
): Record<string, string> | undefined {
  const { changes } = properties as { changes?: unknown };
  if (event_source !== "platform" || !isObject(changes)) return undefined;
  const known = fields[user_id === "" ? "account" : "user"];
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const label = known.find(({ key }) => attributeName(key) === name)?.label || name;
      const { from, to } = isObject(change) ? change : {};
      return [label, showChange(from, to)];
    }),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
