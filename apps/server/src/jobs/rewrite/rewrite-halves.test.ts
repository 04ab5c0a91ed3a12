import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, type JobAnswer, PATIENCE } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const traitOf = async (claims: object, name: string) => (await sender.user(claims))[`traits_${name}`] ?? null;

/** Two users with values of their own, who are merged, and get a value of which nobody can tell whose it is. */
async function mergeTwo(name: string) {
  const ann = { email: `ann@${name}.example` };
  const bob = { anonymous_id: `${name}-bob` };
  await sender.settle([
    sender.traits({ user: ann }, { [name]: "31" }, minutesAgo(3)),
    sender.traits({ user: bob }, { [name]: "45" }, minutesAgo(2)),
  ]);
  const [annId, bobId] = [(await sender.user(ann)).id, (await sender.user(bob)).id];
  expect((await sender.call("POST", `/${annId}/alias`, { payload: bob })).statusCode).toBe(200);
  await sender.settle([sender.traits({ user: { id: annId } }, { [name]: "77" })]);
  const { rows } = await server.database.query("select undecided from merge_halves where id = $1", [annId]);
  expect(JSON.stringify(rows)).toContain(name);
  return { ann, bob, annId, bobId };
}

async function rewrite(kind: "convert" | "delete", payload: object): Promise<JobAnswer> {
  const job = await sender.call("POST", `/attributes/${kind}`, { payload });
  expect([job.statusCode, job.body]).toEqual([201, expect.any(String)]);
  return ended(server, job.json<JobAnswer>().id, PATIENCE);
}

async function unmerge(id: string, merged_id: string, choices: object = {}): Promise<void> {
  const answer = await sender.call("POST", `/${id}/unmerge`, { payload: { merged_id, ...choices } });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
}

test("an attribute that is deleted after a merge does not come back when the merge is undone", async () => {
  const { ann, bob, annId, bobId } = await mergeTwo("rank");
  expect(await rewrite("delete", { object: "users", name: "rank" })).toMatchObject({
    status: "completed",
    result: { changed: 1 },
  });
  const stored = `
    select id from merge_halves where state::text like '%"rank"%' or undecided::text like '%"rank"%'
    union
    select id from users where state::text like '%"rank"%'`;
  expect((await server.database.query(stored)).rows).toEqual([]);
  await unmerge(annId, bobId);
  expect([await traitOf(ann, "rank"), await traitOf(bob, "rank")]).toEqual([null, null]);
  expect((await server.database.query(stored)).rows).toEqual([]);
});

test("an attribute that is converted after a merge has the new type when the merge is undone", async () => {
  const { ann, bob, annId, bobId } = await mergeTwo("seats");
  expect(await rewrite("convert", { object: "users", name: "seats", type: "numeric" })).toMatchObject({
    status: "completed",
    result: { changed: 1, lost: 0 },
  });
  await unmerge(annId, bobId);
  expect([await traitOf(ann, "seats"), await traitOf(bob, "seats")]).toEqual([77, 45]);
});

test("a value of which nobody can tell whose it is has the new type too, with what was there before it", async () => {
  const { ann, bob, annId, bobId } = await mergeTwo("logins");
  await rewrite("convert", { object: "users", name: "logins", type: "numeric" });
  await unmerge(annId, bobId, { choices: { attributes: ["logins"] } });
  expect([await traitOf(ann, "logins"), await traitOf(bob, "logins")]).toEqual([31, 77]);
});
