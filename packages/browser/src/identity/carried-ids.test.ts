import { expect, test } from "vitest";
import { CarriedIds } from "./carried-ids.js";

function open({ fails = false } = {}) {
  const clock = { now: 1_000_000 };
  const asked: string[] = [];
  const ids = new CarriedIds({
    now: () => clock.now,
    async ask(browserId, host) {
      asked.push(`${browserId} ${host}`);
      if (fails) throw new Error("unreachable");
      return { carried: `carried-${asked.length}`, expires_in: 120 };
    },
  });
  /** Prepares a host, and waits until the server has answered. */
  const prepare = async (browserId: string, host: string) => {
    void ids.prepare(browserId, host);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { clock, asked, ids, prepare };
}

test("the server is asked once for each host while its answer is fresh", async () => {
  const { clock, asked, ids, prepare } = open();
  for (let time = 0; time < 5; time += 1) await prepare("b", "blog.test");
  await prepare("b", "www.test:8080");
  expect(asked).toEqual(["b blog.test", "b www.test:8080"]);
  clock.now += 99_000;
  expect(ids.take("b", "blog.test")).toBe("carried-1");
  clock.now += 2_000;
  expect(ids.take("b", "www.test:8080")).toBeUndefined();
});

test("an answer is used for one link", async () => {
  const { ids, prepare } = open();
  await prepare("b", "blog.test");
  expect([ids.take("b", "blog.test"), ids.take("b", "blog.test")]).toEqual(["carried-1", undefined]);
  await prepare("b", "blog.test");
  expect(ids.take("b", "blog.test")).toBe("carried-2");
});

test("an answer for a visitor who has signed out is not used", async () => {
  const { ids, prepare } = open();
  await prepare("before", "blog.test");
  expect(ids.take("after", "blog.test")).toBeUndefined();
  await prepare("after", "blog.test");
  expect(ids.take("after", "blog.test")).toBe("carried-2");
});

test("a link that is followed before the server has answered carries nothing", () => {
  const { ids } = open();
  void ids.prepare("b", "blog.test");
  expect(ids.take("b", "blog.test")).toBeUndefined();
});

test("a server that gives none is asked again after a while", async () => {
  const { clock, asked, ids, prepare } = open({ fails: true });
  await prepare("b", "blog.test");
  await prepare("b", "blog.test");
  expect([asked.length, ids.take("b", "blog.test")]).toEqual([1, undefined]);
  clock.now += 10_000;
  await prepare("b", "blog.test");
  expect(asked).toHaveLength(2);
});
