import { isObject } from "@muster/protocol";
import { readDate } from "../attributes/read-date.js";

/** A property of an event as clients of the service before Muster read it: the name of the value is its type. */
type OlderProperty = { field_name: string } & (
  | { text_value: string }
  | { num_value: number }
  | { bool_value: boolean }
  | { date_value: string }
);

/** A found event with the keys that clients of the service before Muster read, beside its own. */
export function withOlderKeys<Event extends Record<string, unknown>>(event: Event): Event & Record<string, unknown> {
  const properties = isObject(event.properties) ? event.properties : {};
  const context = isObject(event.context) ? event.context : {};
  return {
    ...event,
    source: event.event_source,
    type: event.event_type,
    props: Object.entries(properties).flatMap(([name, value]) => olderProperty(name, value)),
    context: { ...flatContext(context), ...context },
  };
}

function olderProperty(name: string, value: unknown): OlderProperty[] {
  const field = { field_name: name };
  switch (typeof value) {
    case "number":
      return [{ ...field, num_value: value }];
    case "boolean":
      return [{ ...field, bool_value: value }];
    case "string": {
      const time = /_(at|date)$/.test(name) ? readDate(value) : undefined;
      return [
        time === undefined ? { ...field, text_value: value } : { ...field, date_value: new Date(time).toISOString() },
      ];
    }
    default:
      return value === null || value === undefined ? [] : [{ ...field, text_value: JSON.stringify(value) }];
  }
}

/** The nested parts of a context by flat names: the `url` of `page` is `page_url`. */
function flatContext(context: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(context).flatMap(([part, values]) =>
      isObject(values)
        ? Object.entries(values).map(([name, value]): [string, unknown] => [`${part}_${name}`, value])
        : [],
    ),
  );
}
