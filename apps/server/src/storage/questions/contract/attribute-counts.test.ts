import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { ACCOUNTS, ORG, OTHER_ORG, USERS } from "./dataset.test.data.js";
import { idOf } from "./organization.test.kit.js";
import { openDataset } from "./write-dataset.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openDataset();
});

afterAll(() => questions.close());

describe("the number of subjects with a value of each attribute", () => {
  test("is counted for users, by report key", async () => {
    const { counts } = await questions.countAttributes(ORG, "user");
    const expected = {
      traits_plan: 5,
      traits_mrr: 5,
      traits_vip: 3,
      traits_renewal_at: 4,
      traits_born_at: 2,
      traits_langs: 3,
      traits_meta: 1,
      "traits_crm/stage": 3,
      traits_note: 2,
      traits_zip: 1,
      "traits_weird.key": 1,
      "traits_per%cent": 1,
      traits_ratings: 2,
      email: 5,
      name: 5,
      external_id: 2,
      anonymous_ids: 2,
      tags: 1,
    };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, counts.get(key)]))).toEqual(expected);
    const others = [...counts].filter(([key, count]) => key.startsWith("traits_") && count > 0 && !(key in expected));
    expect(others).toEqual([]);
  });

  test("is counted for accounts", async () => {
    const { counts } = await questions.countAttributes(ORG, "account");
    const keys = ["plan", "employees", "vip", "signed_at", "industries", "crm/owner", "name", "domain", "external_id"];
    expect(keys.map((key) => counts.get(key))).toEqual([1, 2, 2, 2, 2, 1, 2, 3, 1]);
  });

  test("comes with the number of all subjects, and with how many users have an account", async () => {
    const users = await questions.countAttributes(ORG, "user");
    expect([users.total, users.counts.get("account_id")]).toEqual([
      USERS.length,
      USERS.filter(({ accountId }) => accountId !== undefined).length,
    ]);
    expect((await questions.countAttributes(ORG, "account")).total).toBe(ACCOUNTS.length);
    expect((await questions.countAttributes(idOf("nobody"), "account")).total).toBe(0);
  });

  test("is counted for one organization only", async () => {
    const { counts } = await questions.countAttributes(OTHER_ORG, "user");
    expect([counts.get("traits_plan"), counts.get("name"), counts.get("traits_mrr") ?? 0]).toEqual([1, 1, 0]);
  });
});
