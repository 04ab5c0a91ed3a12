import { beforeEach, describe, expect, test } from "vitest";
import { IdStore } from "../identity/browser-ids.js";
import { Outbox, type StoredBatch } from "../outbox/outbox.js";
import { Sender } from "../outbox/sender.js";
import type { PageConfig } from "../page-config.js";
import { fakeDocument } from "../testing/fake-document.js";
import { MemoryStorage } from "../testing/memory-storage.js";
import { Privacy } from "./privacy.js";
import { SaidConsents } from "./said-consents.js";
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
    consents: new SaidConsents(storage, "purposes"),
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

  test("agrees to purposes for this and later pages, and a refusal anywhere wins", () => {
    const tab = openTab();
    tab.begin(FREE);
    expect([tab.agreesTo([]), tab.agreesTo(["marketing"])]).toEqual([true, false]);
    tab.agree({ marketing: true, analytics: true });
    expect(openTab().agreesTo(["marketing", "analytics"])).toBe(true);
    openTab().agree({ analytics: false });
    expect(openTab().agreesTo(["marketing", "analytics"])).toBe(false);
    expect(openTab().agreesTo(["toString"])).toBe(false);
    const signedIn = openTab();
    signedIn.me = { id: "u", extra: { "consents/marketing": false, "consents/mail": true } };
    expect([signedIn.agreesTo(["marketing"]), signedIn.agreesTo(["mail"])]).toEqual([false, true]);
    tab.signOut();
    expect(openTab().agreesTo(["marketing"])).toBe(false);
  });

  test("who withdraws or signs out in one tab has not agreed in another", () => {
    const [one, other] = [openTab(), openTab()];
    for (const tab of [one, other]) tab.begin(FREE);
    one.agree({ marketing: true, mail: true });
    other.agree({ marketing: false });
    one.reconsider();
    expect([one.agreesTo(["marketing"]), one.agreesTo(["mail"])]).toEqual([false, true]);
    expect(openTab().agreesTo(["marketing"])).toBe(false);
    other.signOut();
    one.reconsider();
    expect([one.agreesTo(["mail"]), openTab().agreesTo(["mail"])]).toEqual([false, false]);
  });

  test("who agrees to purposes before being asked is remembered for the page, and stored after", () => {
    const tab = openTab();
    tab.agree({ marketing: true });
    tab.begin(ASKS);
    expect([storage.keys(), tab.agreesTo(["marketing"])]).toEqual([[], true]);
    tab.optIn();
    expect(openTab().agreesTo(["marketing"])).toBe(true);
    tab.optOut();
    expect([storage.keys(), tab.agreesTo(["marketing"])]).toEqual([["consent"], false]);
    tab.agree({ marketing: true });
    expect(tab.agreesTo(["marketing"])).toBe(false);
  });

  describe("who comes from another domain of the platform", () => {
    const sentIds = () => sent.map(({ visitor, records }) => [visitor.bid, records.map(({ body }) => body)]);
    const arriveWith = (tab: Visitor) => {
      const answer = {
        give: (_bid: string, _token?: string) => undefined as unknown,
        fail: () => undefined as unknown,
      };
      const asked = { times: 0 };
      tab.arriveWith(() => {
        asked.times += 1;
        return new Promise((resolve, reject) => {
          const give = (bid: string, token?: string) =>
            resolve(token === undefined ? { bid } : { bid, access_token: token });
          Object.assign(answer, { give, fail: () => reject(new Error("refused")) });
        });
      });
      return { answer, asked };
    };

    test("is the same visitor, also in the records of before the server has answered", async () => {
      const tab = openTab();
      const { answer, asked } = arriveWith(tab);
      const early = tab.record("track", { event: "early" });
      tab.begin(FREE);
      tab.begin(FREE);
      const waiting = tab.record("track", { event: "waiting" });
      expect([asked.times, sent, storage.keys(), tab.carriedId]).toEqual([1, [], [], undefined]);
      answer.give("carried");
      await tab.arrival;
      await Promise.all([early, waiting]);
      expect(sentIds()).toEqual([["carried", [{ event: "early" }, { event: "waiting" }]]]);
      expect(tab.carriedId).toBe("carried");
    });

    test("and has an id already gets the other one as an alias", async () => {
      const before = openTab();
      before.begin(FREE);
      const { bid } = before.ids();
      const tab = openTab();
      const { answer } = arriveWith(tab);
      tab.begin(FREE);
      answer.give("carried");
      await tab.arrival;
      await tab.record("track", { event: "a" });
      expect(sentIds()).toEqual([
        [bid, [{ anonymous_id: "carried" }]],
        [bid, [{ event: "a" }]],
      ]);
    });

    test("is signed in there too, unless somebody is signed in here", async () => {
      for (const [bid, token] of [
        ["carried", "token of ann"],
        ["another", "token of eve"],
      ] as const) {
        const tab = openTab();
        const { answer } = arriveWith(tab);
        tab.begin(FREE);
        answer.give(bid, token);
        await tab.arrival;
        expect(tab.token).toBe("token of ann");
      }
    });

    test("is a new visitor when the server refuses, and nothing is lost", async () => {
      const tab = openTab();
      const { answer } = arriveWith(tab);
      tab.begin(FREE);
      const waiting = tab.record("track", { event: "a" });
      answer.fail();
      await tab.arrival;
      await waiting;
      expect(sentIds()).toEqual([[expect.stringMatching(/^id-/), [{ event: "a" }]]]);
    });

    test("and leaves before the server has answered loses no record", () => {
      const tab = openTab();
      arriveWith(tab);
      tab.begin(FREE);
      void tab.record("track", { event: "a" });
      tab.leave();
      expect(storage.keys().filter((key) => key.startsWith("batch"))).toHaveLength(1);
    });

    test("is not asked about before the visitor agrees, and never after a refusal", async () => {
      const [agrees, refuses] = [openTab(), openTab()];
      const [one, other] = [arriveWith(agrees), arriveWith(refuses)];
      for (const tab of [agrees, refuses]) tab.begin(ASKS);
      expect([one.asked.times, other.asked.times]).toEqual([0, 0]);
      refuses.optOut();
      refuses.optIn();
      expect(other.asked.times).toBe(0);
      agrees.optIn();
      one.answer.give("carried");
      await agrees.arrival;
      expect(agrees.ids().bid).toBe("carried");
    });

    test("and refuses while the server is asked keeps no id", async () => {
      const tab = openTab();
      const { answer } = arriveWith(tab);
      tab.begin(FREE);
      tab.optOut();
      answer.give("carried");
      await tab.arrival;
      expect([storage.keys(), document.cookie]).toEqual([["consent"], ""]);
    });
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
