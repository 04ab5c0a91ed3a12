import { beforeEach, describe, expect, test } from "vitest";
import { IdStore } from "../identity/browser-ids.js";
import { Outbox, type StoredBatch } from "../outbox/outbox.js";
import { Sender } from "../outbox/sender.js";
import type { PageConfig } from "../page-config.js";
import { fakeDocument } from "../testing/fake-document.js";
import { MemoryStorage } from "../testing/memory-storage.js";
import { Privacy } from "./privacy.js";
import { Visitor } from "./visitor.js";

const pageWith = (settings: PageConfig["app"]["settings"]): PageConfig => ({
  org: { id: "o", namespace: "acme", name: "Acme" },
  app: { id: "p", name: "Shop", domains: [], settings },
  deployments: [],
  services: { settings: {}, types: {} },
});
const [FREE, ASKS] = [pageWith({}), pageWith({ consent: "required" })];

let storage: MemoryStorage;
let document: Document;
let sent: StoredBatch[];
let ids: number;
beforeEach(() => {
  [storage, document, sent, ids] = [new MemoryStorage(), fakeDocument(() => 1_000), [], 0];
});

/** A tab of the site. Records are sent at once. */
function openTab(): Visitor {
  const createId = () => {
    ids += 1;
    return `id-${ids}`;
  };
  const now = () => 1_000;
  return new Visitor({
    ids: new IdStore({ document, storage, now, createId }),
    given: {},
    storage,
    tokenKey: "token",
    privacy: new Privacy("consent", storage, {} as Navigator),
    createId,
    now,
    createSender: (visitor) =>
      new Sender({
        outbox: new Outbox("batch", storage),
        visitor,
        createId,
        now,
        send: async (batch) => {
          sent.push(batch);
          return { kind: "taken", rejected: [] };
        },
        leave: () => undefined,
        alone: (work) => work(),
        setTimer: (work) => queueMicrotask(work),
      }),
  });
}

describe("a visitor", () => {
  test("who opts out is not sent any more, not even what was made before", async () => {
    const tab = openTab();
    tab.begin(FREE);
    const code = tab.record("track", { event: "a" }).catch((error: { code: string }) => error.code);
    tab.optOut();
    expect(await code).toBe("opted_out");
    expect(sent).toEqual([]);
    expect(storage.keys()).toEqual(["consent"]);
  });

  test("who opts out in one tab is not recorded in another", async () => {
    const [one, other] = [openTab(), openTab()];
    one.begin(FREE);
    other.begin(FREE);
    one.optOut();
    other.reconsider();
    await expect(other.record("track", { event: "a" })).rejects.toMatchObject({ code: "opted_out" });
    expect(storage.keys()).toEqual(["consent"]);
  });

  test("is forgotten when the platform asks for consent from now on", async () => {
    const tab = openTab();
    tab.begin(FREE);
    await tab.record("track", { event: "a" });
    expect(storage.keys()).not.toEqual([]);
    tab.begin(ASKS);
    expect([storage.keys(), document.cookie]).toEqual([[], ""]);
  });

  test("is recorded with what waited for consent", async () => {
    const tab = openTab();
    const waiting = tab.record("track", { event: "a" });
    tab.begin(ASKS);
    expect(storage.keys()).toEqual([]);
    tab.optIn();
    await waiting;
    expect(sent.flatMap(({ records }) => records.map(({ body }) => body))).toEqual([{ event: "a" }]);
  });

  test("knows when another tab has signed in or out", () => {
    const [one, other] = [openTab(), openTab()];
    for (const tab of [one, other]) tab.begin(FREE);
    one.signIn({ id: "u" }, "token-of-u");
    expect([one.isTokenOld, other.isTokenOld, other.token]).toEqual([false, true, "token-of-u"]);
    other.signIn({ id: "u" }, "token-of-u");
    one.signOut();
    expect([one.isTokenOld, other.isTokenOld]).toEqual([false, true]);
  });

  test("stays signed in on a page whose storage is full", () => {
    const tab = openTab();
    tab.begin(FREE);
    storage.isFull = true;
    tab.signIn({ id: "u" }, "token-of-u");
    expect([tab.isTokenOld, tab.token]).toEqual([false, "token-of-u"]);
  });

  test("on a page that cannot start is told why", async () => {
    const tab = openTab();
    const waiting = tab.record("track", { event: "a" });
    tab.fail(Object.assign(new Error("gone"), { name: "BrowserError", code: "refused" } as const));
    await expect(waiting).rejects.toMatchObject({ code: "refused" });
    await expect(tab.record("track", { event: "b" })).rejects.toMatchObject({ code: "refused" });
  });
});
