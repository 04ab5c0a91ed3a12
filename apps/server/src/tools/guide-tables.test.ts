import { readFile } from "node:fs/promises";
import {
  ACCOUNT_IDENTIFIERS,
  createBrand,
  ENTRY_TYPES,
  readClaims,
  signToken,
  USER_IDENTIFIERS,
  verifyToken,
} from "@muster/protocol";
import { COLUMN_ROLES, EVENT_COLUMNS, IDENTIFIER_COLUMNS } from "@muster/protocol/api/file-fields";
import { describe, expect, test } from "vitest";
import { readOperation } from "../domain/attributes/read-operation.js";
import { MAX_ATTRIBUTES, MAX_VALUES } from "../domain/entries/admit-entry.js";
import { describeConfig, readConfig } from "../runtime/settings/config.js";

const docs = new URL("../../../../docs/", import.meta.url);
const brand = createBrand();

/** The rows of the table with this header, each as a list of its cells. */
async function tableOf(page: string, header: string): Promise<string[][]> {
  const text = await readFile(new URL(page, docs), "utf8");
  const [, rows = ""] = text.split(`| ${header} |`);
  return rows
    .split("\n\n")[0]!
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

function codesIn(cell: string | undefined): string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}

describe("the guide to tokens", () => {
  test("lists every claim that is read from a token", async () => {
    const read = new Set<string>();
    const payload = new Proxy<Record<string, unknown>>(
      { iss: "connector", iat: 1, [brand.claims.subjectType]: "user", [brand.claims.asUser]: "user" },
      {
        get(target, key) {
          read.add(String(key));
          return target[String(key)];
        },
      },
    );
    expect(readClaims(brand, payload)).toMatchObject({ issuer: "connector" });
    // These two end the validity, which is checked before the other claims are read.
    for (const [claim, time] of [["exp", 1] as const, ["nbf", 3] as const]) {
      expect(verifyToken(signToken({ [claim]: time }, "secret"), "secret", 2_000)).toBeTypeOf("string");
      read.add(claim);
    }
    const rows = await tableOf("tokens.md", "claim | meaning");
    expect(rows.flatMap(([claim]) => codesIn(claim)).sort()).toEqual([...read].sort());
  });

  test("lists every identifier that a claim can have", async () => {
    const rows = await tableOf("tokens.md", "identifiers of | keys");
    expect(rows.map(([claim, keys]) => [...codesIn(claim), codesIn(keys)])).toEqual([
      [brand.claims.asUser, [...USER_IDENTIFIERS]],
      [brand.claims.asAccount, [...ACCOUNT_IDENTIFIERS]],
    ]);
  });
});

describe("the guide to sending data", () => {
  test("has every type of entry", async () => {
    const rows = await tableOf("sending-data.md", "field of an entry | meaning");
    expect(codesIn(rows[0]?.[1])).toEqual([...ENTRY_TYPES]);
  });

  test("lists operations that exist", async () => {
    const rows = await tableOf("sending-data.md", "operation | what it does");
    const names = rows.flatMap(([names]) => codesIn(names));
    expect(names).toEqual(["set", "setIfNull", "inc", "increment", "dec", "decrement"]);
    for (const operation of names) expect(readOperation({ operation, value: 1 }).operation).toBeDefined();
  });

  test("has the limits of an entry", async () => {
    const rows = await tableOf("sending-data.md", "what | limit | setting");
    const limits = new Map(rows.map(([what, limit]) => [what, limit]));
    expect(limits.get("attributes in one entry")).toBe(MAX_ATTRIBUTES.toLocaleString("en"));
    expect(limits.get("values in the body of an entry, and in its context")).toBe(
      `${MAX_VALUES.toLocaleString("en")} each`,
    );
  });
});

describe("the guide to imports", () => {
  test("lists what a column can become", async () => {
    const rows = await tableOf("import.md", "key of a column | meaning");
    const to = rows.find(([key]) => key === "`to`");
    expect(codesIn(to?.[1]?.split(";")[0])).toEqual([...COLUMN_ROLES]);
  });

  test("lists the identifiers and fields that a column can be", async () => {
    const rows = await tableOf("import.md", "file of | identifiers | fields");
    const [users, accounts, events] = rows;
    expect(codesIn(users?.[1])).toEqual(IDENTIFIER_COLUMNS.users);
    expect(codesIn(accounts?.[1])).toEqual(IDENTIFIER_COLUMNS.accounts);
    expect(codesIn(events?.[2])).toEqual(EVENT_COLUMNS);
  });
});

test.each(["sending-data.md", "import.md"])("the limits in %s are the defaults of their settings", async (page) => {
  const defaults = new Map(describeConfig(readConfig({})).map(({ env, default: fallback }) => [env, fallback]));
  const rows = (await tableOf(page, "what | limit | setting")).filter(([, , setting]) => setting !== "");
  expect(rows.length).toBeGreaterThan(0);
  for (const [, limit, setting] of rows) {
    const [name = ""] = codesIn(setting);
    expect({ name, limit: limit?.match(/^[\d,]+/)?.[0].replaceAll(",", "") }).toEqual({
      name,
      limit: String(defaults.get(name)),
    });
  }
});
