import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliServer, openCliServer } from "../testing/cli-server.js";

let served: CliServer;
beforeAll(async () => {
  served = await openCliServer();
});
afterAll(() => served.close());

test("sign-in prints a link that signs the operator in, once", async () => {
  const { stdout } = await served.cli(["sign-in"]);
  expect(stdout).toMatch(/^http:\/\/[\w.:]+\/sign-in\/link\/[\w-]{43}\n$/);
  const { url } = await served.json(["sign-in"]);
  const use = () =>
    fetch(new URL("/api/v1/session/link", url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: url.split("/").at(-1) }),
    });
  expect(await (await use()).json()).toMatchObject({ is_operator: true, member: { email: "operator@localhost" } });
  expect((await use()).status).toBe(401);
});

test("sign-in --owner makes an owner of the organization, and the link leads there", async () => {
  const { id } = await served.json(["org", "create", "acme"]);
  const { url } = await served.json(["sign-in", "--email", "ada@example.com", "--owner", "--org", "acme"]);
  expect(new URL(url).search).toBe(`?to=/o/${id}`);
  const answer = await fetch(new URL("/api/v1/session/link", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token: new URL(url).pathname.split("/").at(-1) }),
  });
  expect(await answer.json()).toMatchObject({
    is_operator: false,
    organizations: [{ namespace: "acme", role: "owner" }],
  });
});
