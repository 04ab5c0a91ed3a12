import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { evaluationEvents } from "../../../../domain/changes/evaluation-events.js";
import { isClickhouse } from "../../../../testing/is-clickhouse.js";
import { evaluationOf, idOf, openOrganization } from "../../contract/organization.test.kit.js";
import { eventOf, userDocument } from "../../contract/steps.test.kit.js";
import type { Questions } from "../../questions.js";
import { openClickHouseQuestions } from "../clickhouse-questions.js";
import { Statements } from "../client/statements.js";
import { openChdbClient } from "../testing/open-chdb.js";

const [ann, former] = [idOf("ann"), idOf("former")];

describe.runIf(isClickhouse)("the versions of the rows of an erased user", () => {
  let questions: Questions;
  let statements: Statements;

  beforeAll(async () => {
    const client = await openChdbClient();
    questions = await openClickHouseQuestions({ eventsOf: evaluationEvents, client });
    statements = new Statements(client, {});
  });
  afterAll(() => questions.close());

  async function versions(): Promise<Record<string, number>> {
    const counts = ["users", "events", "memberships"].map(async (table) => {
      const [row] = await statements.rows<{ count: number }>(`select count() as count from ${table}`);
      return [table, row?.count];
    });
    return Object.fromEntries(await Promise.all(counts));
  }

  test("are hidden by a change, and all deleted when the user is erased", async () => {
    const organization = await openOrganization(questions, {});
    const events = [eventOf(idOf("of ann"), ann), eventOf(idOf("of former"), former)];
    await organization.write({ events }, { users: { written: [userDocument(ann, {})] } });
    await organization.write({ merges: [{ kind: "user", survivor: ann, loser: former, hasEvents: true }] });
    await organization.write({ evaluation: evaluationOf("buyers", { entered: ["ann"] }) });
    await organization.write(
      { removed: [{ kind: "user", id: ann, formerIds: [former] }] },
      { users: { gone: [ann, former] } },
    );
    expect(await organization.count({}, "event")).toBe(0);
    expect((await versions()).events).toBeGreaterThan(0);

    await questions.erase(organization.id, [ann, former]);
    // The rows that hide the two ids stay, without content.
    expect(await versions()).toEqual({ users: 2, events: 0, memberships: 0 });
    expect(await visibleRows()).toBe(0);

    // A writer that was suspended before the erasure inserts what it had in memory.
    await questions.writeDocuments(
      organization.id,
      [userDocument(ann, {})],
      { kind: "user", afterId: "" },
      () => undefined,
    );
    expect(await organization.count()).toBe(0);
    await questions.erase(organization.id, [ann, former]);
    expect(await visibleRows()).toBe(0);
  });

  /** Rows that are not there only to hide others. */
  async function visibleRows(): Promise<number | undefined> {
    const [row] = await statements.rows<{ count: number }>("select countIf(is_deleted = 0) as count from users");
    return row?.count;
  }
});
