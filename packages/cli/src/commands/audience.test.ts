import { verifyToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliServer, openCliServer } from "../testing/cli-server.js";

let served: CliServer;
const cli = (...args: string[]) => served.cli(args);
const json = (...args: string[]) => served.json(args);

const EVIL = "\u001b[2J\u001b]0;title\u0007evil\n\u202ename \u009b31m";

beforeAll(async () => {
  served = await openCliServer();
  const people = [
    { email: "Ada@Example.com", external_id: "u1", name: "Ada Lovelace", plan: "pro", age: 36 },
    { email: "bob@example.com", external_id: "u2", name: "Bob", plan: "free" },
    { external_id: "ada@example.com", name: "Not Ada", plan: "free" },
    { external_id: "evil", name: EVIL, "n\u001b[2Jote": EVIL, plan: "pro" },
    { userId: "u5", accountId: "a1", traits: { name: "Carol", plan: "pro" } },
  ];
  const input = (records: object[]) => ({ input: records.map((record) => JSON.stringify(record)).join("\n") });
  await served.json(["import", "users", "-"], input(people));
  await served.json(
    ["import", "accounts", "-"],
    input([{ accountId: "a1", traits: { domain: "Acme.com", name: "Acme" } }]),
  );
  const events = ["Signed up", "Opened", "Opened"].map((event, index) => ({
    userId: "u1",
    event,
    properties: { index },
  }));
  await served.json(["import", "events", "-"], input(events));
});
afterAll(() => served.close());

describe("search", () => {
  test("shows a table, and the number to the person", async () => {
    const { code, stdout, stderr } = await cli("search", "users", "--limit", "2", "--sort", "external_id:desc");
    expect([code, stderr]).toEqual([0, "2 of 5 users; --limit or --all shows more.\n"]);
    expect(stdout).toMatch(/^ID +EMAIL +NAME +EXTERNAL_ID +LAST_SEEN_AT\n[0-9a-f]{24} +u?/);
    expect(stdout.trim().split("\n")).toHaveLength(3);
  });

  test("words are looked for in names and identifiers", async () => {
    expect((await json("search", "users", "lovelace", "ADA")).data).toMatchObject([{ external_id: "u1" }]);
    expect((await json("search", "users", "nobody")).data).toEqual([]);
    expect((await json("search", "accounts", "acme")).data).toMatchObject([{ external_id: "a1" }]);
    expect((await json("search", "events", "signed")).data).toMatchObject([{ event: "Signed up" }]);
    // What has a meaning in other search boxes is only text here.
    expect((await cli("search", "users", '"a" AND (b OR -c)')).code).toBe(0);
  });

  test("takes a query, fields and an order, and gives the total", async () => {
    const args = ["--query", '{"term": {"plan": "pro"}}', "--fields", "external_id,plan", "--sort", "external_id:asc"];
    const found = await json("search", "users", ...args, "--limit", "2");
    expect(found.total).toBe(3);
    expect(found.data).toMatchObject([
      { external_id: "evil", traits_plan: "pro" },
      { external_id: "u1", traits_plan: "pro" },
    ]);
    expect((await cli("search", "users", ...args)).stdout).toMatch(/^EXTERNAL_ID +PLAN\nevil +pro\nu1 +pro\n/);
  });

  test("fields of the account and properties of an event can be shown", async () => {
    const args = ["--query", '{"term": {"external_id": "u5"}}', "--fields", "external_id,account.name"];
    expect((await cli("search", "users", ...args)).stdout).toBe("EXTERNAL_ID  ACCOUNT.NAME\nu5           Acme\n");
    const { stdout } = await cli("search", "events", "signed", "--fields", "event,properties.index");
    expect(stdout).toBe("EVENT      PROPERTIES.INDEX\nSigned up  0\n");
  });

  test("--ndjson streams everything, one document in each line", async () => {
    const { stdout, stderr } = await cli("search", "events", "--all", "--ndjson", "--sort", "created_at:asc");
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.filter(({ event }) => event === "Opened")).toHaveLength(2);
    expect(stderr).toBe("");
  });

  test("a query from standard input", async () => {
    const found = await served.json(["search", "users", "--query", "-"], { input: '{"term": {"plan": "free"}}' });
    expect(found.total).toBe(2);
  });

  test.each([
    [["users", "ada", "--query", "{}"], 2, /words or --query, not both/],
    [["users", "--query", '{"term": {"plan": pro}}'], 2, /^The query is not valid JSON: line 1, column 19\.\n$/],
    [["users", "--query", "[]"], 2, /must be a JSON object/],
    [["users", "--query", '{"nonsense": {}}'], 1, /query\.nonsense/],
    [["people"], 2, /Allowed choices are users, accounts, events/],
    [["users", "--limit", "0"], 2, /whole number/],
  ])("%j is refused", async (args, code, message) => {
    const result = await served.cli(["search", ...args]);
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toMatch(message);
  });

  test("hostile values cannot reach the terminal", async () => {
    for (const args of [
      ["search", "users", "--all"],
      ["user", "show", "evil"],
      ["search", "users", "--all", "--json"],
    ]) {
      const { stdout } = await served.cli(args, { terminal: 100 });
      expect(stdout).toMatch(/evil/);
      expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }
    const { stdout } = await served.cli(["search", "users", "--all"], { terminal: 80 });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe("user and account", () => {
  test("are found by id and by every identifier", async () => {
    const { id } = await json("user", "show", "u1");
    expect(await json("user", "show", id)).toMatchObject({
      id,
      name: "Ada Lovelace",
      traits_plan: "pro",
      segments: [],
    });
    expect((await json("user", "show", "ADA@example.COM")).id).toBe(id);
    expect((await json("user", "show", "u5")).account).toMatchObject({ external_id: "a1" });
    expect(await json("account", "show", "acme.com")).toMatchObject({ external_id: "a1", name: "Acme" });
    expect((await cli("account", "show", "a1")).stdout).toMatch(/^FIELD +VALUE\nid +[0-9a-f]{24}\n/);
  });

  test("--by says which identifier is meant", async () => {
    expect((await json("user", "show", "ada@example.com", "--by", "external_id")).name).toBe("Not Ada");
    expect((await json("user", "show", "ada@example.com", "--by", "email")).name).toBe("Ada Lovelace");
    expect((await cli("user", "show", "u1", "--by", "email")).code).toBe(1);
  });

  test("an unknown one is refused", async () => {
    const unknown = await cli("user", "show", "nobody");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/^There is no user .*"nobody"\.\n$/)]);
    expect((await cli("account", "show", "0".repeat(24))).code).toBe(1);
  });

  test("events of a user, and what connectors were sent about it", async () => {
    const events = await json("user", "events", "u1", "--limit", "2");
    expect(events).toHaveLength(2);
    expect((await cli("user", "events", "u1")).stdout).toMatch(/^AT +EVENT +SOURCE +PROPERTIES\n.*Opened/);
    expect((await cli("user", "events", "u2")).stdout).toBe("No events.\n");
    expect(await json("user", "traces", "u1")).toEqual([]);
    expect((await cli("user", "traces", "u1")).stdout).toBe("Nothing was sent about this user.\n");
  });

  test("erase asks, prints the receipt, and waits with --wait", async () => {
    await served.json(["import", "users", "-"], { input: '{"external_id": "doomed"}\n{"external_id": "doomed-too"}' });
    const unasked = await cli("user", "erase", "doomed");
    expect([unasked.code, unasked.stderr]).toEqual([4, expect.stringMatching(/erased for good.*add --yes/)]);
    const { id } = await json("user", "show", "doomed");
    const erased = await json("user", "erase", "doomed", "--yes", "--wait");
    expect(erased).toMatchObject({ id, deleted: true, receipt: { id, status: "complete", removed: { profiles: 1 } } });
    const hostile = "doomed\u001b[8m\u202e";
    await served.json(["import", "users", "-"], { input: JSON.stringify({ external_id: hostile }) });
    const asked = await served.cli(["user", "erase", hostile], { terminal: 80, input: "n\n" });
    expect(asked.stderr).toMatch(/The user doomed \([0-9a-f]{24}\) is erased/);
    expect(["\u001b[8m", "\u202e"].filter((sequence) => asked.stderr.includes(sequence))).toEqual([]);
    const typed = await served.cli(["user", "erase", "doomed-too"], { terminal: 80, input: "yes\n" });
    expect(typed.stdout).toMatch(/^erased +[0-9a-f]{24}\nreceipt +[0-9a-f]{24}\n/);
    expect((await cli("user", "show", id)).code).toBe(1);
    await served.json(["import", "accounts", "-"], { input: '{"accountId": "gone"}' });
    expect(await json("account", "erase", "gone", "--yes")).toMatchObject({ deleted: true });
  });
});

describe("segment", () => {
  test("is created, shown, listed, changed and deleted", async () => {
    const fresh = await cli("segment", "create", "Fresh", "--query", '{"term": {"plan": "pro"}}');
    expect(fresh.stdout).toMatch(/members +being counted/);
    await json("segment", "delete", "Fresh", "--yes");
    const created = await json("segment", "create", "Pros", "--query", '{"term": {"plan": "pro"}}');
    expect(created).toMatchObject({ name: "Pros", type: "users_segment", query: { term: { plan: "pro" } } });
    expect(await json("segment", "show", "pros")).toMatchObject({ id: created.id });
    expect((await cli("segment", "show", created.id)).stdout).toContain('query: {"term":{"plan":"pro"}}');
    expect(await json("segment", "list", "--type", "accounts")).toEqual([]);
    expect((await cli("segment", "list")).stdout).toMatch(/^ID +NAME +OF +MEMBERS/);
    expect(await json("segment", "update", "Pros", "--name", "Paying")).toMatchObject({
      id: created.id,
      name: "Paying",
    });
    expect((await cli("segment", "delete", "Paying")).code).toBe(4);
    expect(await json("segment", "delete", "Paying", "--yes")).toEqual({ id: created.id, deleted: true });
    expect((await cli("segment", "show", "Paying")).stderr).toMatch(/^There is no segment "Paying"/);
  });

  test("that is probably wrong is created with a warning, and one that cannot be right is refused", async () => {
    const message = 'No user has an attribute "plam" so far. Did you mean plan?';
    const query = '{"term": {"plam": "pro"}}';
    expect((await cli("segment", "preview", "--query", query)).stdout).toMatch(`warning: ${message}\n\n0 users match`);
    expect((await cli("segment", "create", "Misspelt", "--query", query)).stdout).toContain(`\nwarning: ${message}\n`);
    expect((await json("segment", "show", "Misspelt")).warnings).toMatchObject([{ message, suggestion: "plan" }]);
    const again = await cli("segment", "create", "misspelt", "--query", query);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(/already a segment "Misspelt" \([0-9a-f]{24}\)/),
    ]);
    const untyped = await cli("segment", "create", "Old", "--query", '{"range": {"age": {"gt": "old"}}}');
    expect([untyped.code, untyped.stderr]).toEqual([
      1,
      expect.stringContaining("expected a number for a numeric field"),
    ]);
  });

  test("says whether it has been evaluated", async () => {
    await json("segment", "create", "Evaluated", "--query", '{"term": {"plan": "pro"}}');
    const shown = async () => (await cli("segment", "show", "Evaluated")).stdout;
    await expect.poll(shown, { timeout: 10_000 }).toMatch(/members +3 users\nstatus +ok\n[\s\S]*evaluated +\d{4}-/);
    const changed = await cli("segment", "update", "Evaluated", "--query", '{"term": {"plan": "free"}}');
    expect(changed.stdout).toMatch(
      /status +evaluating\n[\s\S]*evaluated +not since the query was changed; before that \d{4}-/,
    );
  });

  test("of accounts, from a predicate on standard input", async () => {
    const predicate = {
      type: "all",
      predicates: [{ property: { key: "name", type: "string", entity: "account" }, operator: "is_set", options: {} }],
    };
    const created = await served.json(["segment", "create", "Named", "--type", "accounts", "--predicate", "-"], {
      input: JSON.stringify(predicate),
    });
    expect(created).toMatchObject({ type: "accounts_segment", predicate });
    expect(await json("segment", "explain", "acme.com", "Named")).toMatchObject({ matches: true });
  });

  test("preview shows whom a query selects, and who would enter and leave", async () => {
    const preview = await json("segment", "preview", "--query", '{"term": {"plan": "pro"}}');
    expect(preview).toMatchObject({ count: 3, sample: [{}, {}, {}], entering: { count: 0 } });
    await json("segment", "create", "Free", "--query", '{"term": {"plan": "free"}}');
    const { stdout } = await cli("segment", "preview", "Free", "--query", '{"term": {"external_id": "u1"}}');
    expect(stdout).toMatch(/^1 user matches\nID.*\n.*Ada Lovelace.*\n\n1 user would enter\n[\s\S]*would leave/);
  });

  test("explain says for each clause why", async () => {
    const query = { bool: { must: [{ term: { plan: "pro" } }], must_not: [{ exists: { field: "age" } }] } };
    await json("segment", "create", "Young", "--query", JSON.stringify(query));
    expect(await json("segment", "explain", "u1", "Young")).toMatchObject({
      matches: false,
      clauses: [
        { holds: true, negated: false, seen: "pro" },
        { holds: true, negated: true, seen: 36 },
      ],
    });
    const { stdout } = await cli("segment", "explain", "u5", "Young");
    expect(stdout).toMatch(
      /^The user u5 matches "Young"\.\n\nFITS +CLAUSE +VALUE\nyes +plan is "pro" +pro\nyes +not: age is set +-\n$/,
    );
  });

  test.each([[["create", "X"]], [["update", "Young"]], [["preview"]]])("%j needs more", async (args) => {
    const { code, stderr } = await served.cli(["segment", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^Give --/)]);
  });
});

describe("token", () => {
  test("is signed by the connector, lives shortly, and the person is warned", async () => {
    const { id, secret } = served.server.first.connector;
    const before = Date.now();
    const { code, stdout, stderr } = await cli("token", "--email", "ada@example.com", "--account-domain", "acme.com");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^This token is a credential/)]);
    const claims = verifyToken(stdout.trim(), secret, Date.now());
    expect(claims).toMatchObject({
      iss: id,
      "io.svc.subjectType": "user",
      "io.svc.asUser": { email: "ada@example.com" },
      "io.svc.asAccount": { domain: "acme.com" },
    });
    expect((claims as { exp: number }).exp * 1_000 - before).toBeLessThan(16 * 60_000);
    const headers = { "Svc-App-Id": id, "Svc-Access-Token": stdout.trim() };
    const me = await fetch(`${served.server.url}/api/v1/me`, { headers });
    expect([me.status, await me.json()]).toEqual([
      200,
      expect.objectContaining({ email: expect.stringMatching(/ada/i) }),
    ]);
  });

  test("takes a connector, an end, the admin scope, and accounts alone", async () => {
    const { id, secret } = await json("connector", "create", "Signer");
    const args = [
      "token",
      "--connector",
      "Signer",
      "--account-external-id",
      "a1",
      "--admin",
      "--no-create",
      "--expires",
      "1h",
    ];
    const { token, claims } = await json(...args);
    expect(verifyToken(token, secret, Date.now())).toEqual(claims);
    expect(claims).toMatchObject({
      iss: id,
      scopes: ["admin"],
      "io.svc.subjectType": "account",
      "io.svc.create": false,
    });
    expect(claims.exp - claims.iat).toBe(3_600);
  });

  test.each([
    [["--email", "a@b.c"], /several connectors.*--connector/],
    [["--connector", "API"], /has no identifier/],
    [["--connector", "API", "--email", " "], /has no identifier/],
    [["--connector", "API", "--email", "a@b.c", "--expires", "soon"], /90s, 15m, 1h or 7d/],
  ])("%j is refused", async (args, message) => {
    const { code, stderr, stdout } = await served.cli(["token", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});
