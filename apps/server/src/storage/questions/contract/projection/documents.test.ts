import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { accountDocument, eventOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const [ann, bob, acme, globex] = [idOf("ann"), idOf("bob"), idOf("acme"), idOf("globex")];

async function open(): Promise<Organization> {
  return openOrganization(questions, {
    user: { traits_plan: "string", traits_mrr: "numeric" },
    account: { tier: "string" },
  });
}

describe("a newer document", () => {
  test("replaces the older one", async () => {
    const organization = await open();
    await organization.writeUsers(userDocument(ann, { name: "Ann", traits_plan: "free", traits_mrr: 1 }));
    await organization.writeUsers(userDocument(ann, { name: "Ann Lee", traits_plan: "pro" }, { version: 2 }));
    expect(await organization.find({ term: { plan: "free" } })).toBe("");
    expect(await organization.find({ term: { plan: "pro" } })).toBe("ann");
    expect(await organization.find({ match: { name: "lee" } })).toBe("ann");
    expect(await organization.find({ exists: { field: "mrr" } })).toBe("");
    expect(await organization.count({})).toBe(1);
    expect(await organization.read(ann)).toEqual(userDocument(ann, { name: "Ann Lee", traits_plan: "pro" }).report);
  });

  test("may replace another many times", async () => {
    const organization = await open();
    for (let mrr = 1; mrr <= 20; mrr += 1) {
      await organization.writeUsers(userDocument(ann, { traits_mrr: mrr }, { version: mrr }));
    }
    expect(await organization.count({ exists: { field: "mrr" } })).toBe(1);
    expect(await organization.find({ term: { mrr: 20 } })).toBe("ann");
  });

  test("of an account is shown with its users", async () => {
    const organization = await open();
    await organization.write(
      {},
      {
        users: { written: [userDocument(ann, {}, { accountId: acme })] },
        accounts: { written: [accountDocument(acme, { tier: "gold" })] },
      },
    );
    await organization.writeAccounts(accountDocument(acme, { tier: "silver" }, { version: 2 }));
    expect(await organization.find({ term: { "account.tier": "gold" } })).toBe("");
    expect(await organization.find({ term: { "account.tier": "silver" } })).toBe("ann");
  });

  test("can link a user to another account, or to none", async () => {
    const organization = await open();
    await organization.writeAccounts(accountDocument(acme, { tier: "gold" }), accountDocument(globex, { tier: "tin" }));
    await organization.writeUsers(userDocument(ann, {}, { accountId: acme }));
    expect(await organization.find({ term: { "account.tier": "gold" } })).toBe("ann");
    await organization.writeUsers(userDocument(ann, {}, { accountId: globex, version: 2 }));
    expect(await organization.find({ term: { "account.tier": "gold" } })).toBe("");
    expect(await organization.find({ term: { "account.tier": "tin" } })).toBe("ann");
    await organization.writeUsers(userDocument(ann, {}, { version: 3 }));
    expect(await organization.find({ missing: { field: "account_id" } })).toBe("ann");
    const [row] = await questions.page(organization.id, organization.select({}), { sort: [], limit: 1 });
    expect(row?.account).toBeUndefined();
  });
});

describe("an attribute that was unknown before", () => {
  test("can be queried as soon as it occurs", async () => {
    const organization = await open();
    await organization.writeUsers(userDocument(ann, { name: "Ann" }));
    expect(await organization.find({ term: { plan: "pro" } })).toBe("");
    expect(await organization.find({ missing: { field: "plan" } })).toBe("ann");
    await organization.writeUsers(userDocument(bob, { traits_plan: "pro", traits_mrr: 5 }));
    expect(await organization.find({ term: { plan: "pro" } })).toBe("bob");
    expect(await organization.find({ missing: { field: "plan" } })).toBe("ann");
    await organization.writeUsers(userDocument(ann, { traits_mrr: 7 }, { version: 2 }));
    expect(await organization.find({ range: { mrr: { gte: 5 } } })).toBe("ann bob");
  });

  test("can occur a hundred times, each in another step", async () => {
    const names = Array.from({ length: 120 }, (_, index) => `traits_a${index}`);
    const types = Object.fromEntries(names.map((name) => [name, "numeric" as const]));
    const organization = await openOrganization(questions, { user: types });
    for (let start = 0; start < names.length; start += 30) {
      const fields = Object.fromEntries(names.slice(start, start + 30).map((name) => [name, start]));
      await organization.writeUsers(userDocument(idOf(`u${start}`), fields));
    }
    expect(await organization.find({ term: { a0: 0 } })).toBe("u0");
    expect(await organization.find({ term: { a119: 90 } })).toBe("u90");
    expect(await organization.find({ exists: { field: "a70" } })).toBe("u60");
  });
});

describe("a subject that does not exist any more", () => {
  test("is not found", async () => {
    const organization = await open();
    await organization.write(
      { events: [eventOf(idOf("e1"), bob)], evaluation: evaluationOf("buyers", { entered: ["ann"] }) },
      { users: { written: [userDocument(ann, { traits_plan: "pro" }), userDocument(bob, { traits_plan: "pro" })] } },
    );
    await organization.write({}, { users: { gone: [bob] } });
    expect(await organization.find({})).toBe("ann");
    expect(await organization.find({ term: { plan: "pro" } })).toBe("ann");
    expect(await organization.find({ ids: { values: [bob] } })).toBe("");
    expect(
      await organization.find({ has_parent: { type: "user", query: { term: { plan: "pro" } } } }, "event"),
    ).not.toContain("e1");
    expect(await questions.explain(organization.id, organization.select({}), bob)).toBeUndefined();
    expect((await questions.countAttributes(organization.id, "user")).counts.get("traits_plan")).toBe(1);
  });

  test("may never have existed", async () => {
    const organization = await open();
    await organization.write({}, { users: { gone: [bob] }, accounts: { gone: [globex] } });
    expect(await organization.count({})).toBe(0);
  });

  test("may be an account, and its users have none then", async () => {
    const organization = await open();
    await organization.write(
      {},
      {
        users: { written: [userDocument(ann, {}, { accountId: acme })] },
        accounts: { written: [accountDocument(acme, { tier: "gold" })] },
      },
    );
    await organization.write({}, { accounts: { gone: [acme] } });
    expect(await organization.find({}, "account")).toBe("");
    expect(await organization.find({ term: { "account.tier": "gold" } })).toBe("");
    const [row] = await questions.page(organization.id, organization.select({}), { sort: [], limit: 1 });
    expect(row?.account).toBeUndefined();
  });
});

test("many documents of one step are all written", async () => {
  const organization = await open();
  const written = Array.from({ length: 3_000 }, (_, index) =>
    userDocument(idOf(`u${index}`), { traits_plan: index % 3 === 0 ? "pro" : "free", traits_mrr: index }),
  );
  await organization.writeUsers(...written);
  expect(await organization.count({})).toBe(3_000);
  expect(await organization.count({ term: { plan: "pro" } })).toBe(1_000);
  expect(await organization.find({ term: { mrr: 2_999 } })).toBe("u2999");
});
