import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type MailSink, openMailSink } from "../testing/mail-sink.js";
import { openOrganization, Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let mail: MailSink;
let muster: TestServer;
let sender: Sender;

beforeAll(async () => {
  mail = await openMailSink();
  muster = await openTestServer({ SMTP_URL: mail.url, ADMIN_EMAILS: "ann@example.com, bob@example.com" });
  sender = new Sender(muster);
});
afterAll(async () => {
  await muster.close();
  await mail.close();
});

const logs = async (query = "") => (await sender.call("GET", `/app/logs${query}`)).json<Record<string, unknown>[]>();

test("what a connector logs can be read back, the latest first", async () => {
  const first = {
    level: "info",
    message: "incoming.user.success",
    data: { user: "u1" },
    timestamp: new Date(Date.now() - 2_000).toISOString(),
  };
  const second = {
    level: "error",
    message: "outgoing.user.error",
    error: "refused",
    timestamp: new Date(Date.now() - 1_000).toISOString(),
  };
  const posted = await sender.call("POST", "/app/logs", { payload: { logs: [first, second] } });
  expect([posted.statusCode, posted.json()]).toEqual([200, { logged: 2 }]);
  expect(await logs()).toEqual([
    { at: second.timestamp, level: "error", message: "outgoing.user.error", data: { error: "refused" }, summary: "" },
    { at: first.timestamp, level: "info", message: "incoming.user.success", data: { user: "u1" }, summary: "" },
  ]);
  expect(await logs("?level=info")).toHaveLength(1);
});

test("of very large data the start is kept as text", async () => {
  await sender.call("POST", "/app/logs", { payload: { message: "large", text: '"'.repeat(400_000) } });
  const [line] = await logs();
  expect(line).toMatchObject({ message: "large", data: { truncated: expect.stringMatching(/^\{"text":"/) } });
});

test("a single line and a plain list are accepted too", async () => {
  await sender.call("POST", "/app/logs", { payload: { level: "warning", message: "alone" } });
  await sender.call("POST", "/app/logs", { payload: [{ message: "in a list" }, { level: "fatal", message: "grave" }] });
  const found = (await logs()).map(({ level, message }) => [level, message]);
  expect(found).toEqual(
    expect.arrayContaining([
      ["warn", "alone"],
      ["info", "in a list"],
      ["error", "grave"],
    ]),
  );
});

test("lines without a time are listed in the order they were logged, and each is on one page only", async () => {
  const lines = Array.from({ length: 7 }, (_, index) => ({ level: "debug", message: `line ${index}` }));
  await sender.call("POST", "/app/logs", { payload: lines });
  const pages = await Promise.all([1, 2, 3].map((page) => logs(`?level=debug&per_page=3&page=${page}`)));
  expect(pages.map((page) => page.map(({ message }) => message))).toEqual([
    ["line 6", "line 5", "line 4"],
    ["line 3", "line 2", "line 1"],
    ["line 0"],
  ]);
});

/** Gives an organization a member. */
async function addMember(organizationId: string, email: string, role: string, isProved = true): Promise<void> {
  await muster.database.query(
    "insert into members (id, email, name, email_proved_at) values ($1, $1, 'Somebody', case when $2 then now() end)",
    [email, isProved],
  );
  await muster.database.query("insert into member_roles (organization_id, member_id, role) values ($1, $2, $3)", [
    organizationId,
    email,
    role,
  ]);
}

test("the summary of an error is shown, and mailed to the operator's admins and the organization's owners once", async () => {
  const { id } = muster.first.organization;
  await addMember(id, "owner@example.com", "owner");
  await addMember(id, "unproved@example.com", "owner", false);
  await addMember(id, "viewer@example.com", "viewer");
  const others = await openOrganization(muster, "others");
  await addMember(await others.organizationId(), "stranger@example.com", "owner");
  const error = { level: "error", message: "sync.error", data: { hull_summary: "The API key was revoked." } };
  await sender.call("POST", "/app/logs", { payload: { logs: [error, error] } });
  await sender.call("POST", "/app/logs", {
    payload: { logs: [error, { level: "info", data: { hull_summary: "Fine." } }] },
  });
  await vi.waitFor(() => expect(mail.mails).toHaveLength(3));
  expect(mail.mails.map(({ to }) => to)).toEqual([["ann@example.com"], ["bob@example.com"], ["owner@example.com"]]);
  expect(mail.mails[0]?.content).toContain("Subject: API reports an error");
  expect(mail.mails[0]?.content).toContain("The API key was revoked.");
  const shown = await logs("?summaries=true");
  expect(new Set(shown.map(({ summary }) => summary))).toEqual(new Set(["The API key was revoked.", "Fine."]));
});

test("a connector reads and writes only its own logs", async () => {
  const { id } = muster.first.connector;
  const other = await openOrganization(muster, "neighbour");
  expect((await other.call("GET", `/${id}/logs`)).statusCode).toBe(404);
  const created = await muster.app.inject({
    method: "POST",
    url: "/api/v1/connectors",
    headers: muster.operatorHeaders,
    payload: { name: "Colleague" },
  });
  const colleague = new Sender(muster, created.json());
  expect((await colleague.call("GET", `/${id}/logs`)).statusCode).toBe(403);
  expect((await colleague.call("POST", `/${id}/logs`, { payload: {} })).statusCode).toBe(403);
});

test("lines with the times of a hundred and one days are stored, also those of years to come", async () => {
  const patient = await openOrganization(muster, "patient");
  const days = Array.from({ length: 101 }, (_, day) => new Date(Date.UTC(2020, 0, 1 + 30 * day)).toISOString());
  const lines = [...days, "2999-01-01", "1969-12-31", -1, 1e300, "never", null].map((timestamp) => ({ timestamp }));
  const posted = await patient.call("POST", "/app/logs", { payload: lines });
  expect(posted.json()).toEqual({ logged: lines.length });
  const listed = await patient.call("GET", "/app/logs?per_page=100");
  expect(listed.headers["svc-total-count"]).toBe(String(lines.length));
});

test("lines that the server cannot keep are refused and counted; those of other organizations are kept", async () => {
  const [loud, quiet] = [await openOrganization(muster, "loud"), await openOrganization(muster, "quiet")];
  const flood = Array.from({ length: 10_000 }, () => ({}));
  await muster.database.query("alter table connector_logs rename to hidden_logs");
  try {
    for (let call = 0; call < 10; call++) {
      const taken = await loud.call("POST", "/app/logs", { payload: flood });
      expect([taken.statusCode, taken.json()]).toEqual([200, { logged: 10_000 }]);
    }
    const refused = await loud.call("POST", "/app/logs", { payload: flood });
    expect([refused.statusCode, refused.json().error.code]).toEqual([503, "unavailable"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    const kept = await quiet.call("POST", "/app/logs", { payload: [{ message: "kept" }] });
    expect([kept.statusCode, kept.json()]).toEqual([200, { logged: 1 }]);
  } finally {
    await muster.database.query("alter table hidden_logs rename to connector_logs");
  }
  await quiet.call("POST", "/app/logs", { payload: [{ message: "later" }] });
  const listed = (await quiet.call("GET", "/app/logs")).json<{ message: string }[]>();
  expect(listed.map(({ message }) => message)).toEqual(["later", "kept"]);
  const metrics = (await muster.app.inject("/metrics")).body;
  // The flood also gave up a place for each line of the quiet organization.
  expect(metrics).toContain('muster_lost_rows_total{table="connector_logs"} 10002');
});

interface Tail {
  lines: { message: string }[];
  cursor: string;
}

test("a reader follows the log by a cursor, without a line twice or left out", async () => {
  const tail = async (query: Record<string, string>) =>
    (await sender.call("GET", `/app/logs/tail?${new URLSearchParams(query).toString()}`)).json<Tail>();
  const { cursor } = await tail({ limit: "1" });
  const messages = Array.from({ length: 7 }, (_, number) => `followed ${number}`);
  await sender.call("POST", "/app/logs", { payload: messages.slice(0, 4).map((message) => ({ message })) });
  await sender.call("POST", "/app/logs", {
    payload: messages.slice(4).map((message) => ({ message, level: "error" })),
  });
  const seen: string[] = [];
  let after = cursor;
  await vi.waitFor(async () => {
    const next = await tail({ after, limit: "2", text: "FOLLOWED" });
    after = next.cursor;
    seen.push(...next.lines.map(({ message }) => message));
    expect(seen).toHaveLength(messages.length);
  });
  expect(seen.sort()).toEqual(messages);
  expect((await tail({ after: cursor, level: "error" })).lines).toHaveLength(3);
  expect((await tail({ after: cursor, text: "followed 5" })).lines).toHaveLength(1);
  expect((await tail({ after })).lines).toEqual([]);
});
