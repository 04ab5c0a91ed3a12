import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConnectorApp, type Respond } from "../../../testing/connector-app.js";
import { openOrganization } from "../../../testing/sender.js";
import { signInAs } from "../../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

const MANIFEST = {
  name: "Lists",
  version: "1.0.0",
  readme: "README.md",
  admin: "/admin",
  tabs: [{ title: "Editor", url: "/editor?mode=full", editable: true }],
  private_settings: [
    { name: "folder", type: "string" },
    { name: "list", type: "string", format: "select", options: { loadOptions: "/lists" } },
    { name: "sync", type: "string", format: "button", url: "/sync" },
  ],
  settings_sections: [],
};

let server: TestServer;
let app: ConnectorApp;
let own: { id: string; secret: string };
beforeAll(async () => {
  server = await openTestServer();
  app = await ConnectorApp.open(MANIFEST);
  own = await app.install(server);
});
beforeEach(() => {
  app.calls.length = 0;
});
afterAll(async () => {
  await server.close();
  await app.close();
});

function operator(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  const headers = server.operatorHeaders;
  return server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

const askOptions = (body: object) => operator("POST", `/${own.id}/options`, { path: "/lists", ...body });

test("the options of a setting are read by the connector from what is in the form and not saved yet", async () => {
  app.respond = () => ({ options: [{ label: "Work", options: [{ value: 7, label: "News" }] }] });
  await operator("PUT", `/${own.id}`, { private_settings: { folder: "stored", kept: true } });
  const answer = await askOptions({ search: "ne", private_settings: { folder: "typed" } });
  expect(answer.json()).toEqual({ options: [{ value: 7, label: "News", group: "Work" }] });
  const { body } = app.calls.find(({ path }) => path === "/lists") ?? {};
  expect(body).toMatchObject({
    search: "ne",
    connector: { id: own.id, private_settings: { folder: "typed", kept: true } },
  });
  const record = (await operator("GET", `/${own.id}`)).json();
  expect(record.private_settings.folder).toBe("stored");
});

test("an older connector that serves options only to GET is asked that way", async () => {
  app.respond = ({ method }, response) => {
    if (method === "GET") return { options: ["a"] };
    response.writeHead(404).end();
    return undefined;
  };
  expect((await askOptions({})).json()).toEqual({ options: [{ value: "a", label: "a", group: null }] });
});

const failing: [string, Respond, string][] = [
  [
    "in the connector's own words",
    (_call, response) => {
      response.writeHead(401).end(JSON.stringify({ message: "The key is wrong." }));
    },
    "The connector offers no options: The key is wrong.",
  ],
  [
    "by its status",
    (_call, response) => {
      response.writeHead(500).end("<html>");
    },
    "The connector offers no options: it answered with status 500.",
  ],
  ["when there is no list", () => ({ fields: [] }), "The connector offers no options: its answer holds no list."],
];
test.each(failing)("a failure to load options is told %s", async (_case, respond, message) => {
  app.respond = respond;
  const answer = await askOptions({});
  expect([answer.statusCode, answer.json().message]).toEqual([503, message]);
});

test("asking for options is no change: only owners may, and the audit log does not have it", async () => {
  app.respond = () => ({ options: ["a"] });
  const [owner, editor] = [await signInAs(server, "owner"), await signInAs(server, "editor")];
  const payload = { path: "/lists", search: "a" };
  const ask = (headers: Record<string, string>) =>
    server.app.inject({ method: "POST", url: `/api/v1/${own.id}/options`, headers, payload });
  expect([(await ask(owner.headers)).statusCode, (await ask(editor.headers)).statusCode]).toEqual([200, 403]);
  const log = await server.app.inject({ url: "/api/v1/audit?per_page=1000", headers: owner.headers });
  expect(log.body).not.toContain("/options");
});

test("a page that a connector answers a call with can do nothing at the origin of the server", async () => {
  app.respond = (_call, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<form><input name=password></form>");
  };
  const answer = await operator("POST", `/${own.id}/call`, { path: "/sync" });
  expect(answer.headers["content-type"]).toBe("text/html");
  expect(answer.headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
});

test("only paths under `loadOptions` can be asked for options: a button is not pressed that way", async () => {
  const answer = await operator("POST", `/${own.id}/options`, { path: "/sync" });
  expect(answer.statusCode).toBe(404);
  expect(app.calls).toEqual([]);
});

test("the readme is fetched from the connector, and is null when it is not there or is a web page", async () => {
  const readme = async () => (await operator("GET", `/${own.id}/readme`)).json();
  app.respond = (_call, response) => {
    response.setHeader("content-type", "text/markdown").end("# Lists");
  };
  expect(await readme()).toEqual({ readme: "# Lists" });
  expect(app.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /README.md"]);
  app.respond = (_call, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  };
  expect(await readme()).toEqual({ readme: null });
  app.respond = (_call, response) => {
    response.writeHead(404).end();
  };
  expect(await readme()).toEqual({ readme: null });
});

test("one connector of the catalogue has its manifest, problems and readme", async () => {
  app.respond = (_call, response) => {
    response.end("# Lists");
  };
  const path = `/catalogue/manifest?manifest_url=${encodeURIComponent(`${app.url}/manifest.json`)}`;
  expect((await operator("GET", path)).json()).toEqual({
    manifest_url: `${app.url}/manifest.json`,
    source_url: app.url,
    manifest: MANIFEST,
    problems: [],
    readme: "# Lists",
  });
  expect((await operator("GET", "/catalogue/manifest?manifest_url=http://other.example/")).statusCode).toBe(404);
  const stranger = await openOrganization(server, "globex");
  expect((await stranger.call("GET", path)).statusCode).toBe(404);
});

test("a page is framed in a sandbox that allows the connector's origin alone", async () => {
  const { url } = (await operator("POST", `/${own.id}/frames`, { path: "/editor?mode=full" })).json();
  const answer = await server.app.inject({ url });
  expect(answer.statusCode).toBe(200);
  const policy = String(answer.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`frame-src ${app.url};`);
  expect(policy).toContain("frame-ancestors 'self'");
  expect(answer.headers["cache-control"]).toBe("no-store");
  const src = /src="([^"]+)"/.exec(answer.body)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const page = new URL(src);
  expect(page.origin + page.pathname).toBe(`${app.url}/editor`);
  expect(Object.fromEntries(page.searchParams)).toMatchObject({ mode: "full", ship: own.id, secret: own.secret });
  expect(answer.body).toContain('sandbox="allow-scripts allow-forms allow-popups allow-downloads allow-same-origin"');
});

test("a page at the server's own origin gets no origin in its frame", async () => {
  const { url } = (await operator("POST", `/${own.id}/frames`, { path: "/admin" })).json();
  const answer = await server.app.inject({ url, headers: { host: new URL(app.url).host } });
  expect(answer.body).toContain('sandbox="allow-scripts allow-forms allow-popups allow-downloads"');
});

test("pages that the manifest does not declare, and tickets that this server did not make, are not found", async () => {
  expect((await operator("POST", `/${own.id}/frames`, { path: "/other" })).statusCode).toBe(404);
  const { url } = (await operator("POST", `/${own.id}/frames`, { path: "/admin" })).json<{ url: string }>();
  expect((await server.app.inject({ url: `${url}AAAA` })).statusCode).toBe(404);
  expect((await server.app.inject({ url: "/api/v1/frames/abc" })).statusCode).toBe(404);
});

describe("images", () => {
  const PNG = Buffer.from("89504e470d0a1a0a0000", "hex");
  const image = async (src: string, headers = server.operatorHeaders) => {
    const url = `/api/v1/${own.id}/image?src=${encodeURIComponent(src)}`;
    return (await server.app.inject({ method: "GET", url, headers })).json().image;
  };
  const serve = (files: Record<string, Buffer | string>): void => {
    app.respond = ({ path }, response) => {
      const content = files[path];
      response.writeHead(content === undefined ? 404 : 200, { "content-type": "text/plain" }).end(content ?? "");
    };
  };

  test("the content decides what is an image: not SVG, not what is too large", async () => {
    serve({ "/a.png": PNG, "/b.png": "<svg></svg>", "/c.png": Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]) });
    expect(await image("/a.png")).toBe(`data:image/png;base64,${PNG.toString("base64")}`);
    expect(await image("/b.png")).toBeNull();
    expect(await image("/c.png")).toBeNull();
    expect(await image("javascript:alert(1)")).toBeNull();
  });

  test("viewers get what the readme and the manifest name, and nothing else of the connector's host", async () => {
    serve({ "/README.md": "![x](docs/x.png)", "/docs/x.png": PNG, "/y.png": PNG });
    const { headers: viewer } = await signInAs(server, "viewer");
    expect(await image("docs/x.png", viewer)).toMatch(/^data:image\/png/);
    expect(await image("/y.png", viewer)).toBeNull();
    expect(await image("/y.png")).toMatch(/^data:image\/png/);
  });

  test("a stranger's host is called only at a public address", async () => {
    const stranger = await ConnectorApp.open({ name: "Stranger", version: "1", settings_sections: [] });
    stranger.respond = (_call, response) => {
      response.end(PNG);
    };
    expect(await image(`${stranger.url}/p.png`)).toBeNull();
    expect(stranger.calls).toEqual([]);
    await stranger.close();
  });
});
