import type { LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type MailSink, openMailSink } from "../../../testing/mail-sink.js";
import { holdNewMinute } from "../../../testing/new-minute.js";
import { invite, PASSWORD, signInAs, signInByLink, tokenOf } from "../../../testing/signed-in.js";
import { openTestServer, type TestServer, withTestServer } from "../../../testing/test-server.js";

let server: TestServer;
let mails: MailSink;
beforeAll(async () => {
  mails = await openMailSink();
  server = await openTestServer({ SMTP_URL: mails.url, PUBLIC_URL: "http://muster.test" });
  await signInAs(server, "editor", { email: "Ann@example.com" });
});
afterAll(async () => {
  await server.close();
  await mails.close();
});

function post(path: string, payload: object, headers: Record<string, string> = {}, remoteAddress = "127.0.0.1") {
  return server.app.inject({ method: "POST", url: `/api/v1${path}`, payload, headers, remoteAddress });
}

function cookieOf(answer: LightMyRequestResponse): string {
  return String(answer.headers["set-cookie"]);
}

async function createOrganization(namespace: string): Promise<string> {
  expect((await post("/organizations", { namespace }, server.operatorHeaders)).statusCode).toBe(201);
  return namespace;
}

function namespacesOf(answer: LightMyRequestResponse): string[] {
  return answer.json<{ organizations: { namespace: string }[] }>().organizations.map(({ namespace }) => namespace);
}

/** The organizations that a sign-in with a password opens; undefined when it is refused. */
async function namespacesWith(email: string, password: string): Promise<string[] | undefined> {
  const answer = await post("/session", { email, password });
  return answer.statusCode === 200 ? namespacesOf(answer) : undefined;
}

/** Signs in with a link that is mailed to the address. */
async function signInByMail(email: string): Promise<LightMyRequestResponse> {
  return post("/session/link", { token: await mailedToken(email) });
}

/** The token of a link that is mailed to the address. */
async function mailedToken(email: string): Promise<string> {
  const before = mails.mails.length;
  await post("/session/mail", { email });
  const mail = await vi.waitUntil(
    () => mails.mails.slice(before).find(({ content }) => content.includes("/sign-in/link/")),
    5_000,
  );
  return /sign-in\/link\/([\w-]+)/.exec(mail.content.replaceAll("=\n", ""))?.[1] ?? "";
}

async function statusWith(headers: Record<string, string>): Promise<number> {
  return (await server.app.inject({ url: "/api/v1/session", headers })).statusCode;
}

describe("a sign-in with a password", () => {
  test("gives a cookie that scripts cannot read and other websites cannot use", async () => {
    const answer = await post("/session", { email: "ann@EXAMPLE.com", password: PASSWORD });
    expect(answer.statusCode).toBe(200);
    expect(cookieOf(answer)).toMatch(/^muster_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(answer.json()).toMatchObject({
      is_operator: false,
      member: { email: "Ann@example.com", has_password: true },
      organizations: [{ namespace: "default", role: "editor" }],
    });
    expect(answer.body).not.toContain("scrypt");
  });

  test("over https gives a cookie for this very host alone", async () => {
    await withTestServer({ PUBLIC_URL: "https://muster.test" }, async (secure) => {
      const token = tokenOf(secure.signInUrl ?? "");
      const answer = await secure.app.inject({ method: "POST", url: "/api/v1/session/link", payload: { token } });
      expect(cookieOf(answer)).toMatch(
        /^__Host-muster_session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      );
    });
  });

  test("is refused in the same way for a wrong password, an unknown address and a member without a password", async () => {
    await signInByLink(server, "linked@example.com");
    const answers = [
      await post("/session", { email: "ann@example.com", password: "wrong" }),
      await post("/session", { email: "nobody@example.com", password: PASSWORD }),
      await post("/session", { email: "linked@example.com", password: "wrong" }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.map(({ headers }) => headers["set-cookie"])).toEqual([undefined, undefined, undefined]);
  });

  test("is refused after many wrong ones from one address, also with the right password, but not from elsewhere", async () => {
    holdNewMinute();
    const attempt = (password: string, address: string) =>
      post("/session", { email: "ann@example.com", password }, {}, address);
    for (let count = 0; count < 10; count++) {
      expect((await attempt("wrong", "192.0.2.66")).statusCode).toBe(401);
    }
    const refused = await attempt(PASSWORD, "192.0.2.66");
    expect([refused.statusCode, Number(refused.headers["retry-after"])]).toEqual([429, expect.any(Number)]);
    expect((await attempt(PASSWORD, "192.0.2.67")).statusCode).toBe(200);
  });

  test("counts from its beginning: many guesses at once are not more than the limit", async () => {
    holdNewMinute();
    const guesses = Array.from({ length: 30 }, (_, index) =>
      post("/session", { email: "ann@example.com", password: `guess ${index}` }, {}, "192.0.2.70"),
    );
    const found = (await Promise.all(guesses)).map(({ statusCode }) => statusCode);
    expect([found.filter((status) => status === 401).length, found.filter((status) => status === 429).length]).toEqual([
      10, 20,
    ]);
  });

  test("with the right password does not count, however often", async () => {
    for (let count = 0; count < 12; count++) {
      const answer = await post("/session", { email: "ann@example.com", password: PASSWORD }, {}, "192.0.2.71");
      expect(answer.statusCode).toBe(200);
    }
  });

  test("from a page of another website is refused", async () => {
    const headers = { origin: "https://evil.example" };
    expect((await post("/session", { email: "ann@example.com", password: PASSWORD }, headers)).statusCode).toBe(403);
  });
});

describe("a link", () => {
  test("of the first start signs the operator in, once", async () => {
    const token = tokenOf(server.signInUrl ?? "");
    expect(server.signInUrl).toBe(`http://muster.test/sign-in/link/${token}`);
    const preview = await post("/session/link/preview", { token });
    expect(preview.json()).toEqual({ email: "operator@localhost", name: "Operator" });
    const first = await post("/session/link", { token });
    expect([first.statusCode, first.json()]).toMatchObject([200, { is_operator: true }]);
    for (const path of ["/session/link", "/session/link/preview"]) {
      const again = await post(path, { token });
      expect([again.statusCode, again.json().error.code]).toEqual([401, "invalid_token"]);
    }
  });

  test("that two browsers use at the same time signs one of them in", async () => {
    const made = await post("/sign_in_links", {}, server.operatorHeaders);
    const token = tokenOf(made.json().url);
    const answers = await Promise.all([1, 2, 3].map(() => post("/session/link", { token })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401, 401]);
  });

  test("whose time is over signs nobody in", async () => {
    const token = tokenOf((await post("/sign_in_links", {}, server.operatorHeaders)).json().url);
    await server.database.query("update sign_in_links set expires_at = now() - interval '1 second'");
    expect((await post("/session/link", { token })).statusCode).toBe(401);
  });

  test("for an owner makes a member of one organization, who does not run the server", async () => {
    const made = await post("/sign_in_links", { email: "own@example.com", as_owner: true }, server.operatorHeaders);
    const answer = await post("/session/link", { token: tokenOf(made.json().url) });
    expect(answer.json()).toMatchObject({ is_operator: false, organizations: [{ role: "owner" }] });
  });

  test("is mailed to a member; the answer does not tell whether there is one", async () => {
    const answers = [
      await post("/session/mail", { email: "ann@example.com" }),
      await post("/session/mail", { email: "nobody@example.com" }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    const mail = await vi.waitUntil(() => mails.mails.find(({ content }) => content.includes("/sign-in/link/")), 5_000);
    expect(mail.to).toEqual(["Ann@example.com"]);
    expect((await signInByMail("ann@example.com")).statusCode).toBe(200);
    expect(mails.mails.some(({ to }) => to.includes("nobody@example.com"))).toBe(false);
  });

  test("that was mailed shows whose the address is: a password from before it and its sessions end", async () => {
    const squatter = await signInAs(server, "viewer", { email: "victim@example.com" });
    expect((await signInByMail("victim@example.com")).json()).toMatchObject({ member: { has_password: false } });
    expect(await statusWith(squatter.headers)).toBe(401);
    const answer = await post("/session", { email: "victim@example.com", password: PASSWORD });
    expect(answer.statusCode).toBe(401);
  });

  test("that the operator made for an address is refused when the member has another one by then", async () => {
    const mover = await signInAs(server, "viewer", { email: "mover@example.com" });
    const link = await post("/sign_in_links", { email: "MOVER@example.com" }, server.operatorHeaders);
    const payload = { email: "moved@example.com", current_password: PASSWORD };
    await server.app.inject({ method: "PUT", url: "/api/v1/session/me", headers: mover.headers, payload });
    expect((await post("/session/link", { token: tokenOf(link.json().url) })).statusCode).toBe(401);
  });
});

describe("a session", () => {
  test("is told about to its member, and to the operator with the admin token", async () => {
    const { headers, id } = await signInByLink(server, "ann@example.com");
    const own = await server.app.inject({ url: "/api/v1/session", headers });
    expect(own.json()).toMatchObject({ member: { id }, csrf_token: headers["x-csrf-token"] });
    const operator = await server.app.inject({ url: "/api/v1/session", headers: server.operatorHeaders });
    expect(operator.json()).toMatchObject({ is_operator: true, member: null, organizations: [{ role: "owner" }] });
    expect(await statusWith({})).toBe(401);
  });

  test("ends with a sign-out, and the cookie is removed", async () => {
    const { headers } = await signInByLink(server, "ann@example.com");
    const answer = await server.app.inject({ method: "DELETE", url: "/api/v1/session", headers });
    expect([answer.statusCode, cookieOf(answer)]).toEqual([200, expect.stringContaining("muster_session=; Max-Age=0")]);
    expect(await statusWith(headers)).toBe(401);
  });

  test("is listed and ended by its member from another one, and not by somebody else", async () => {
    const [here, there] = [
      await signInAs(server, "viewer", { email: "two@example.com" }),
      await signInByLink(server, "two@example.com"),
    ];
    const list = await server.app.inject({ url: "/api/v1/sessions", headers: here.headers });
    const found = list.json<{ id: string; current: boolean }[]>();
    expect(found.map(({ id, current }) => [id, current])).toEqual(
      expect.arrayContaining([
        [here.sessionId, true],
        [there.sessionId, false],
      ]),
    );
    const end = (headers: Record<string, string>) =>
      server.app.inject({ method: "DELETE", url: `/api/v1/sessions/${there.sessionId}`, headers });
    expect((await end((await signInByLink(server)).headers)).statusCode).toBe(404);
    expect((await end(here.headers)).statusCode).toBe(200);
    expect([await statusWith(here.headers), await statusWith(there.headers)]).toEqual([200, 401]);
  });

  test("ends everywhere when its member asks for it", async () => {
    const all = [
      await signInAs(server, "viewer", { email: "all@example.com" }),
      await signInByLink(server, "all@example.com"),
    ] as const;
    const answer = await server.app.inject({ method: "DELETE", url: "/api/v1/sessions", headers: all[0].headers });
    expect(answer.json()).toEqual({ ended: 2 });
    expect([await statusWith(all[0].headers), await statusWith(all[1].headers)]).toEqual([401, 401]);
  });

  test("that was not used for its time has ended", async () => {
    const { headers } = await signInByLink(server, "ann@example.com");
    await server.database.query("update member_sessions set expires_at = now() - interval '1 second'");
    expect(await statusWith(headers)).toBe(401);
  });
});

test("a new password needs the current one, and ends all other sessions", async () => {
  const [here, there] = [
    await signInAs(server, "viewer", { email: "pass@example.com" }),
    await signInByLink(server, "pass@example.com"),
  ];
  const change = (payload: object) =>
    server.app.inject({ method: "PUT", url: "/api/v1/session/me", headers: here.headers, payload });
  expect((await change({ password: "another good password" })).statusCode).toBe(403);
  expect((await change({ password: "another good password", current_password: "wrong" })).statusCode).toBe(403);
  expect((await change({ password: "short", current_password: PASSWORD })).statusCode).toBe(400);
  expect(await statusWith(there.headers)).toBe(200);
  const changed = await change({ password: "another good password", current_password: PASSWORD, name: "Pass" });
  expect([changed.statusCode, changed.json()]).toMatchObject([200, { member: { name: "Pass" } }]);
  expect([await statusWith(here.headers), await statusWith(there.headers)]).toEqual([200, 401]);
  expect((await change({ email: "ann@example.com", current_password: "another good password" })).statusCode).toBe(409);
});

describe("an invitation", () => {
  test("is mailed, is shown to its holder, and works once", async () => {
    const url = await invite(server, "viewer", { email: "new@example.com" });
    await vi.waitUntil(() => mails.mails.some(({ to }) => to.includes("new@example.com")), 5_000);
    const token = tokenOf(url);
    const preview = await post("/invitations/preview", { token });
    expect(preview.json()).toMatchObject({ email: "new@example.com", role: "viewer", is_member: false });
    const accept = () => post("/invitations/accept", { token, name: "New", password: PASSWORD });
    expect((await post("/invitations/accept", { token, name: "New", password: "short" })).statusCode).toBe(400);
    expect((await accept()).json()).toMatchObject({ member: { name: "New" }, organizations: [{ role: "viewer" }] });
    expect((await accept()).statusCode).toBe(401);
  });

  test("for an address that a stranger took before, in another organization, works for its holder", async () => {
    await post("/organizations", { namespace: "squatters" }, server.operatorHeaders);
    const email = "holder@example.com";
    const squatter = await signInAs(server, "owner", { email, organization: "squatters" });
    const token = tokenOf(await invite(server, "editor", { email }));
    expect((await post("/invitations/preview", { token })).json()).toMatchObject({ is_member: false });
    const password = "a password of the holder";
    const joined = await post("/invitations/accept", { token, name: "Holder", password });
    expect(joined.statusCode).toBe(200);
    expect(joined.json()).toMatchObject({ member: { email, name: "Holder" } });
    expect(await namespacesWith(email, password)).toEqual(["default"]);
    expect(await namespacesWith(email, PASSWORD)).toEqual(["squatters"]);
    const seen = await server.app.inject({ url: "/api/v1/session", headers: squatter.headers });
    expect(seen.json()).toMatchObject({ member: { id: squatter.id }, organizations: [{ namespace: "squatters" }] });

    const proved = await signInByMail(email);
    expect(namespacesOf(proved)).toEqual(["default", "squatters"]);
    expect([await statusWith(squatter.headers), await namespacesWith(email, PASSWORD)]).toEqual([401, undefined]);
    const later = tokenOf(await invite(server, "viewer", { email, organization: await createOrganization("third") }));
    expect((await post("/invitations/preview", { token: later })).json()).toMatchObject({ is_member: true });
    expect((await post("/invitations/accept", { token: later, name: "Thief", password })).statusCode).toBe(401);
  });

  test("for the address of a member gives nobody else what the member has", async () => {
    await signInAs(server, "editor", { email: "bea@example.com" });
    const organization = await createOrganization("other");
    const accept = async (payload: object, headers = {}) => {
      const token = tokenOf(await invite(server, "editor", { email: "bea@example.com", organization }));
      return post("/invitations/accept", { token, ...payload }, headers);
    };
    const { headers } = await signInByLink(server, "bea@example.com");
    const { "x-csrf-token": _, ...without } = headers;
    expect((await accept({}, without)).statusCode).toBe(403);
    expect((await accept({})).statusCode).toBe(400);
    const thief = { name: "Thief", password: "a password of a thief" };
    expect(namespacesOf(await accept(thief))).toEqual(["other"]);
    expect(await namespacesWith("bea@example.com", PASSWORD)).toEqual(["default"]);
  });

  test.each([
    ["a session", "cara@example.com", {}],
    ["the own password", "dora@example.com", { password: PASSWORD }],
  ])("for the address of a member adds a role to the member who shows %s", async (way, email, payload) => {
    const { id, headers } = await signInAs(server, "editor", { email });
    const organization = await createOrganization(`joined-${email.split("@")[0]}`);
    const token = tokenOf(await invite(server, "editor", { email, organization }));
    const joined = await post("/invitations/accept", { token, ...payload }, way === "a session" ? headers : {});
    expect(joined.json()).toMatchObject({ member: { id } });
    expect(namespacesOf(joined)).toEqual(["default", organization]);
  });

  test("that is older than the role of the member leaves that role", async () => {
    const { id } = await signInAs(server, "editor", { email: "promoted@example.com" });
    const made = await post("/organizations", { namespace: "later" }, server.operatorHeaders);
    const token = tokenOf(await invite(server, "viewer", { email: "promoted@example.com", organization: "later" }));
    await server.database.query(
      "insert into member_roles (organization_id, member_id, role) values ($1, $2, 'owner')",
      [made.json<{ id: string }>().id, id],
    );
    const { headers } = await signInByLink(server, "promoted@example.com");
    const joined = await post("/invitations/accept", { token }, headers);
    expect(joined.json()).toMatchObject({ organizations: [{ role: "editor" }, { role: "owner" }] });
  });

  test("that was withdrawn, or is for a member of the organization, cannot be used", async () => {
    const headers = server.operatorHeaders;
    expect((await post("/invitations", { email: "ANN@example.com", role: "owner" }, headers)).statusCode).toBe(409);
    expect((await post("/invitations", { email: "no address", role: "owner" }, headers)).statusCode).toBe(400);
    const made = (await post("/invitations", { email: "gone@example.com", role: "owner" }, headers)).json();
    const url = `/api/v1/invitations/${made.id}`;
    expect((await server.app.inject({ method: "DELETE", url, headers })).statusCode).toBe(200);
    expect((await post("/invitations/preview", { token: tokenOf(made.url) })).statusCode).toBe(401);
  });
});

test("neither passwords nor tokens are stored as they are", async () => {
  const { headers } = await signInByLink(server, "ann@example.com");
  const token = headers.cookie?.split("=")[1] ?? "";
  const { rows } = await server.database.query<{ text: string }>(
    `select (select json_agg(m) from members m)::text || (select json_agg(s) from member_sessions s)::text as text`,
  );
  expect(rows[0]?.text).toContain("scrypt$");
  expect(rows[0]?.text).not.toContain(PASSWORD);
  expect(rows[0]?.text).not.toContain(token);
});

test("a link for an owner gives nothing to somebody who took the address before, in another organization", async () => {
  await post("/organizations", { namespace: "globex" }, server.operatorHeaders);
  const email = "chosen@example.com";
  const squatter = await signInAs(server, "viewer", { email, organization: "globex" });
  const make = () => post("/sign_in_links", { email, as_owner: true }, server.operatorHeaders);
  const made = await make();
  expect(await statusWith(squatter.headers)).toBe(401);
  expect((await post("/session", { email, password: PASSWORD })).statusCode).toBe(401);
  const answer = await post("/session/link", { token: tokenOf(made.json().url) });
  expect(answer.json().organizations).toMatchObject([{ namespace: "default", role: "owner" }, { namespace: "globex" }]);
  await make();
  expect(await statusWith({ cookie: cookieOf(answer).split(";")[0] ?? "" })).toBe(200);
});

test("a link that was mailed shows nothing about an address that the member took later", async () => {
  const organization = await createOrganization("taken");
  const mallory = await signInAs(server, "viewer", { email: "mallory@evil.example" });
  const token = await mailedToken("mallory@evil.example");
  const payload = { email: "cfo@example.com", current_password: PASSWORD };
  await server.app.inject({ method: "PUT", url: "/api/v1/session/me", headers: mallory.headers, payload });
  const invitation = tokenOf(await invite(server, "owner", { email: "cfo@example.com", organization }));
  const victim = { token: invitation, name: "CFO", password: "a password of the victim" };
  expect((await post("/invitations/accept", victim)).statusCode).toBe(200);

  for (const path of ["/session/link/preview", "/session/link"]) {
    const refused = await post(path, { token });
    expect([refused.statusCode, refused.json().error.code]).toEqual([401, "invalid_token"]);
  }
  expect(await namespacesWith("cfo@example.com", victim.password)).toEqual([organization]);
  expect(await namespacesWith("cfo@example.com", PASSWORD)).toEqual(["default"]);
  expect(namespacesOf(await signInByMail("cfo@example.com"))).toEqual(["default", organization]);
  expect(await statusWith(mallory.headers)).toBe(401);
});
