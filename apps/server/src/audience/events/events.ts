import { SEGMENT_EVENTS } from "@muster/protocol";
import type { EventName as EventSummary } from "@muster/protocol/api/events";
import type { StoredEvent } from "../../domain/events/stored-event.js";
import type { Database } from "../../storage/postgres/database.js";
import { listEventDefinitions } from "../../storage/postgres/definitions/event-definitions.js";
import type { Questions } from "../../storage/questions/questions.js";

export interface EventsOptions {
  database: Database;
  questions: Questions;
}

// The applier stores the definitions of the events that it applies. Evaluation writes its events without the applier.
const EVALUATION_EVENTS: readonly string[] = Object.values(SEGMENT_EVENTS);
const EVALUATION_PROPERTIES = { segment_id: "string", segment_name: "string" };

/** What users did. */
export class Events {
  readonly #options: EventsOptions;

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  find(organizationId: string, id: string): Promise<StoredEvent | undefined> {
    return this.#options.questions.findEvent(organizationId, id);
  }

  /** A page of the event names that are listed, in alphabetical order, or all of them. */
  async list(
    organizationId: string,
    page?: { limit: number; offset: number },
  ): Promise<{ total: number; events: EventSummary[] }> {
    const { database, questions } = this.#options;
    const evaluated = (await questions.countEventsByName(organizationId, EVALUATION_EVENTS)).map(
      ({ event, firstAt, lastAt }) => ({
        name: event,
        properties: EVALUATION_PROPERTIES,
        createdAt: new Date(firstAt),
        updatedAt: new Date(lastAt),
      }),
    );
    const { total, definitions } = await listEventDefinitions(database, organizationId, evaluated, page);
    const names = definitions.map(({ name }) => name);
    const counts = await questions.countEventsByName(organizationId, names);
    const counted = new Map(counts.map((count) => [count.event, count]));
    const events = definitions.map(({ name, properties, createdAt, updatedAt }) => ({
      name,
      properties: propertiesOf(properties),
      count: counted.get(name)?.count ?? 0,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
      emitted: counted.get(name)?.emitted ?? false,
    }));
    return { total, events };
  }
}

function propertiesOf(properties: Record<string, string>): { name: string; type: string }[] {
  return Object.entries(properties)
    .map(([name, type]) => ({ name, type }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}
