import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChangeSet } from "../../../../domain/changes/change-set.js";
import { ownEvent } from "../../../../domain/events/own-event.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, nameOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, changeOf, eventOf, stepOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const [ann, bob, acme, globex] = [idOf("ann"), idOf("bob"), idOf("acme"), idOf("globex")];
/** A user who was merged into Ann. */
const former = idOf("former");

function noteAbout(accountId: string) {
  return ownEvent({
    event: "Account updated",
    subjectType: "account",
    subjectId: accountId,
    about: accountId,
    sequence: 1,
    at: Date.parse("2024-06-01T00:00:00.000Z"),
    properties: {},
  });
}

/** Ann and Bob of the account Acme, and the account Globex. Each has events and is in a segment. */
async function open(): Promise<Organization> {
  const organization = await openOrganization(questions, { user: { traits_plan: "string" } });
  await organization.write(
    {
      events: [
        eventOf(idOf("of ann"), ann, { account_id: acme }),
        eventOf(idOf("of former"), former),
        eventOf(idOf("of bob"), bob, { account_id: acme }),
        noteAbout(acme),
        noteAbout(globex),
      ],
    },
    {
      users: { written: [userDocument(ann, { traits_plan: "pro" }, { accountId: acme }), userDocument(bob, {})] },
      accounts: { written: [accountDocument(acme, {}), accountDocument(globex, {})] },
    },
  );
  await organization.write({ merges: [{ kind: "user", survivor: ann, loser: former, hasEvents: true }] });
  const [users, accounts] = [
    evaluationOf("buyers", { entered: ["ann", "bob"] }),
    evaluationOf("partners", { subjectType: "account", entered: ["acme", "globex"] }),
  ];
  await organization.write({ evaluation: { ...users, moves: [...users.moves, ...accounts.moves] } });
  return organization;
}

async function look(organization: Organization) {
  const members = async (segment: string) =>
    (await questions.membersAfter(organization.id, idOf(segment), "", 10)).map(nameOf).join(" ");
  return {
    users: await organization.find({}),
    accounts: await organization.find({}, "account"),
    orders: await organization.find({ term: { event: "Order" } }, "event"),
    notes: await organization.count({ term: { event: "Account updated" } }, "event"),
    entries: await organization.count({ term: { event: "Entered segment" } }, "event"),
    buyers: await members("buyers"),
    partners: await members("partners"),
  };
}

const EVERYTHING = {
  users: "ann bob",
  accounts: "acme globex",
  orders: "of ann of bob of former",
  notes: 2,
  entries: 4,
  buyers: "ann bob",
  partners: "acme globex",
};
const WITHOUT_ANN = { ...EVERYTHING, users: "bob", orders: "of bob", entries: 3, buyers: "bob" };
const WITHOUT_ACME = { ...EVERYTHING, accounts: "globex", notes: 1, entries: 3, partners: "globex" };

describe("erasing", () => {
  test("nobody, or an unknown id, deletes nothing", async () => {
    const organization = await open();
    await questions.erase(organization.id, []);
    await questions.erase(organization.id, [idOf("unknown")]);
    expect(await look(organization)).toEqual(EVERYTHING);
  });

  test("a user deletes the document, all events and all memberships, in one organization only", async () => {
    const [organization, other] = [await open(), await open()];
    const before = await questions.progress(organization.id);
    await questions.erase(organization.id, [ann, former]);
    await questions.erase(organization.id, [ann, former]);
    expect(await look(organization)).toEqual(WITHOUT_ANN);
    expect((await questions.countAttributes(organization.id, "user")).counts.get("traits_plan") ?? 0).toBe(0);
    expect(await questions.progress(organization.id)).toEqual(before);
    expect(await look(other)).toEqual(EVERYTHING);
  });

  test("the id of a merged user deletes the events that came from that user", async () => {
    const organization = await open();
    await questions.erase(organization.id, [former]);
    expect(await look(organization)).toEqual({ ...EVERYTHING, orders: "of ann of bob" });
  });

  test("an account deletes Muster's events about it, and not the events of its users", async () => {
    const organization = await open();
    await questions.erase(organization.id, [acme]);
    expect(await look(organization)).toEqual(WITHOUT_ACME);
  });

  test("is done by a change with removed subjects", async () => {
    const organization = await open();
    const removed: ChangeSet["removed"] = [{ kind: "user", id: ann, formerIds: [former] }];
    await organization.write({ removed }, { users: { gone: [ann] } });
    expect(await look(organization)).toEqual(WITHOUT_ANN);

    const account = await open();
    await account.write({ removed: [{ kind: "account", id: acme, formerIds: [] }] }, { accounts: { gone: [acme] } });
    expect(await look(account)).toEqual(WITHOUT_ACME);
  });

  test("deletes events from earlier in the same step", async () => {
    const organization = await open();
    await questions.writeChanges(
      organization.id,
      stepOf(
        [
          changeOf(4, { events: [eventOf(idOf("of ann 2"), ann)] }),
          changeOf(5, { removed: [{ kind: "user", id: ann, formerIds: [former] }] }),
        ],
        { users: { gone: [ann] } },
      ),
    );
    expect(await look(organization)).toEqual(WITHOUT_ANN);
  });
});
