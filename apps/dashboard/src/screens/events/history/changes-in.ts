import type { SubjectType } from "@muster/protocol";
import type { Event } from "@muster/protocol/api/events";
import { asObject } from "../../../ui/code/json-parts.js";
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
  const changes = asObject((properties as { changes?: unknown }).changes);
  if (event_source !== "platform" || !changes) return undefined;
  const known = fields[user_id === "" ? "account" : "user"];
  return Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const label = known.find(({ key }) => attributeName(key) === name)?.label || name;
      const { from, to } = asObject(change) ?? {};
      return [label, showChange(from, to)];
    }),
  );
}
