import { describe, expect, test } from "vitest";
import type { NameSender } from "./name-sender.js";
import { AGREEING, NewNames } from "./new-names.js";

const LIMITS = { perOrganization: 50, perVisitor: 5 };
const browser = (visitor: number, network = 0): NameSender => ({
  isProved: false,
  visitor: `v${visitor}`,
  network: `n${network}`,
});
const user = (visitor: number): NameSender => ({ ...browser(visitor), visitor: `u${visitor}`, isProved: true });

/** Takes names of a sender until one is refused, and returns how many were taken. */
function takeAll(names: NewNames, senders: Iterable<NameSender>, prefix: string, each: number): number {
  let taken = 0;
  for (const [index, sender] of [...senders].entries()) {
    for (let name = 0; name < each; name += 1) {
      const wanted = { kind: "user" as const, name: `${prefix} ${index} ${name}`, type: "string" };
      if (names.take(wanted, sender) === undefined) taken += 1;
    }
  }
  return taken;
}

const wanted = (name: string) => ({ kind: "user" as const, name, type: "string" });
const many = (count: number, of: (index: number) => NameSender) =>
  Array.from({ length: count }, (_, index) => of(index));

describe("new names of end users", () => {
  test("one visitor defines so many, and any number of browsers of one network a fifth of all", () => {
    const names = new NewNames(LIMITS);
    expect(takeAll(names, [browser(1)], "one", 20)).toBe(5);
    expect(
      takeAll(
        names,
        many(100, (index) => browser(100 + index)),
        "many",
        20,
      ),
    ).toBe(5);
    expect(names.take(wanted("other"), browser(1_000, 1))).toBeUndefined();
  });

  test("browsers that use up their limit take nothing from users with a token, and the other way round", () => {
    const names = new NewNames(LIMITS);
    expect(
      takeAll(
        names,
        many(100, (index) => browser(index, index)),
        "flood",
        20,
      ),
    ).toBe(50);
    expect(takeAll(names, many(100, user), "users", 20)).toBe(50);
  });

  test("a name that several networks send is defined although browsers have used up their limit", () => {
    const names = new NewNames(LIMITS);
    takeAll(
      names,
      many(20, (index) => browser(index, index)),
      "flood",
      5,
    );
    const answers = many(AGREEING, (index) => browser(500 + index, 500 + index)).map((sender) =>
      names.take(wanted("real"), sender),
    );
    expect(answers.slice(0, -1).every((answer) => answer?.includes("END_USER_NEW_ATTRIBUTES_PER_DAY"))).toBe(true);
    expect(answers.at(-1)).toBeUndefined();
  });

  test("a network that has used up its limit agrees on nothing", () => {
    const names = new NewNames(LIMITS);
    for (let network = 0; network < AGREEING; network += 1) {
      expect(
        takeAll(
          names,
          many(2, (index) => browser(index + 10 * network, network)),
          `flood ${network}`,
          5,
        ),
      ).toBe(10);
    }
    for (let network = 0; network < AGREEING; network += 1) {
      expect(names.take(wanted("junk"), browser(900 + network, network))).toContain("VISITOR_NEW_ATTRIBUTES_PER_DAY");
    }
    expect(names.changes().waiting).toEqual([{ ...wanted("junk"), senders: [] }]);
  });

  test("what was counted and what waits is known to the next micro-batch", () => {
    const first = new NewNames({ perOrganization: 1, perVisitor: 1 });
    first.take(wanted("a"), browser(1, 1));
    first.take(wanted("b"), browser(2, 2));
    const { counted, waiting } = first.changes();
    const second = new NewNames({ perOrganization: 1, perVisitor: 1 }, { counts: counted, waiting });
    expect(second.take(wanted("c"), browser(3, 3))).toContain("END_USER_NEW_ATTRIBUTES_PER_DAY");
    expect(second.take(wanted("b"), browser(2, 2))).toContain("VISITOR_NEW_ATTRIBUTES_PER_DAY");
    expect(second.changes().waiting.find(({ name }) => name === "b")?.senders).toEqual(["n2"]);
  });
});
