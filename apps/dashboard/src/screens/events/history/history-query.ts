import type { JsonObject } from "@muster/protocol/api/schema";

/** What somebody has typed and chosen above the list of events. Empty: any. */
export interface HistoryFilter {
  event: string;
  /** An e-mail address, an id, an external id or an anonymous id. */
  user: string;
  property: string;
  value: string;
  /** How far back, as in `now-7d`. */
  since: string;
}

/** The question about events that a filter asks. */
export function historyQuery({ event, user, property, value, since }: HistoryFilter): JsonObject {
  const must: JsonObject[] = [];
  if (event !== "") must.push({ term: { event } });
  if (user !== "") must.push(ofUser(user.trim()));
  if (property !== "") {
    const field = `properties.${property.trim()}`;
    must.push(value === "" ? { exists: { field } } : { terms: { [field]: readings(value.trim()) } });
  }
  if (since !== "") must.push({ range: { created_at: { gte: since } } });
  return { bool: { must } };
}

function ofUser(text: string): JsonObject {
  const should = [
    { term: { email: text } },
    { term: { email: text.toLowerCase() } },
    { term: { external_id: text } },
    { term: { anonymous_ids: text } },
    { term: { id: text } },
  ];
  return { has_parent: { parent_type: "user_report", query: { bool: { should, minimum_should_match: 1 } } } };
}

/** A property has no fixed type, so what is typed may be a text, a number or a boolean. */
function readings(text: string): (string | number | boolean)[] {
  const number = Number(text);
  return [
    text,
    ...(text !== "" && Number.isFinite(number) ? [number] : []),
    ...(text === "true" || text === "false" ? [text === "true"] : []),
  ];
}
