import { describe, expect, test } from "vitest";
import { fakeDocument } from "../testing/fake-document.js";
import { MemoryStorage } from "../testing/memory-storage.js";
import { IdStore, isUsableId } from "./browser-ids.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function open({ hasCookies = true, hasStorage = true } = {}) {
  const clock = { now: 1_000_000 };
  const storage = new MemoryStorage();
  storage.isFull = !hasStorage;
  const document = fakeDocument(() => clock.now, { hasCookies });
  let created = 0;
  const createId = () => {
    created += 1;
    return `id-${created}`;
  };
  const ids = () => new IdStore({ document, storage, now: () => clock.now, createId });
  return { clock, storage, ids };
}

const PLACES = [
  ["cookies and storage", {}],
  ["cookies alone", { hasStorage: false }],
  ["storage alone", { hasCookies: false }],
  ["the page alone", { hasCookies: false, hasStorage: false }],
] as const;

describe.each(PLACES)("ids in %s", (_place, options) => {
  test("stay the same while the visitor is active", () => {
    const { ids, clock } = open(options);
    const store = ids();
    const first = store.touch();
    clock.now += 29 * MINUTE;
    expect(store.touch()).toEqual(first);
    clock.now += 29 * MINUTE;
    expect(store.touch()).toEqual(first);
  });

  test("are of a new visit after half an hour of silence, on the same page too", () => {
    const { ids, clock } = open(options);
    const store = ids();
    const first = store.touch();
    clock.now += 31 * MINUTE;
    const second = store.touch();
    expect(second.browser).toBe(first.browser);
    expect(second.session).not.toBe(first.session);
  });

  test("are new ones after a year, and after the visitor was forgotten", () => {
    const { ids, clock } = open(options);
    const store = ids();
    const first = store.touch();
    clock.now += 366 * DAY;
    const second = store.touch();
    expect(second.browser).not.toBe(first.browser);
    store.clear();
    expect(store.known()).toBeUndefined();
    expect(store.touch().browser).not.toBe(second.browser);
  });

  test("are replaced by those of the page", () => {
    const store = open(options).ids();
    store.touch();
    expect(store.touch({ browser: "mine", session: "also-mine" })).toEqual({ browser: "mine", session: "also-mine" });
    expect(store.known()).toBe("mine");
  });
});

describe("ids of two tabs", () => {
  test("are the same, also after one tab has forgotten the visitor", () => {
    const { ids } = open();
    const [one, other] = [ids(), ids()];
    const first = one.touch();
    expect(other.touch()).toEqual(first);
    one.clear();
    expect(other.touch().browser).not.toBe(first.browser);
    expect(one.touch()).toEqual(other.touch());
  });
});

test.each([
  ["a", true],
  ["A-b_c.d~9", true],
  ["x".repeat(128), true],
  ["x".repeat(129), false],
  ["", false],
  ["a b", false],
  ["a\n", false],
  ["<script>", false],
  [7, false],
])("%j is an id: %s", (id, expected) => {
  expect(isUsableId(id)).toBe(expected);
});
