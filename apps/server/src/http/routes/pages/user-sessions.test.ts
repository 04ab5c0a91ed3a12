import { createHmac } from "node:crypto";
import { signToken } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { PATIENCE } from "../../../testing/bulk.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let shop: string;
let blog: string;

beforeAll(async () => {
  server = await openTestServer({ BRAND: "Hull", PUBLIC_URL: "https://data.test" });
  shop = await createPlatform("Shop", ["shop.test", "*.shop.test"]);
  blog = await createPlatform("Blog", ["blog.test"]);
});
afterAll(() => server.close());

async function createPlatform(name: string, domains: string[]): Promise<string> {
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/platforms",
    headers: server.operatorHeaders,
    payload: { name, domains },
  });
  return created.json<{ id: string }>().id;
}

function tokenOf(email: string, more: object = {}): string {
  const { id, secret } = server.first.connector;
  const iat = Math.floor(Date.now() / 1_000);
  return signToken({ iss: id, iat, "io.hull.subjectType": "user", "io.hull.asUser": { email }, ...more }, secret);
}

interface Call {
  platform?: string;
  headers?: Record<string, string>;
  body?: object;
}

/** A call that the library makes from its frame, which is at our own origin. */
function call(method: "GET" | "POST" | "PUT", path: string, { platform = shop, headers = {}, body }: Call = {}) {
  return server.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { "hull-app-id": platform, "hull-bid": "browser", "sec-fetch-site": "same-origin", ...headers },
    ...(body ? { payload: body } : {}),
  });
}

/** A form that a page submits, as the library does when its frame gets no cookies. */
function submit(fields: Record<string, string>, headers: Record<string, string> = { origin: "https://shop.test" }) {
  return server.app.inject({
    method: "POST",
    url: "/api/v1/users/login",
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "cross-site", ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
}

interface Answer {
  cookies: { name: string; value: string }[];
}

const sessionIn = ({ cookies }: Answer) => cookies.filter(({ name }) => name.includes("muster_user_"));
/** The header with which a browser sends the session of an answer. */
const cookieOf = (answer: Answer) =>
  sessionIn(answer)
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ");

async function signIn(email: string): Promise<{ cookie: string; id: string }> {
  const answer = await call("POST", "/users/login", { body: { access_token: tokenOf(email) } });
  return { cookie: cookieOf(answer), id: answer.json<{ id: string }>().id };
}

describe("a sign-in from the frame", () => {
  test("begins a session that scripts cannot read, of which /me, /t and the frame know the user", async () => {
    const answer = await call("POST", "/users/login", { body: { access_token: tokenOf("ann@example.com") } });
    const attributes = "=[\\w-]+; Max-Age=\\d+; Path=/; HttpOnly; Secure;";
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(new RegExp(`^__Host-muster_user_${shop}${attributes} SameSite=None$`)),
      expect.stringMatching(new RegExp(`^__Host-muster_site_user_${shop}${attributes} Partitioned; SameSite=None$`)),
    ]);
    const headers = { cookie: cookieOf(answer) };
    const me = await call("GET", "/me", { headers });
    expect(me.json()).toMatchObject({ email: "ann@example.com", access_token: expect.any(String) });
    expect(me.headers).toMatchObject({ "hull-user-id": me.json().id, "hull-user-sig": expect.any(String) });
    const tracked = await call("POST", "/t", { headers, body: { event: "Bought" } });
    expect([tracked.statusCode, tracked.headers["hull-user-id"]]).toEqual([204, me.json().id]);
    expect((await call("GET", "/app", { headers })).json()).toMatchObject({ id: shop, type: "platform" });
    const frame = await server.app.inject({
      url: `/api/v1/${shop}/remote.html?js=https://shop.test/hull.js`,
      headers: {
        ...headers,
        referer: "https://shop.test/",
        "sec-fetch-dest": "iframe",
        "sec-fetch-site": "cross-site",
      },
    });
    expect(frame.body).toContain('"email":"ann@example.com"');
    expect(frame.body).toContain(`"Hull-User-Id":"${me.json().id}"`);
  });

  test("joins what the browser did before with the user", async () => {
    const headers = { "hull-bid": "browser-before" };
    await call("POST", "/t", { headers, body: { event: "Looked around" } });
    const answer = await call("POST", "/users/login", { headers, body: { access_token: tokenOf("joe@example.com") } });
    const report = await server.app.inject({
      url: `/api/v1/${answer.json().id}/user_report`,
      headers: server.connectorHeaders,
    });
    expect(report.json().anonymous_ids).toEqual(["browser-before"]);
  });

  test("of a program that is no browser, or names no platform, begins none", async () => {
    const payload = { access_token: tokenOf("ann@example.com") };
    const answer = await server.app.inject({ method: "POST", url: "/api/v1/users/login", payload });
    expect([answer.statusCode, answer.cookies]).toEqual([200, []]);
  });
});

describe("the session", () => {
  test("does not count for a request of another website, whether it reads or writes", async () => {
    const { cookie } = await signIn("ann@example.com");
    for (const site of ["cross-site", "same-site"]) {
      const headers = { cookie, "sec-fetch-site": site, origin: "https://evil.test" };
      expect((await call("GET", "/me", { headers })).body).toBe("false");
      expect((await call("GET", "/me/user_report", { headers })).statusCode).toBe(404);
      const written = await call("PUT", "/me/traits", { headers, body: { name: "plan", value: "hacked" } });
      expect(written.headers["hull-user-id"]).toBeUndefined();
    }
    // Browsers that do not say it: a script of another origin still has its origin.
    const old = { cookie, "sec-fetch-site": "", origin: "https://evil.test" };
    const { "sec-fetch-site": _, ...headers } = old;
    const answer = await server.app.inject({
      url: "/api/v1/me",
      headers: { ...headers, "hull-app-id": shop, "hull-bid": "browser" },
    });
    expect(answer.body).toBe("false");
  });

  test("does not count without the header that forms and images cannot send", async () => {
    const { cookie } = await signIn("ann@example.com");
    const answer = await server.app.inject({ url: "/api/v1/me", headers: { cookie, "sec-fetch-site": "same-origin" } });
    expect(answer.body).toBe("false");
  });

  test("does not count in a frame on another website, nor on another platform, nor under its name", async () => {
    const { cookie } = await signIn("ann@example.com");
    const frame = await server.app.inject({
      url: `/api/v1/${shop}/remote.html?js=https://shop.test/hull.js`,
      headers: { cookie, referer: "https://evil.test/", "sec-fetch-dest": "iframe" },
    });
    expect(frame.body).not.toContain("ann@example.com");
    expect((await call("GET", "/me", { platform: blog, headers: { cookie } })).body).toBe("false");
    const renamed = cookie.replace(shop, blog);
    expect((await call("GET", "/me", { platform: blog, headers: { cookie: renamed } })).body).toBe("false");
  });

  test("counts by the cookie for the site alone too, and the later sign-in wins", async () => {
    const earlier = await call("POST", "/users/login", { body: { access_token: tokenOf("ann@example.com") } });
    const ofSite = earlier.cookies.find(({ name }) => name.includes("_site_user_"));
    const site = `${ofSite?.name}=${ofSite?.value}`;
    expect((await call("GET", "/me", { headers: { cookie: site } })).json()).toMatchObject({
      email: "ann@example.com",
    });
    // Tokens have their time in seconds.
    await vi.waitFor(async () => {
      const form = { access_token: tokenOf("bob@example.com"), redirect_url: "https://shop.test/" };
      const cookie = `${site}; ${cookieOf(await submit(form))}`;
      expect((await call("GET", "/me", { headers: { cookie } })).json()).toMatchObject({ email: "bob@example.com" });
    }, PATIENCE);
  });

  test("that is changed, or has ended, is as good as none", async () => {
    const { cookie } = await signIn("ann@example.com");
    const headers = { cookie: `${cookie.slice(0, -3)}AAA` };
    expect((await call("GET", "/me", { headers })).body).toBe("false");
    const token = tokenOf("ann@example.com", { exp: Math.floor(Date.now() / 1_000) + 1 });
    const short = cookieOf(await call("POST", "/users/login", { body: { access_token: token } }));
    await vi.waitFor(
      async () => expect((await call("GET", "/me", { headers: { cookie: short } })).body).toBe("false"),
      PATIENCE,
    );
    expect((await call("POST", "/t", { headers: { cookie: short }, body: { event: "Looked" } })).statusCode).toBe(204);
  });
});

describe("a form of a page", () => {
  const access = () => ({ access_token: tokenOf("ann@example.com") });

  test("signs in, and leads to a page of the platform", async () => {
    const redirectUrl = "https://www.shop.test/cart?a=1#b";
    const answer = await submit({ ...access(), redirect_url: redirectUrl, params: "[object Object]" });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, redirectUrl]);
    expect(sessionIn(answer).map(({ name }) => name)).toEqual([`__Host-muster_user_${shop}`]);
    expect((await call("GET", "/me", { headers: { cookie: cookieOf(answer) } })).json()).toMatchObject({
      email: "ann@example.com",
    });
  });

  test.each([
    "https://evil.test/",
    "//evil.test/",
    "https://shop.test@evil.test/",
    "https://shop.test.evil.test/",
    "https:\\\\evil.test",
    "javascript:alert(1)",
    "https://blog.test/",
    "/cart",
  ])("leads nowhere else, such as to %s", async (redirectUrl) => {
    const answer = await submit({ ...access(), redirect_url: redirectUrl });
    expect([answer.statusCode, answer.headers.location, answer.cookies]).toEqual([403, undefined, []]);
  });

  test.each([
    ["another website", { origin: "https://evil.test" }],
    ["a page that hides where it is", { origin: "null" }],
    ["nobody knows where", {}],
  ])("of %s signs nobody in", async (_name, headers) => {
    const answer = await submit({ ...access(), redirect_url: "https://shop.test/" }, headers as Record<string, string>);
    expect([answer.statusCode, answer.cookies]).toEqual([403, []]);
  });

  test("with a wrong token is refused", async () => {
    const answer = await submit({ access_token: "a.b.c", redirect_url: "https://shop.test/" });
    expect([answer.statusCode, answer.cookies]).toEqual([401, []]);
  });
});

describe("a sign-out", () => {
  test("ends the session, and the browser becomes another one", async () => {
    const { cookie } = await signIn("ann@example.com");
    const answer = await call("GET", "/logout", { headers: { cookie } });
    expect(answer.json()).toEqual({ signed_out: true });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("hull-user"))).toEqual([]);
    expect(answer.cookies.map(({ name, value, maxAge }) => [name, value, maxAge])).toEqual([
      [`__Host-muster_user_${shop}`, "", 0],
      [`__Host-muster_site_user_${shop}`, "", 0],
      [`hull_${shop}`, "", 0],
      ["_bid", "", 0],
      ["_sid", "", 0],
    ]);
  });

  test("leads to a page of a platform, and nowhere else", async () => {
    const leave = (redirectUrl: string) =>
      server.app.inject({ url: "/api/v1/logout", query: { b: "1", redirect_url: redirectUrl } });
    const answer = await leave("https://shop.test/bye");
    expect([answer.statusCode, answer.headers.location]).toEqual([303, "https://shop.test/bye"]);
    expect(sessionIn(answer)).toMatchObject([{ name: `__Host-muster_user_${shop}`, value: "" }]);
    for (const elsewhere of ["https://evil.test/", "https://shop.test@evil.test/", "javascript:alert(1)"]) {
      const refused = await leave(elsewhere);
      expect([refused.statusCode, refused.headers.location]).toEqual([403, undefined]);
    }
  });
});

describe("a user whom a connector has signed", () => {
  const now = () => Math.floor(Date.now() / 1_000);
  /** As old clients compute it. */
  function signatureOf(id: string, at = now(), secret = server.first.connector.secret): string {
    return `${at}.${createHmac("sha1", secret).update(`${at}-${id}`).digest("hex")}`;
  }

  test("is me by the headers, with the id of the platform and with that of the connector", async () => {
    const { id } = await signIn("sue@example.com");
    const headers = { "hull-user-id": id, "hull-user-sig": signatureOf(id) };
    for (const platform of [shop, server.first.connector.id]) {
      expect((await call("GET", "/me", { platform, headers })).json()).toMatchObject({ id, email: "sue@example.com" });
    }
  });

  test("is me by what the server has signed, in the cookie of the library and as it sends it to websites", async () => {
    const login = await call("POST", "/users/login", { body: { access_token: tokenOf("sue@example.com") } });
    const signed = Object.fromEntries(
      ["Hull-User-Id", "Hull-User-Sig"].map((name) => [name, login.headers[name.toLowerCase()]]),
    );
    expect(signed["Hull-User-Sig"]).toBe(
      signatureOf(login.json().id, Number(String(signed["Hull-User-Sig"]).split(".")[0])),
    );
    const value = Buffer.from(JSON.stringify(signed)).toString("base64");
    const cookie = `hull_${shop}=${encodeURIComponent(value)}`;
    expect((await call("GET", "/me", { headers: { cookie } })).json()).toMatchObject({ email: "sue@example.com" });
    const elsewhere = { cookie, "sec-fetch-site": "cross-site" };
    expect((await call("GET", "/me", { headers: elsewhere })).body).toBe("false");
    expect((await call("GET", "/me", { headers: { "hull-user-sig": value } })).json()).toMatchObject({
      email: "sue@example.com",
    });
  });

  test.each([
    ["another secret", (id: string) => signatureOf(id, now(), "guessed")],
    ["another user", () => signatureOf("5b16715f3a6e7b1e2c000001")],
    ["a time that is too long ago", (id: string) => signatureOf(id, now() - 400 * 24 * 60 * 60)],
    ["a time in the future", (id: string) => signatureOf(id, now() + 7 * 24 * 60 * 60)],
    ["no digits", () => "1.2"],
    ["another algorithm", (id: string) => `${now()}.${createHmac("sha256", "x").update(id).digest("hex")}`],
  ])("is refused with a signature of %s", async (_name, sign) => {
    const { id } = await signIn("sue@example.com");
    const answer = await call("GET", "/me", { headers: { "hull-user-id": id, "hull-user-sig": sign(id) } });
    expect(answer.statusCode).toBe(401);
  });
});

test("the token of a user who is not known yet creates the user when the page is opened", async () => {
  const open = (email: string, referer: string) =>
    server.app.inject({
      url: `/api/v1/${shop}/remote.html`,
      query: { js: "https://shop.test/hull.js", url: "https://shop.test/a", access_token: tokenOf(email) },
      headers: { referer },
    });
  expect((await open("new@example.com", "https://shop.test/")).body).toContain('"email":"new@example.com"');
  expect((await open("newer@example.com", "https://evil.test/")).body).not.toContain('"email":"newer@example.com"');
});

describe("a page is shared", () => {
  const share = (provider: string, query: Record<string, string>) =>
    server.app.inject({ url: `/api/v1/intent/share/${provider}`, query: { platform_id: shop, ...query } });

  test.each([
    ["facebook", "https://www.facebook.com/sharer/sharer.php?u=https%3A%2F%2Fshop.test%2Ftea"],
    ["twitter", "https://twitter.com/intent/tweet?url=https%3A%2F%2Fshop.test%2Ftea&text=Good+tea"],
    ["linkedin", "https://www.linkedin.com/sharing/share-offsite/?url=https%3A%2F%2Fshop.test%2Ftea"],
    ["whatsapp", "https://wa.me/?text=Good+tea+https%3A%2F%2Fshop.test%2Ftea"],
    ["email", "mailto:?subject=Good%20tea&body=https%3A%2F%2Fshop.test%2Ftea"],
  ])("with %s", async (provider, location) => {
    const answer = await share(provider, { url: "https://shop.test/tea", title: "Good tea" });
    expect([answer.statusCode, answer.headers.location]).toEqual([302, location]);
  });

  test("with no unknown service, and no address of another kind", async () => {
    const unknown = await share("constructor", { url: "https://shop.test/tea" });
    expect([unknown.statusCode, unknown.json().message]).toEqual([404, expect.stringContaining("facebook")]);
    expect((await share("facebook", { url: "javascript:alert(1)" })).statusCode).toBe(400);
    expect((await share("facebook", {})).statusCode).toBe(400);
  });
});
