import { createId } from "@muster/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTestDatabase } from "../../../testing/test-database.js";
import type { Database } from "../database.js";
import { createOrganization } from "../objects/organizations.js";
import { type BatchPlace, FIRST_BATCH, removeUnusedBatches } from "./unused-batches.js";

let database: Database;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

/** Stores batches that are an hour old. Every third one is in a queue. */
async function store(namespace: string, count: number): Promise<void> {
  const { id } = await createOrganization(database, { namespace, name: namespace });
  const connectorId = createId("connector");
  await database.query("insert into connectors (organization_id, id, name, sealed_secret) values ($1, $2, '', '')", [
    id,
    connectorId,
  ]);
  await database.query(
    `with batches as (
       insert into message_batches (organization_id, is_export, payload, created_at)
       select $1, false, '', now() - interval '1 hour' from generate_series(1, $3)
       returning id
     )
     insert into outbox (organization_id, connector_id, batch_id, url, channel, chosen)
     select $1, $2, id, '/', '', '{0}' from batches where id % 3 = 0`,
    [id, connectorId, count],
  );
}

test("a pass over all pages removes the batches that no queue needs, and no others", async () => {
  await store("acme", 2_500);
  await store("globex", 2_500);
  await database.query(
    "insert into message_batches (organization_id, is_export, payload) select id, false, '' from organizations",
  );
  let pages = 0;
  for (let place: BatchPlace | undefined = FIRST_BATCH; place; pages++) {
    ({ last: place } = await removeUnusedBatches(database, place));
  }
  // Three pages, and one that is empty.
  expect(pages).toBe(4);
  const { rows } = await database.query(
    `select count(*) filter (where o.batch_id is not null)::integer as used,
            count(*) filter (where o.batch_id is null)::integer as new
     from message_batches b
     left join outbox o on o.organization_id = b.organization_id and o.batch_id = b.id`,
  );
  expect(rows).toEqual([{ used: 1_666, new: 2 }]);
});
