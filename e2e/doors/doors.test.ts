// @module-tag long
import { createRequire } from "node:module";
import { min as segmentSnippet } from "@segment/snippet";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { canTest, isInstalled } from "../../testing/can-test.js";
import { CHROMIUM } from "../../testing/chromium.js";
import { guideBlock } from "../guides/kit/guide-block.js";
import { PATIENCE } from "../support/patience.js";
import { Beats } from "./kit/beats.js";
import { DoorServer } from "./kit/door-server.js";
import { LosingProxy } from "./kit/losing-proxy.js";
import { NODE_LIBRARIES, type OpenLibrary, packageOf } from "./kit/node-libraries.js";
import { Report } from "./kit/report.js";
import { CAMPAIGN, COMPANY, idsOf, knownAfter, ORDER, TRAITS, tellStory } from "./kit/story.js";
import { bundle, SITE, type Visit, Website } from "./kit/visited-page.js";
import { APP, type Keys, sendWireForm, VISITOR, WIRE_FORMS } from "./kit/wire-forms.js";

// The public analytics libraries, as they are in their packages, send to a server. Their table is printed at the end.

const ANALYTICS_JS = packageOf(
  "@segment/analytics-next",
  createRequire(new URL("../../apps/server/", import.meta.url)),
);
const hasBrowser = canTest(
  isInstalled(CHROMIUM),
  `analytics.js is not tested: there is no ${CHROMIUM}. Install the package chromium, or set CHROMIUM to a browser.`,
);

const report = new Report();
let door: DoorServer;
let keys: Keys;
/** A page key whose owner believes what pages say. */
let trustedKey: string;
let website: Website;

beforeAll(async () => {
  door = await DoorServer.open();
  const ofPages = { kind: "page" as const, domains: [SITE] };
  keys = {
    server: await door.createKey({ kind: "server", name: "Backend" }),
    page: await door.createKey({ ...ofPages, name: "Site", apps: [APP] }),
  };
  trustedKey = await door.createKey({ ...ofPages, name: "Portal", trust_identify: true });
  if (hasBrowser) website = await Website.open();
});
afterAll(async () => {
  report.print();
  await website?.close();
  await door?.server.close();
});

describe("a library on a server", () => {
  test.each(NODE_LIBRARIES)("$name $version", async (library) => {
    const ids = idsOf(library.name);
    const opened = library.open({ url: door.server.url, key: keys.server });
    const story = tellStory(ids);
    await Promise.all(story.map(([type, message]) => opened.send(type, message)));
    await opened.close();
    const known = knownAfter(ids);
    const { id } = await door.user({ external_id: ids.user }, (user) => expect(user).toMatchObject(known.user));
    const events = await door.events(id, known.events.length);
    expect(events.map(({ event }) => event).sort()).toEqual(known.events);
    expect(events.find(({ event }) => event === "Order completed")).toMatchObject({
      ...known.order,
      context: { ...known.order.context, library: { version: library.version } },
    });
    for (const [event, properties] of Object.entries(known.views)) {
      expect(events.find((found) => found.event === event)?.properties).toEqual(properties);
    }
    report.add(
      library,
      story.map(([type]) => type),
      `1 user with 4 attributes, 1 account, ${events.length} events`,
    );
  });
});

describe.runIf(hasBrowser)("analytics.js on a page", () => {
  test("from npm, with a page key that is trusted", async () => {
    const ids = idsOf("analytics.js of npm");
    const code = guideBlock("docs/analytics-sdks.md", "browser");
    const visit = await open("npm", await bundle(`${code}\nwindow.analytics = analytics;`), trustedKey);
    await visit.page.evaluate(
      async ([{ user, account, email }, traits, company, order]) => {
        const { analytics } = globalThis as unknown as {
          analytics: Record<string, (...args: unknown[]) => Promise<unknown>>;
        };
        await analytics.track!("Cart viewed");
        await analytics.alias!(user);
        await analytics.identify!(user, { ...traits, email });
        await analytics.group!(account, company);
        await analytics.page!("Docs", "Pricing");
        await analytics.screen!("Main", { tab: 2 });
        await analytics.track!("Order completed", order);
      },
      [ids, TRAITS, COMPANY, ORDER] as const,
    );
    const { anonymous_ids: _made, ...user } = knownAfter(ids).user;
    const { id } = await door.user({ external_id: ids.user }, (found) => expect(found).toMatchObject(user));
    const events = await door.events(id, 5);
    expect(events.map(({ event }) => event).sort()).toEqual([...knownAfter(ids).events, "Page viewed"].sort());
    expect(events.find(({ event }) => event === "Order completed")).toMatchObject({
      properties: ORDER,
      context: contextOn(visit, `npm:next-${ANALYTICS_JS.version}`),
    });
    expect(visit.strangers).toEqual([]);
    report.add(
      { ...ANALYTICS_JS, name: `${ANALYTICS_JS.name} (npm)` },
      ["page", "page", "track", "track", "alias", "identify", "group", "screen"],
      `1 user with 4 attributes, 1 account, ${events.length} events`,
    );
  });

  test("as Segment's snippet with one address changed, with a page key that proves nothing", async () => {
    const ids = idsOf("analytics.js of the snippet");
    const snippet = segmentSnippet({ apiKey: "PAGE_KEY", page: true }).replace(
      "https://cdn.segment.com",
      "https://muster.example.com",
    );
    const visit = await open("snippet", `<script>${snippet}</script>`, keys.page);
    await visit.page.evaluate(
      ([{ user, account, email }, traits, company, order]) => {
        const { analytics } = globalThis as unknown as { analytics: Record<string, (...args: unknown[]) => unknown> };
        analytics.identify!(user, { ...traits, email });
        analytics.group!(account, company);
        analytics.track!("Order completed", order);
      },
      [ids, TRAITS, COMPANY, ORDER] as const,
    );
    const visitor = await vi.waitFor(async () => {
      const id = await visit.page.evaluate("window.analytics.user && window.analytics.user().anonymousId()");
      expect(id).toEqual(expect.any(String));
      return id as string;
    }, PATIENCE);
    const hints = {
      traits_claimed_user_id: ids.user,
      traits_claimed_account_id: ids.account,
      traits_plan: TRAITS.plan,
    };
    const found = await door.user({ anonymous_ids: visitor }, (user) => expect(user).toMatchObject(hints));
    expect([found.external_id ?? null, found.account ?? null]).toEqual([null, null]);
    // In the order of names: calls of the same millisecond have no order.
    const events = (await door.events(found.id, 2)).sort((a, b) => a.event.localeCompare(b.event));
    expect(events.map(({ event }) => event)).toEqual(["Order completed", "Page viewed"]);
    expect(events[0]).toMatchObject({ properties: ORDER, context: contextOn(visit, `next-${ANALYTICS_JS.version}`) });
    expect(visit.strangers).toEqual([]);
    report.add(
      { ...ANALYTICS_JS, name: `${ANALYTICS_JS.name} (snippet)` },
      ["page", "identify", "group", "track"],
      "1 visitor with the claims as hints, no account, 2 events",
    );
  });

  test("as the short snippet of the guide", async () => {
    const visit = await open("short", guideBlock("docs/analytics-sdks.md", "snippet"), keys.page);
    await visit.page.waitForFunction("window.analytics.user");
    const visitor = (await visit.page.evaluate("window.analytics.user().anonymousId()")) as string;
    const { id } = await door.user({ anonymous_ids: visitor }, () => {});
    expect(await door.events(id, 1)).toMatchObject([{ event: "Page viewed", context: { campaign: CAMPAIGN } }]);
    expect(visit.strangers).toEqual([]);
  });
});

describe("what a library of another language sends, by its source", () => {
  test.each(WIRE_FORMS)("$language ($source)", async (form) => {
    const block = BLOCKS[form.language]!;
    for (const text of ["muster.example.com", form.isByApp ? "PAGE_KEY" : "WRITE_KEY", "Order completed", "total"]) {
      expect(block).toContain(text);
    }
    const answer = await sendWireForm(form, door.server.url, keys);
    expect([answer.status, await answer.json()]).toMatchObject([200, { success: true, rejected: [] }]);
    const identifier: Record<string, string> = form.isByApp ? { anonymous_ids: VISITOR } : { external_id: "u-42" };
    const { id } = await door.user(identifier, () => {});
    const found = await vi.waitFor(async () => {
      const events = (await door.events(id, 1)).filter(
        ({ context }) => (context.library as typeof form.library | undefined)?.name === form.library.name,
      );
      expect(events.at(-1)?.event).toBe("Order completed");
      return events;
    }, PATIENCE);
    expect(found.at(-1)).toMatchObject({ properties: { total: 120 } });
    if (form.isByApp) {
      expect(found.map(({ event }) => event)).toEqual(["Application Opened", "Screen viewed", "Order completed"]);
      expect(found[0]).toMatchObject({
        context: { app: { namespace: APP }, device: { id: VISITOR }, ip: expect.any(String) },
      });
    }
    report.add(
      { name: `${form.library.name}, written by hand` },
      found.map(({ event }) => (event === "Screen viewed" ? "screen" : "track")),
      found.length === 1 ? "1 event" : `1 visitor, ${found.length} events`,
    );
  });
});

test("a server that is killed while they send loses no call and counts none twice, nor does a lost answer", async () => {
  const proxy = await LosingProxy.open(door.server.url);
  const target = { url: proxy.url, key: keys.server };
  const beats = NODE_LIBRARIES.map((library) => new Beats(library, library.open(target)));
  if (hasBrowser) beats.push(new Beats({ ...ANALYTICS_JS, name: `${ANALYTICS_JS.name} (npm)` }, await openOnPage()));
  const ended = beats.map((each) => each.run());
  await vi.waitFor(() => expect(proxy.lost).toBeGreaterThan(beats.length), PATIENCE);
  // The libraries wait longer after each attempt, so these calls arrive before the next problem.
  proxy.isLosing = false;
  const begun = beats.map(({ sent }) => sent);
  await vi.waitFor(() => expect(beats.every((each, index) => each.delivered >= begun[index]!)).toBe(true), PATIENCE);
  await door.server.killAndRestart(async () => {
    const before = beats.map(({ sent }) => sent);
    await vi.waitFor(() => expect(beats.every(({ sent }, index) => sent > before[index]! + 5)).toBe(true), PATIENCE);
  });
  for (const each of beats) each.stop();
  await Promise.all(ended);
  await proxy.close();
  for (const { library, event, sent } of beats) {
    const numbers = await door.numbersOf(event, sent);
    expect([event, numbers]).toEqual([event, Array.from({ length: sent }, (_, index) => index)]);
    report.add(library, [`${sent} track during kill -9`], `${numbers.length} events: 0 lost, 0 twice`);
  }
});

/** analytics.js on a page of its own. A call that could not be sent waits in the page. */
async function openOnPage(): Promise<OpenLibrary> {
  const code = guideBlock("docs/analytics-sdks.md", "browser");
  const { page } = await open("beats", await bundle(`${code}\nwindow.analytics = analytics;`), keys.page);
  return {
    send: async (_type, { event, properties }) => {
      await page.evaluate(
        ([name, given]) => {
          const { analytics } = globalThis as unknown as { analytics: { track(...args: unknown[]): Promise<unknown> } };
          return analytics.track(name, given).then(() => undefined);
        },
        [event, properties] as const,
      );
    },
    // The page goes on sending what it could not send, until the browser is closed.
    close: async () => {},
  };
}

const BLOCKS: Record<string, string> = {
  python: guideBlock("docs/analytics-sdks.md", "python"),
  go: guideBlock("docs/analytics-sdks.md", "go"),
  php: guideBlock("docs/analytics-sdks.md", "php"),
  ruby: guideBlock("docs/analytics-sdks.md", "ruby"),
  java: guideBlock("docs/analytics-sdks.md", "java"),
  swift: guideBlock("docs/analytics-sdks.md", "swift"),
  kotlin: guideBlock("docs/analytics-sdks.md", "kotlin"),
};

function open(name: string, head: string, key: string): Promise<Visit> {
  const { url } = door.server;
  return website.visit(name, head.replaceAll("https://muster.example.com", url).replaceAll("PAGE_KEY", key), url);
}

function contextOn({ address }: Visit, version: string) {
  return {
    page: { url: address, title: "Shop" },
    campaign: CAMPAIGN,
    library: { name: "analytics.js", version },
    ip: "127.0.0.1",
  };
}
