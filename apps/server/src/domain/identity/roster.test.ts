import type { AccountClaims, SubjectType, UserClaims } from "@muster/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { createProfile, type Profile } from "../profiles/profile.js";
import { Roster } from "./roster.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const LIMITS = { mergesPerDay: 2, maxAnonymousIds: 3, maxSubjectBytes: 1_000_000 };

let users: Roster;
let accounts: Roster;
let refusals: string[];
beforeEach(() => {
  users = new Roster("user", LIMITS, NOW);
  accounts = new Roster("account", LIMITS, NOW);
  refusals = [];
});

const refuse = (reason: string) => {
  refusals.push(reason);
};

/** Loads a stored profile with these identifiers. */
function stored(id: string, identifiers: Profile["identifiers"], kind: SubjectType = "user"): Profile {
  const profile = { ...createProfile(kind, id, NOW), identifiers };
  (kind === "user" ? users : accounts).load(profile);
  return profile;
}

const resolve = (claims: UserClaims, create = true) => users.resolve(claims, { create, at: NOW }, refuse);
const resolveAccount = (claims: AccountClaims, create = true) => accounts.resolve(claims, { create, at: NOW }, refuse);

describe("claims resolve to", () => {
  test.each<[UserClaims, string]>([
    [{ id: "ann", external_id: "2" }, "the id, before all identifiers"],
    [{ external_id: "1", email: "free@example.com", anonymous_id: "free" }, "the external id, before the email"],
    [{ email: "ann@example.com", anonymous_id: "free" }, "the email, before the anonymous id"],
    [{ anonymous_id: "cookie", domain: "example.com" }, "the anonymous id, before the domain"],
    [{ domain: "ann.example" }, "the domain, when it is the only identifier"],
  ])("the owner, for %o: %s", (claims) => {
    const ann = stored("ann", {
      external_id: ["1"],
      email: ["ann@example.com"],
      anonymous_id: ["cookie"],
      domain: ["ann.example"],
    });
    stored("bob", { external_id: ["2"], domain: ["example.com"] });
    expect(resolve(claims)).toBe(ann);
  });

  test("the owner of the strongest identifier that has one", () => {
    const ann = stored("ann", { email: ["ann@example.com"] });
    expect(resolve({ external_id: "new", email: "ann@example.com" })).toBe(ann);
    expect(ann.identifiers).toEqual({ external_id: ["new"], email: ["ann@example.com"] });
  });

  test("a new user when the owner of a weaker identifier has another value of a stronger one", () => {
    const ann = stored("ann", { external_id: ["1"], email: ["shared@example.com"] });
    const other = resolve({ external_id: "2", email: "shared@example.com" });
    expect(other).not.toBe(ann);
    expect(users.isNew(other as Profile)).toBe(true);
    // The email still identifies its first owner.
    expect(other?.identifiers).toEqual({ external_id: ["2"] });
    expect(ann.identifiers.email).toEqual(["shared@example.com"]);
    expect(resolve({ email: "shared@example.com" })).toBe(ann);
    expect(refusals).toEqual([]);
  });

  test("a new user when the owner of the anonymous id has another email", () => {
    const ann = stored("ann", { email: ["ann@example.com"], anonymous_id: ["shared computer"] });
    const bob = resolve({ email: "bob@example.com", anonymous_id: "shared computer" });
    expect(bob).not.toBe(ann);
    expect(ann.identifiers.anonymous_id).toEqual(["shared computer"]);
    expect(bob?.identifiers).toEqual({ email: ["bob@example.com"] });
  });

  test("nobody when the id is unknown, whatever else is claimed, and nobody is created", () => {
    stored("ann", { email: ["ann@example.com"] });
    expect(resolve({ id: "nobody", email: "ann@example.com" })).toBeUndefined();
    expect(resolve({ id: "nobody" })).toBeUndefined();
    expect(users.changed()).toEqual([]);
  });

  test("the survivor of a merge, for the id of the loser", () => {
    const ann = createProfile("user", "ann", NOW);
    users.load(ann, ["merged-away"]);
    expect(resolve({ id: "merged-away" })).toBe(ann);
  });

  test("the same profile for an email in any case, and for a domain with or without scheme, path and www", () => {
    const ann = resolve({ email: "  Ann@Example.COM " });
    expect(resolve({ email: "ann@example.com" })).toBe(ann);
    const acme = resolveAccount({ domain: "https://www.Acme.com:443/about?x#y" });
    expect(resolveAccount({ domain: "acme.com" })).toBe(acme);
  });

  test("different profiles for external or anonymous ids that differ only in case", () => {
    expect(resolve({ external_id: "A1" })).not.toBe(resolve({ external_id: "a1" }));
    expect(resolve({ anonymous_id: "A1" })).not.toBe(resolve({ anonymous_id: "a1" }));
  });

  test("the account with the external id, then the domain, then the anonymous id", () => {
    const acme = stored("acme", { external_id: ["1"], domain: ["acme.com"], anonymous_id: ["x"] }, "account");
    const other = stored("other", { domain: ["other.com"] }, "account");
    expect(resolveAccount({ external_id: "1", domain: "other.com" })).toBe(acme);
    expect(resolveAccount({ domain: "acme.com", anonymous_id: "y" })).toBe(acme);
    expect(resolveAccount({ domain: "third.com", anonymous_id: "x" })).not.toBe(acme);
    // The domain is weaker than the external id, so its owner was merged into the account with the external id.
    expect(accounts.current(other)).toBe(acme);
  });
});

describe("when no profile is found", () => {
  test("a new one gets every claimed identifier", () => {
    const ann = resolve({ external_id: "1", email: "Ann@example.com", anonymous_id: "c", domain: "www.example.com" });
    expect(ann?.identifiers).toEqual({
      external_id: ["1"],
      email: ["ann@example.com"],
      anonymous_id: ["c"],
      domain: ["example.com"],
    });
    expect(users.changed()).toEqual([ann]);
    expect(users.identifierChanges().claimed).toHaveLength(4);
  });

  test("none is created when the token forbids it", () => {
    expect(resolve({ email: "ann@example.com" }, false)).toBeUndefined();
    expect(users.changed()).toEqual([]);
  });

  test("none is created from identifiers that are empty after normalising", () => {
    expect(resolve({ email: "  ", domain: "https://" })).toBeUndefined();
  });
});

test("createdAt is the time of the earliest record about a profile, in whatever order records arrive", () => {
  const at = (minutes: number) => ({ create: true, at: NOW + minutes * 60_000 });
  const ann = users.resolve({ external_id: "1" }, at(5), refuse);
  users.resolve({ external_id: "1" }, at(3), refuse);
  users.resolve({ external_id: "1" }, at(9), refuse);
  expect(ann?.createdAt).toBe(NOW + 3 * 60_000);
});

describe("owners of weaker identifiers", () => {
  test("are merged into the stronger one's owner when they do not contradict it", () => {
    const ann = stored("ann", { external_id: ["1"] });
    const visitor = stored("visitor", { anonymous_id: ["c1", "c2"] });
    expect(resolve({ external_id: "1", anonymous_id: "c1" })).toBe(ann);
    expect(ann.identifiers).toEqual({ external_id: ["1"], anonymous_id: ["c1", "c2"] });
    expect(users.current(visitor)).toBe(ann);
    expect(users.find("visitor")).toBe(ann);
    expect(users.merges()).toMatchObject([{ survivor: { id: "ann" }, loser: { id: "visitor" } }]);
    expect(users.identifierChanges().claimed).toEqual([
      { kind: "anonymous_id", value: "c1", id: "ann", from: ["visitor"], half: "visitor", isMoved: true },
      { kind: "anonymous_id", value: "c2", id: "ann", from: ["visitor"], half: "visitor", isMoved: true },
    ]);
  });

  test("are merged by email when only one of the two has an external id", () => {
    const ann = stored("ann", { external_id: ["1"] });
    const mail = stored("mail", { email: ["ann@example.com"] });
    resolve({ external_id: "1", email: "ann@example.com" });
    expect(users.current(mail)).toBe(ann);
  });

  test.each([
    ["another external id", { external_id: ["2"], anonymous_id: ["c"] }],
    ["another email", { email: ["bob@example.com"], anonymous_id: ["c"] }],
  ])("are not merged by anonymous id when they have %s", (_what, identifiers) => {
    const ann = stored("ann", { external_id: ["1"], email: ["ann@example.com"] });
    const other = stored("other", identifiers);
    expect(resolve({ external_id: "1", anonymous_id: "c" })).toBe(ann);
    expect(users.merges()).toEqual([]);
    expect(users.current(other)).toBe(other);
    expect(ann.identifiers.anonymous_id).toBeUndefined();
  });

  test("are merged when they share one of several emails", () => {
    const ann = stored("ann", { external_id: ["1"], email: ["a@example.com", "b@example.com"] });
    const other = {
      ...createProfile("user", "other", NOW),
      identifiers: { email: ["b@example.com", "c@example.com"], anonymous_id: ["c"] },
    };
    users.load(other);
    resolve({ external_id: "1", anonymous_id: "c" });
    expect(users.current(other)).toBe(ann);
  });

  test("are merged in chains, and every id finds the last survivor", () => {
    stored("one", { anonymous_id: ["c"] });
    stored("two", { email: ["ann@example.com"] });
    const three = stored("three", { external_id: ["1"] });
    resolve({ email: "ann@example.com", anonymous_id: "c" });
    resolve({ external_id: "1", email: "ann@example.com" });
    expect([users.find("one"), users.find("two")]).toEqual([three, three]);
  });

  test("are kept as they were before the merge, like the survivor", () => {
    stored("ann", { external_id: ["1"] });
    stored("visitor", { anonymous_id: ["c"] });
    resolve({ external_id: "1", anonymous_id: "c" });
    const [merge] = users.merges();
    expect(merge?.survivorBefore.identifiers).toEqual({ external_id: ["1"] });
    expect(merge?.loserBefore.identifiers).toMatchObject({ anonymous_id: ["c"] });
  });
});

describe("the limits", () => {
  test("refuse more merges than allowed on one day, with a reason", () => {
    stored("ann", { external_id: ["1"] });
    for (const name of ["a", "b", "c"]) stored(name, { domain: [`${name}.example`] });
    for (const name of ["a", "b", "c"]) resolve({ external_id: "1", domain: `${name}.example` });
    expect(users.merges()).toHaveLength(LIMITS.mergesPerDay);
    expect(refusals).toEqual([expect.stringContaining("MERGES_PER_DAY")]);
  });

  test("do not count merges of earlier days", () => {
    const ann = stored("ann", { external_id: ["1"] });
    ann.merges = { day: Math.floor(NOW / 86_400_000) - 1, count: 100 };
    stored("visitor", { anonymous_id: ["c"] });
    resolve({ external_id: "1", anonymous_id: "c" });
    expect(users.merges()).toHaveLength(1);
    expect(ann.merges.count).toBe(1);
  });

  test("refuse more anonymous ids than allowed, by merge, by claim and by alias, with a reason", () => {
    const ann = stored("ann", { external_id: ["1"], anonymous_id: ["a", "b"] });
    stored("visitor", { anonymous_id: ["c", "d"] });
    resolve({ external_id: "1", anonymous_id: "c" });
    expect(refusals).toEqual([expect.stringContaining("MAX_ANONYMOUS_IDS")]);
    resolve({ external_id: "1", anonymous_id: "e" });
    resolve({ external_id: "1", anonymous_id: "f" });
    users.alias(ann, { anonymous_id: "g" }, refuse);
    expect(refusals.slice(1)).toEqual([expect.stringContaining('"f" was not added'), expect.stringContaining('"g"')]);
    expect(ann.identifiers.anonymous_id).toEqual(["a", "b", "e"]);
  });
});

describe("alias", () => {
  test("adds an identifier that has no owner", () => {
    const ann = stored("ann", { external_id: ["1"] });
    users.alias(ann, { anonymous_id: "c", email: "Ann@example.com" }, refuse);
    expect(ann.identifiers).toEqual({ external_id: ["1"], email: ["ann@example.com"], anonymous_id: ["c"] });
    expect(refusals).toEqual([]);
  });

  test("merges the owner of the identifier, and refuses once when the owner contradicts", () => {
    const ann = stored("ann", { external_id: ["1"] });
    const visitor = stored("visitor", { anonymous_id: ["c"] });
    stored("bob", { external_id: ["2"], anonymous_id: ["d"] });
    users.alias(ann, { anonymous_id: "c" }, refuse);
    expect(users.current(visitor)).toBe(ann);
    users.alias(ann, { anonymous_id: "d" }, refuse);
    expect(refusals).toEqual(['The anonymous_id "d" belongs to another user.']);
  });

  test("refuses a second external id", () => {
    const ann = stored("ann", { external_id: ["1"] });
    users.alias(ann, { external_id: "2" }, refuse);
    expect(ann.identifiers.external_id).toEqual(["1"]);
    expect(refusals).toEqual(['The user ann already has the external_id "1"; "2" was not added.']);
  });

  test("gives one reason when a limit forbids the merge", () => {
    const ann = stored("ann", { external_id: ["1"], anonymous_id: ["a", "b"] });
    stored("visitor", { anonymous_id: ["c", "d"] });
    users.alias(ann, { anonymous_id: "c" }, refuse);
    expect(refusals).toHaveLength(1);
  });

  test("works for accounts", () => {
    const acme = stored("acme", { external_id: ["1"] }, "account");
    accounts.alias(acme, { domain: "www.acme.com", anonymous_id: "c" }, refuse);
    expect(acme.identifiers).toEqual({ external_id: ["1"], domain: ["acme.com"], anonymous_id: ["c"] });
    accounts.unalias(acme, { domain: "ACME.com" });
    expect(acme.identifiers).toEqual({ external_id: ["1"], anonymous_id: ["c"] });
  });
});

describe("unalias", () => {
  test("removes the identifier, which is then free for others", () => {
    const ann = stored("ann", { external_id: ["1"], anonymous_id: ["c", "d"] });
    users.unalias(ann, { anonymous_id: "c" });
    expect(ann.identifiers.anonymous_id).toEqual(["d"]);
    expect(users.identifierChanges()).toEqual({
      claimed: [],
      released: [{ kind: "anonymous_id", value: "c", from: ["ann"] }],
    });
    const other = resolve({ anonymous_id: "c" });
    expect(other).not.toBe(ann);
    expect(users.identifierChanges()).toMatchObject({
      claimed: [{ value: "c", id: other?.id, from: ["ann"] }],
      released: [],
    });
  });

  test("of an identifier that the same profile then gets again leaves its stored row", () => {
    const ann = stored("ann", { external_id: ["1"], anonymous_id: ["c"] });
    users.unalias(ann, { anonymous_id: "c" });
    users.alias(ann, { anonymous_id: "c" }, refuse);
    expect(users.identifierChanges()).toEqual({ claimed: [], released: [] });
  });

  test("leaves identifiers that others have or nobody has", () => {
    const ann = stored("ann", { external_id: ["1"] });
    stored("bob", { anonymous_id: ["c"] });
    users.unalias(ann, { anonymous_id: "c", email: "x@example.com" });
    expect(users.changed()).toEqual([]);
  });
});

describe("remove", () => {
  test("frees the identifiers and ids", () => {
    const ann = stored("ann", { external_id: ["1"] });
    users.remove(ann);
    expect([users.find("ann"), resolve({ external_id: "1" }, false)]).toEqual([undefined, undefined]);
    expect(users.identifierChanges().released).toEqual([{ kind: "external_id", value: "1", from: ["ann"] }]);
    expect([users.isRemoved(ann), users.changed()]).toEqual([true, []]);
  });

  test("wasStored is true for a new profile that a stored one was merged into", () => {
    const fresh = resolve({ external_id: "1" }) as Profile;
    expect(users.wasStored(fresh)).toBe(false);
    stored("visitor", { anonymous_id: ["c"] });
    resolve({ external_id: "1", anonymous_id: "c" });
    expect(users.wasStored(fresh)).toBe(true);
  });
});

test("lookup adds nothing, merges nothing and creates nobody", () => {
  const ann = stored("ann", { external_id: ["1"] });
  stored("visitor", { anonymous_id: ["c"] });
  expect(users.lookup({ external_id: "1", email: "new@example.com", anonymous_id: "c" })).toBe(ann);
  expect(users.lookup({ email: "new@example.com" })).toBeUndefined();
  expect([users.changed(), users.merges(), ann.identifiers]).toEqual([[], [], { external_id: ["1"] }]);
});
