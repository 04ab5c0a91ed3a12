import { type Audience, openAudience } from "../audience/open-audience.js";
import type { Entry } from "../domain/entries/entry.js";
import { findMember } from "../storage/postgres/members/members.js";
import type { TestServer } from "./test-server.js";

export interface TestAudience extends Audience {
  /** The entries that the services have written. They are not applied. */
  written: Entry[];
}

/** The services of the audience on the databases of a test server. */
export function openTestAudience({ database, questions }: TestServer): TestAudience {
  const written: Entry[] = [];
  const audience = openAudience({
    database,
    questions,
    logRetentionDays: 14,
    maxAttributes: 1_000,
    maxEntities: 1_000,
    maxComputedAttributes: 200,
    maxSegments: 1_000,
    writer: {
      async accept(_organizationId, entry) {
        written.push(entry);
        return `l${written.length}`;
      },
      async waitFor() {},
    },
    async findConnector(organizationId, id) {
      const { rows } = await database.query<{ name: string }>(
        "select name from connectors where organization_id = $1 and id = $2",
        [organizationId, id],
      );
      return rows[0];
    },
    findMember: (id) => findMember(database, id),
    async onSegmentChange() {},
    onComputedChange() {},
    listenersOf: () => [],
  });
  return { ...audience, written };
}
