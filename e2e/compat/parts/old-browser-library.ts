import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { signToken } from "@muster/protocol";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { canTest, isInstalled } from "../../../testing/can-test.js";
import { CHROMIUM } from "../../../testing/chromium.js";
import { CERTIFICATE_FILE, type Installed, KEY_FILE } from "../support/hull-server.js";
import { PATIENCE } from "../support/patience.js";
import type { PublishedPlatform } from "../support/published-platform.js";

const hasBrowser = canTest(
  isInstalled(CHROMIUM),
  `Pages with the old library are not tested: there is no ${CHROMIUM}. Install the package chromium, or set CHROMIUM to a browser.`,
);

const LIBRARY = readFileSync(new URL("../old-library/library.js", import.meta.url), "utf8");
const NAMESPACE = "old-pages";
/** The server is at old-pages.hull.test: the first page is of another site, the second one of the same. */
const SITES = ["shop.test", "www.hull.test"];
const EVIL = "evil.test";

const LAUNCH = {
  executablePath: CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP *.test 127.0.0.1"],
};

interface User {
  id: string;
  email: string;
}

export function testOldBrowserLibrary(platform: () => PublishedPlatform): void {
  describe.runIf(hasBrowser)("a page", () => {
    let browser: Browser;
    let web: Server;
    let connector: Installed;
    let platformId: string;

    beforeAll(async () => {
      connector = await platform().install(NAMESPACE);
      const given = { name: "Shop", domains: SITES, settings: { color: "red" } };
      const created = await platform().server.operator(NAMESPACE, "POST", "/platforms", given);
      platformId = (created.body as { id: string }).id;
      web = createServer({ cert: readFileSync(CERTIFICATE_FILE), key: readFileSync(KEY_FILE) }, (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "", "https://localhost");
        if (pathname === "/library.js") return response.setHeader("content-type", "text/javascript").end(LIBRARY);
        response.setHeader("content-type", "text/html").end(pageHtml(searchParams.get("token")));
      });
      await once(web.listen(0, "127.0.0.1"), "listening");
      browser = await chromium.launch(LAUNCH);
    });
    afterAll(async () => {
      await browser?.close();
      web?.closeAllConnections();
      web?.close();
    });

    function pageHtml(token: string | null): string {
      const more = token === null ? "" : ` data-access-token="${token}"`;
      const tag = `id="hull-js-sdk" data-platform-id="${platformId}" data-org-url="${serverUrl()}"${more}`;
      return `<!doctype html><title>Shop</title><script ${tag} src="/library.js"></script><body>Tea</body>`;
    }

    const serverUrl = () => `https://${connector.organization}`;
    const address = (site: string, path = "/") => `https://${site}:${(web.address() as AddressInfo).port}${path}`;
    /** It gives frames no cookies of their own site, as browsers do that protect against it. */
    const newContext = () => browser.newContext({ ignoreHTTPSErrors: true });
    /** It gives frames these cookies. Playwright makes and removes the folder of a profile without a path. */
    const newProfile = () => chromium.launchPersistentContext("", { ...LAUNCH, ignoreHTTPSErrors: true });

    async function visit(context: BrowserContext, url: string): Promise<Page> {
      const page = await context.newPage();
      await page.goto(url);
      await page.evaluate("Hull.ready.then(() => true)");
      return page;
    }

    /** Whom the library knows when a page is opened. */
    async function userOnArrival(page: Page): Promise<string | undefined> {
      await page.waitForFunction("window.Hull && window.Hull.ready");
      return page.evaluate("Hull.ready.then(({ me }) => me && me.email)");
    }

    function tokenOf(email: string): string {
      const { id, secret } = connector;
      const iat = Math.floor(Date.now() / 1_000);
      return signToken({ iss: id, iat, "io.hull.subjectType": "user", "io.hull.asUser": { email } }, secret);
    }

    const signIn = (page: Page, email: string, options = "") =>
      page.evaluate<User | false>(`Hull.login({ access_token: "${tokenOf(email)}"${options} })`);

    async function search<Row>(kind: "events" | "user_reports", query: object): Promise<Row[]> {
      const found = await platform().server.operator(NAMESPACE, "POST", `/search/${kind}`, { query });
      return (found.body as { data: Row[] }).data;
    }

    describe.each(SITES)("of %s", (site) => {
      const person = (name: string) => `${name}@${site}`;

      test("signs in, and is signed in on the next page, until it signs out", async () => {
        const context = await newContext();
        const page = await visit(context, address(site));
        expect(await userOnArrival(page)).toBeUndefined();
        expect(await signIn(page, person("ann"))).toMatchObject({ email: person("ann") });
        expect(await page.evaluate("Hull.api('app').then(({ body }) => body)")).toMatchObject({ id: platformId });
        expect(await page.evaluate(`Hull.track("Bought on ${site}").then(({ status }) => status)`)).toBe(204);
        const next = await visit(context, address(site, "/cart"));
        expect(await userOnArrival(next)).toBe(person("ann"));
        expect(await next.evaluate("Hull.logout()")).toBe(false);
        expect(await next.evaluate(`Hull.track("Left on ${site}").then(({ status }) => status)`)).toBe(204);
        expect(await userOnArrival(await visit(context, address(site)))).toBeUndefined();
        await vi.waitFor(async () => {
          const [ann] = await search<User>("user_reports", { term: { email: person("ann") } });
          const owners = await Promise.all(
            ["Bought", "Left"].map((what) =>
              search<{ user_id: string }>("events", { term: { event: `${what} on ${site}` } }),
            ),
          );
          const isHers = owners.map(([event]) => event?.user_id === ann?.id);
          expect([ann?.email, owners.map(({ length }) => length), isHers]).toEqual([
            person("ann"),
            [1, 1],
            [true, false],
          ]);
        }, PATIENCE);
        await context.close();
      });

      test("signs in and out by a form and a redirection", async () => {
        const context = await newProfile();
        const page = await visit(context, address(site, "/form"));
        const back = page.waitForNavigation({ url: address(site, "/form") });
        await signIn(page, person("bob"), ', strategy: "redirect"');
        await back;
        expect(await userOnArrival(page)).toBe(person("bob"));
        const out = page.waitForNavigation({ url: address(site, "/form") });
        await page.evaluate('Hull.logout({ strategy: "redirect" }).then(() => true)').catch(() => undefined);
        await out;
        expect(await userOnArrival(page)).toBeUndefined();
        await context.close();
      });

      test("gives the server of the website the signed id of the user", async () => {
        const context = await newContext();
        const page = await visit(context, address(site));
        const me = await signIn(page, person("cas"));
        const kept = async () =>
          (await context.cookies(address(site))).find(({ name }) => name === `hull_${platformId}`);
        const value = Buffer.from(decodeURIComponent((await kept())?.value ?? ""), "base64").toString();
        const { "Hull-User-Id": id, "Hull-User-Sig": signature } = JSON.parse(value) as Record<string, string>;
        const [at, digest] = signature?.split(".") ?? [];
        expect(me).toMatchObject({ id });
        expect(digest).toBe(createHmac("sha1", connector.secret).update(`${at}-${id}`).digest("hex"));
        await page.evaluate('Hull.track("Read").then(() => true)');
        expect(await kept()).toBeDefined();
        await page.evaluate("Hull.logout()");
        expect(await kept()).toBeUndefined();
        await context.close();
      });
    });

    test("with the token of a user who is not known yet creates the user", async () => {
      const context = await newContext();
      const page = await visit(context, address("shop.test", `/?token=${tokenOf("new@shop.test")}`));
      expect(await userOnArrival(page)).toBe("new@shop.test");
      await context.close();
    });

    test("is told why it cannot sign up, reset a password or confirm an address, and shares", async () => {
      const context = await newContext();
      await context.route("https://www.facebook.com/**", (route) => route.fulfill({ body: "shared" }));
      const page = await visit(context, address("shop.test"));
      for (const call of ['signup({ email: "a@b.test" })', 'resetPassword("a@b.test")', 'confirmEmail("a@b.test")']) {
        const answer = await page.evaluate<{ status: number; body: { message: string } }>(`Hull.${call}`);
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining("login({access_token})")]);
      }
      const popup = context.waitForEvent("page");
      await page.evaluate('Hull.share({ provider: "facebook", params: { url: "https://shop.test/tea" } })');
      await (await popup).waitForURL("https://www.facebook.com/sharer/sharer.php?u=https%3A%2F%2Fshop.test%2Ftea");
      await context.close();
    });

    test("of another website reads and writes nothing as the user who is signed in", async () => {
      const context = await newContext();
      await signIn(await visit(context, address("shop.test")), "eve-victim@shop.test");
      const evil = await context.newPage();
      await evil.goto(address(EVIL));
      const attempt = (path: string, init: object) =>
        evil.evaluate<string>(
          `fetch("${serverUrl()}/api/v1${path}", ${JSON.stringify({ credentials: "include", ...init })})
             .then((answer) => answer.text(), () => "refused")`,
        );
      const headers = { "Hull-App-Id": platformId };
      expect(await attempt("/me", { headers })).toBe("refused");
      expect(await attempt("/me", {})).toBe("refused");
      expect(await attempt("/t", { method: "POST", headers, body: '{"event":"Forged"}' })).toBe("refused");
      expect(await attempt("/me", { mode: "no-cors" })).toBe("refused");
      // The frame of the library is not shown, so nobody answers.
      const blocked = evil.waitForEvent("console", (entry) => entry.text().includes("frame-ancestors"));
      const query = `js=${encodeURIComponent(address("shop.test", "/library.js"))}`;
      await evil.evaluate(
        `document.body.append(Object.assign(document.createElement("iframe"), { src: "${serverUrl()}/api/v1/${platformId}/remote.html?${query}" }))`,
      );
      await blocked;
      // A form would sign the visitor in as the attacker, and lead to the attacker's page.
      const answered = evil.waitForResponse((answer) => answer.url().endsWith("/users/login"));
      await evil.evaluate(`(() => {
        const form = Object.assign(document.createElement("form"), { method: "post", action: "${serverUrl()}/api/v1/users/login" });
        for (const [name, value] of [["access_token", "${tokenOf("attacker@evil.test")}"], ["redirect_url", location.href]])
          form.append(Object.assign(document.createElement("input"), { name, value }));
        document.body.append(form);
        form.submit();
      })()`);
      expect((await answered).status()).toBe(403);
      const again = await visit(context, address("shop.test"));
      expect(await userOnArrival(again)).toBe("eve-victim@shop.test");
      expect(await search("events", { term: { event: "Forged" } })).toEqual([]);
      await context.close();
    });
  });
}
