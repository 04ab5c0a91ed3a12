import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../../testing/start-web-server.js";
import { type CliServer, openCliServer } from "../testing/cli-server.js";
import { muster, type RunOptions } from "../testing/muster.js";

describe("list, create and show", () => {
  let served: CliServer;
  beforeAll(async () => {
    served = await openCliServer();
  });
  afterAll(() => served.close());

  test("an organization is found by its namespace and by its id", async () => {
    const created = await served.json(["org", "create", "acme", "--name", "Acme Ltd"]);
    expect(await served.json(["org", "list"])).toContainEqual(expect.objectContaining(created));
    expect(await served.json(["org", "show", "acme"])).toMatchObject(created);
    expect(await served.json(["org", "show", created.id])).toMatchObject(created);
    expect(await served.json(["org", "show"])).toMatchObject({ namespace: "default" });
    expect(await served.json(["org", "show", "--org", "acme"])).toMatchObject(created);
    expect((await served.cli(["org", "show", "acme"])).stdout).toMatch(/namespace +acme\nname +Acme Ltd\n/);
    expect(await served.cli(["org", "show", "nobody"])).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("disable, enable and delete", () => {
  const ACME = {
    id: "01a1e0ceedde01323fdf73f0",
    namespace: "acme",
    name: "Acme",
    enabled: true,
    created_at: "2030-01-01",
  };

  let server: WebServer;
  let requests: string[];
  beforeAll(async () => {
    // Answers as the API does for the operator.
    server = await startWebServer(async (request, response) => {
      let body = "";
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
      if (request.method !== "GET") {
        requests.push(`${request.method} ${request.url} ${request.headers["svc-organization"]} ${body}`);
      }
      const answers: Record<string, () => unknown> = {
        GET: () => [ACME],
        PUT: () => ({ ...ACME, ...JSON.parse(body) }),
        DELETE: () => ({ id: ACME.id, deleted: true }),
      };
      response.end(JSON.stringify(answers[request.method ?? ""]?.()));
    });
  });
  beforeEach(() => {
    requests = [];
  });
  afterAll(() => server.close());

  const cli = (args: string[], options: RunOptions = {}) =>
    muster(["org", ...args], { ...options, environment: { MUSTER_URL: server.url, MUSTER_ADMIN_TOKEN: "token" } });

  test("disable asks, enable does not", async () => {
    expect(await cli(["disable", "acme"])).toMatchObject({ code: 4, stdout: "" });
    expect(requests).toEqual([]);
    const disabled = await cli(["disable", "acme"], { terminal: 80, input: "y\n" });
    expect([disabled.code, disabled.stdout]).toEqual([0, expect.stringMatching(/state +disabled/)]);
    const enabled = await cli(["enable", ACME.id, "--json"]);
    expect(JSON.parse(enabled.stdout)).toMatchObject({ id: ACME.id, enabled: true });
    expect(requests).toEqual([
      `PUT /api/v1/${ACME.id} ${ACME.id} {"enabled":false}`,
      `PUT /api/v1/${ACME.id} ${ACME.id} {"enabled":true}`,
    ]);
  });

  test("delete wants the namespace to be typed", async () => {
    for (const input of ["yes\n", "y\n", "Acme\n", "\n", ""]) {
      const { code, stderr } = await cli(["delete", "acme"], { terminal: 80, input });
      expect([code, stderr]).toEqual([4, expect.stringMatching(/deleted for good[\s\S]*Nothing was changed\.\n$/)]);
    }
    expect(await cli(["delete", "acme"])).toMatchObject({ code: 4 });
    expect(requests).toEqual([]);
    const { code, stdout } = await cli(["delete", ACME.id], { terminal: 80, input: "acme\n" });
    expect([code, stdout]).toEqual([0, `The organization "acme" (${ACME.id}) is deleted.\n`]);
    expect(requests).toEqual([`DELETE /api/v1/${ACME.id}?confirm=acme ${ACME.id} `]);
  });

  test("delete --yes wants the namespace as argument", async () => {
    expect(await cli(["delete", ACME.id, "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/namespace/),
    });
    expect(requests).toEqual([]);
    expect(JSON.parse((await cli(["delete", "acme", "--yes", "--json"])).stdout)).toEqual({
      id: ACME.id,
      namespace: "acme",
      deleted: true,
    });
  });
});
