import { afterAll, beforeAll, expect, test } from "vitest";
import { call, runJob } from "../../../testing/bulk.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  await server.listen();
});
afterAll(() => server.close());

test("jobs are listed by each of their types", async () => {
  const extract = await runJob(server, "/extract/users", { url: null, format: "json", query: {} });
  const imported = await runJob(server, "/import/users", { url: `${server.url}/none.json`, format: "json" });
  await server.database.query(
    `insert into jobs (id, organization_id, type, object, status, name, connector_id, parameters)
     select overlay(id placing 'ffffff' from 19), organization_id, 'export', object, status, name, connector_id, parameters
     from jobs
     where id = $1`,
    [extract.id],
  );
  const listed = async (type: string) => {
    const { status, body } = await call<{ id: string; type: string }[]>(server, "GET", `/jobs?type=${type}`);
    return [status, body.map((job) => job.type)];
  };
  expect(imported.type).toBe("import");
  for (const type of ["import", "extract", "export"]) expect(await listed(type)).toEqual([200, [type]]);
});

test("an unknown type of jobs is refused with the types that exist", async () => {
  const { status, body } = await call<{ message: string }>(server, "GET", "/jobs?type=delete");
  expect(status).toBe(400);
  expect(body.message).toBe("querystring.type must be one of import, extract, export, rewrite, revert.");
});
