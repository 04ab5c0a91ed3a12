import { SEGMENT_EVENTS } from "@muster/protocol";
import type { Database } from "../storage/postgres/database.js";
import { listEventDefinitions } from "../storage/postgres/definitions/event-definitions.js";
import type { Questions } from "../storage/questions/questions.js";

/** An event of the organization, for pickers. */
export interface EventLine {
  name: string;
  properties: { name: string; type: string }[];
  count: number;
  created_at: string;
  updated_at: string;
  /** Whether the platform makes it. */
  emitted: boolean;
}

// What evaluation writes never passes the applier, which keeps the definitions of all others.
const EVALUATION_EVENTS: readonly string[] = Object.values(SEGMENT_EVENTS);
const EVALUATION_PROPERTIES = { segment_id: "string", segment_name: "string" };

/** Every event that was seen, with its properties and how often it was recorded, by name. */
export async function listEvents(
  { database, questions }: { database: Database; questions: Questions },
  organizationId: string,
): Promise<EventLine[]> {
  const [definitions, counts] = await Promise.all([
    listEventDefinitions(database, organizationId),
    questions.countEventsByName(organizationId),
  ]);
  const counted = new Map(counts.map((count) => [count.event, count]));
  const defined = definitions.map(({ name, properties, createdAt, updatedAt }) => ({
    name,
    properties: propertiesOf(properties),
    count: counted.get(name)?.count ?? 0,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    emitted: counted.get(name)?.emitted ?? false,
  }));
  const known = new Set(definitions.map(({ name }) => name));
  const evaluated = counts
    .filter(({ event }) => EVALUATION_EVENTS.includes(event) && !known.has(event))
    .map(({ event, count, emitted, firstAt, lastAt }) => ({
      name: event,
      properties: propertiesOf(EVALUATION_PROPERTIES),
      count,
      created_at: firstAt,
      updated_at: lastAt,
      emitted,
    }));
  return [...defined, ...evaluated].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function propertiesOf(properties: Record<string, string>): { name: string; type: string }[] {
  return Object.entries(properties)
    .map(([name, type]) => ({ name, type }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
