import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { userMessage } from "@muster/connector/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../../../../testing/free-port.js";
import { SEGMENT } from "../testing/sample-events.js";
import { mappingFor, setUpDestination } from "../testing/set-up-destination.js";

/** The address that gives tokens is called by the process, and not by the thread of the destination. */
const tokenRequests: URLSearchParams[] = [];
const server = createServer(async (request, response) => {
  tokenRequests.push(new URLSearchParams(await text(request)));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ access_token: "access-1", refresh_token: "refresh-1", expires_in: 1_800 }));
});
const port = await freePort();
beforeAll(() => void server.listen(port, "127.0.0.1"));
afterAll(() => void server.close());

const APP = {
  oauth_client_id: "client-1",
  oauth_client_secret: "client-secret-1",
  oauth_authorization_url: "https://service.example/authorize?prompt=consent",
  oauth_token_url: `http://127.0.0.1:${port}/token`,
  oauth_scope: "contacts",
};

const notice = (id: string) =>
  userMessage({
    message_id: `message-${id}`,
    user: { id, email: `${id}@example.com`, name: "Ada" },
    segments: [SEGMENT],
    changes: { user: { name: [null, "Ada"] } },
  });

describe.each([
  { name: "hubspot", action: "upsertContact", fields: {}, refreshAt: "https://api.hubapi.com/oauth/v1/token" },
  {
    name: "salesforce",
    action: "lead",
    fields: { operation: "create", last_name: "Lovelace" },
    refreshAt: "https://login.salesforce.com/services/oauth2/token",
  },
])("signing in to $name", ({ name, action, fields, refreshAt }) => {
  const mapping = mappingFor(name, action, 'type = "identify"', fields);
  const service = setUpDestination(name, {
    ...APP,
    instanceUrl: "https://acme.my.salesforce.com",
    mappings: [mapping],
  });

  test("sends the person to the service with the own app, stores the tokens, and sends with them", async () => {
    const before = (await service.status()) as { status: string };
    expect(before.status).toBe("setupRequired");
    const login = await service.call("/auth/login", { method: "POST" });
    const target = new URL(login.headers.get("location") ?? "");
    expect(`${target.origin}${target.pathname}`).toBe("https://service.example/authorize");
    const { state, redirect_uri: callback, ...parameters } = Object.fromEntries(target.searchParams);
    expect(parameters).toEqual({ prompt: "consent", response_type: "code", client_id: "client-1", scope: "contacts" });
    // A service compares the address with the one that the app has registered: it has no token in it.
    expect(callback).toBe(`${service.url}/auth/callback`);

    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const back = await fetch(`${callback}?${new URLSearchParams({ code: "code-1", state: state ?? "" })}`, {
      headers: { cookie },
      redirect: "manual",
    });
    expect(back.headers.get("location")).toContain("/auth/success");
    expect(Object.fromEntries(tokenRequests.at(-1) ?? [])).toMatchObject({
      grant_type: "authorization_code",
      code: "code-1",
      client_secret: "client-secret-1",
    });
    expect(service.settings.oauth_tokens).toEqual({ access_token: "access-1", refresh_token: "refresh-1" });
    await service.notify("user:update", notice("u1"));
    expect(service.recorder.requests[0]?.headers.authorization).toBe("Bearer access-1");
  });

  test("refreshes a token that has expired once for all concurrent calls, and stores the new one", async () => {
    service.settings.oauth_tokens = { access_token: `expired-${name}`, refresh_token: "refresh-1" };
    service.recorder.answer(({ url, headers }) => {
      if (url.startsWith(refreshAt)) return { body: { access_token: "access-2", refresh_token: "refresh-2" } };
      return headers.authorization === "Bearer access-2" ? undefined : { status: 401, body: { message: "expired" } };
    });
    const answers = await Promise.all(["a", "b", "c", "d"].map((id) => service.notify("user:update", notice(id))));
    for (const { body } of answers) expect(body).toMatchObject({ results: [{ result: "accepted" }] });
    const refreshes = service.recorder.requests.filter(({ url }) => url.startsWith(refreshAt));
    expect(refreshes).toHaveLength(1);
    expect(refreshes[0]?.body).toContain("client-secret-1");
    await vi.waitFor(() => expect(service.settings.oauth_tokens).toMatchObject({ access_token: "access-2" }));
  });
});
