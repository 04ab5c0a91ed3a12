import { withUserAttributePrefix } from "@muster/protocol";
import {
  type ChangeSet,
  type ProjectionStep,
  type StoredEvent,
  type SubjectDocument,
  stepOf,
} from "../lib/questions.js";
import { storedEvent, typeOf, userDocument } from "./generate.js";
import { trackOf, traitsOf } from "./records.js";

export interface MicroBatchOptions {
  /** The number of generated users. */
  users: number;
  /** The number of users that a micro-batch changes. */
  size: number;
  /** The sequence of the last change that was written. */
  sequence: number;
}

/** Micro-batches of the records of the ingest load: random users, each with new attributes and an event. */
export class MicroBatches {
  readonly #options: MicroBatchOptions;
  #sequence: number;
  #count = 0;

  constructor(options: MicroBatchOptions) {
    this.#options = options;
    this.#sequence = options.sequence;
  }

  next(more: Pick<Partial<ChangeSet>, "replaced"> = {}): ProjectionStep {
    const { users, size } = this.#options;
    const touched = new Set<number>();
    while (touched.size < Math.min(size, users)) touched.add(Math.floor(Math.random() * users));
    const documents: SubjectDocument[] = [];
    const events: StoredEvent[] = [];
    const sequence = ++this.#sequence;
    for (const user of touched) {
      const count = this.#count++;
      documents.push(documentOf(user, count, sequence));
      events.push(eventOf(user, count));
    }
    return stepOf(sequence, { users: documents, events, ...more }, typeOf);
  }
}

function documentOf(user: number, count: number, version: number): SubjectDocument {
  const { first_name, ...traits } = JSON.parse(traitsOf(user, count)) as Record<string, string | number | boolean>;
  const document = userDocument(user, version);
  const { report } = document;
  report.first_name = first_name ?? null;
  for (const [name, value] of Object.entries(traits)) report[withUserAttributePrefix(name)] = value;
  const now = new Date().toISOString();
  report.updated_at = now;
  report.indexed_at = now;
  report.last_seen_at = now;
  return document;
}

function eventOf(user: number, count: number): StoredEvent {
  const { event, properties, ip, url } = JSON.parse(trackOf(count)) as Pick<StoredEvent, "event" | "properties"> & {
    ip: string;
    url: string;
  };
  const context = { ip, page: { url } };
  return storedEvent({ number: count, user, atMs: Date.now(), event, account_id: null, properties, context });
}
