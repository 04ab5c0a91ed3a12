import { isObject } from "@muster/protocol";
import type { AttributeValue } from "../attributes/attribute-values.js";
import type { StoredEvent } from "../events/stored-event.js";

/** One change of an attribute that is kept. */
export interface AttributeChange {
  from: AttributeValue;
  to: AttributeValue;
  /** When it was applied. */
  at: string;
  /** Who wrote the new value; undefined when that was not kept. */
  source: string | undefined;
}

/** The changes of an `attributes_changed` event, by attribute name. */
export function changesIn({ properties, context, created_at: at }: StoredEvent): Map<string, AttributeChange> {
  const changes = isObject(properties.changes) ? properties.changes : {};
  const sources = isObject(context.written_by_attribute) ? context.written_by_attribute : {};
  const found = new Map<string, AttributeChange>();
  for (const [name, change] of Object.entries(changes)) {
    if (!isObject(change)) continue;
    const source = sources[name] ?? context.written_by;
    found.set(name, {
      from: (change.from ?? null) as AttributeValue,
      to: (change.to ?? null) as AttributeValue,
      at,
      source: typeof source === "string" ? source : undefined,
    });
  }
  return found;
}

/** The changes of each attribute in these events, in their order. */
export function historyOf(events: readonly StoredEvent[]): Map<string, AttributeChange[]> {
  const history = new Map<string, AttributeChange[]>();
  for (const event of events) {
    for (const [name, change] of changesIn(event)) {
      const known = history.get(name);
      if (known) known.push(change);
      else history.set(name, [change]);
    }
  }
  return history;
}
