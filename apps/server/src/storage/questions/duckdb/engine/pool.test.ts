import { expect, test } from "vitest";
import { type Claim, Pool, type PoolOptions } from "./pool.js";

/** A pool whose users stay until the test lets them go. */
class Users {
  readonly #pool: Pool<number>;
  readonly #leave = new Map<string, () => void>();
  /** Who has an item, in the order in which they got it. */
  readonly having: string[] = [];
  made = 0;

  constructor(options: PoolOptions) {
    this.#pool = new Pool(options, async () => ++this.made);
  }

  /** The owner is the letter of the name. */
  come(name: string, claim: Partial<Claim> = {}): Promise<void> {
    return this.#pool.use({ owner: name.charAt(0), ...claim }, () => {
      this.having.push(name);
      return new Promise((resolve) => this.#leave.set(name, resolve));
    });
  }

  /** Lets one go, and returns who has an item when everybody has moved on. */
  async go(name: string): Promise<string> {
    this.having.splice(this.having.indexOf(name), 1);
    this.#leave.get(name)?.();
    return this.settled();
  }

  async settled(): Promise<string> {
    // Everything that happens is a promise: nothing is left when the next turn of the event loop begins.
    await new Promise((resolve) => setImmediate(resolve));
    return this.having.join(" ");
  }

  close(): Promise<number[]> {
    return this.#pool.close();
  }
}

function openUsers(options: PoolOptions, ...names: string[]): Users {
  const users = new Users(options);
  for (const name of names) void users.come(name);
  return users;
}

test("items are made when they are needed, and used again", async () => {
  const users = openUsers({ size: 3 }, "a1", "a2");
  expect([await users.settled(), users.made]).toEqual(["a1 a2", 2]);
  await users.go("a1");
  void users.come("a3");
  expect([await users.settled(), users.made]).toEqual(["a2 a3", 2]);
});

test("owners who wait get items in turns, whoever came first", async () => {
  const users = openUsers({ size: 2 }, "a1", "a2", "a3", "a4", "b1", "b2", "c1");
  expect(await users.settled()).toBe("a1 a2");
  expect(await users.go("a1")).toBe("a2 b1");
  expect(await users.go("a2")).toBe("b1 a3");
  expect(await users.go("b1")).toBe("a3 c1");
  expect(await users.go("c1")).toBe("a3 b2");
  expect(await users.go("b2")).toBe("a3 a4");
});

test("whoever has the fewest gets the next item, so that all who wait get as many", async () => {
  const users = openUsers({ size: 4 }, "a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3");
  expect(await users.settled()).toBe("a1 a2 a3 a4");
  expect(await users.go("a1")).toBe("a2 a3 a4 b1");
  expect(await users.go("a2")).toBe("a3 a4 b1 b2");
  expect(await users.go("b1")).toBe("a3 a4 b2 b3");
  expect(await users.go("b2")).toBe("a3 a4 b3 a5");
});

test("an item is kept for whoever has none, and others for the pipeline", async () => {
  const users = openUsers({ size: 4, forPipeline: 1, forNewcomers: 1 }, "a1", "a2", "a3");
  expect(await users.settled()).toBe("a1 a2");
  void users.come("b1");
  void users.come("c1");
  expect(await users.settled()).toBe("a1 a2 b1");
  void users.come("p1", { isOfPipeline: true });
  void users.come("p2", { isOfPipeline: true });
  expect(await users.settled()).toBe("a1 a2 b1 p1");
  expect(await users.go("b1")).toBe("a1 a2 p1");
  expect(await users.go("a1")).toBe("a2 p1 c1");
});

test("whoever gives up leaves the queue at once, with the reason", async () => {
  const users = openUsers({ size: 1 }, "a1");
  const signals = [new AbortController(), new AbortController()];
  const second = users.come("b1", { signal: signals[0]!.signal });
  const third = users.come("c1", { signal: signals[1]!.signal });
  signals[0]!.abort(new Error("gone"));
  await expect(second).rejects.toThrow("gone");
  expect(await users.go("a1")).toBe("c1");
  // Whoever has an item already decides by itself.
  signals[1]!.abort();
  expect(await users.go("c1")).toBe("");
  await third;
  await expect(users.come("d1", { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
});

test("an item that cannot be made is an error of its user, and others get their turn", async () => {
  let attempts = 0;
  const pool = new Pool({ size: 1 }, async () => {
    attempts += 1;
    if (attempts === 1) throw new Error("no connection");
    return attempts;
  });
  const [first, second] = await Promise.allSettled(
    ["a", "b"].map((owner) => pool.use({ owner }, async (item) => item)),
  );
  expect([first?.status, second]).toEqual(["rejected", { status: "fulfilled", value: 2 }]);
});

test("closing waits for those who have an item and those who wait for one", async () => {
  const users = openUsers({ size: 1 }, "a1", "b1");
  await users.settled();
  const closed = users.close();
  expect(await users.go("a1")).toBe("b1");
  await users.go("b1");
  expect(await closed).toEqual([1]);
});
