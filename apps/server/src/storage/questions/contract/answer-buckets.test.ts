import { LIMITS, parseAggregations } from "@muster/query";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Questions } from "../questions.js";
import { openEngine } from "./open-engine.js";
import { idOf, type Organization, openOrganization } from "./organization.test.kit.js";
import { eventOf, userDocument } from "./steps.test.kit.js";

// How many buckets the aggregations of one request make together, with those that no row is in.

const USERS = 20;
const LANGUAGES = 300;
/** Of each of these users, the rank and the topics make more pairs together than an answer may have. */
const RANKED = 180;
/** Two events of each user are so many seconds apart. */
const APART_S = 9_000;
const START = Date.UTC(2024, 5, 1);

let questions: Questions;
let organization: Organization;

beforeAll(async () => {
  questions = await openEngine();
  organization = await openOrganization(questions, {
    user: { traits_langs: "array", traits_age: "numeric", traits_topics: "array", traits_rank: "numeric" },
  });
  const languages = Array.from({ length: LANGUAGES }, (_, place) => `l${place}`);
  const names = Array.from({ length: USERS }, (_, place) => `u${place}`);
  await organization.writeUsers(
    ...names.map((name, age) =>
      userDocument(idOf(name), { traits_age: age, ...(age === 0 ? { traits_langs: languages } : {}) }),
    ),
  );
  await organization.writeUsers(
    ...Array.from({ length: RANKED }, (_, place) =>
      // The rank of the last two is the same.
      userDocument(idOf(`t${place}`), { traits_topics: languages, traits_rank: rankOf(Math.min(place, RANKED - 2)) }),
    ),
  );
  const events = names.flatMap((name) => [
    eventOf(idOf(`${name}a`), idOf(name), { created_at: new Date(START).toISOString() }),
    eventOf(idOf(`${name}b`), idOf(name), { created_at: new Date(START + APART_S * 1_000).toISOString() }),
  ]);
  await organization.write({ events });
});

afterAll(() => questions.close());

function ask(aggs: object, target: "user" | "event" = "event"): Promise<Record<string, unknown>> {
  const aggregations = parseAggregations(aggs, { target });
  return questions.aggregate(organization.id, organization.select({}, target), aggregations);
}

const seconds = { date_histogram: { field: "created_at", interval: "second" } };
const anything = (count: number) => ({ filters: { filters: Array.from({ length: count }, () => ({})) } });
const TOO_MANY = `at most ${LIMITS.answerBuckets} buckets`;

describe("an answer is refused when there are too many buckets", () => {
  test.for<[string, object, ("user" | "event")?]>([
    ["gaps inside of each bucket", { users: { terms: { field: "user_id", size: 0 }, aggs: { seconds } } }],
    ["buckets inside of gaps", { all: { ...seconds, aggs: { each: anything(5) } } }],
    ["single buckets inside of gaps", { all: { ...seconds, aggs: named(5, { filter: {} }) } }],
    ["metrics inside of gaps", { all: { ...seconds, aggs: named(5, { max: { field: "created_at" } }) } }],
    ["several aggregations", named(6, seconds)],
    ["pairs of values", { one: { terms: { field: "langs", size: 0 }, aggs: langs(0) } }, "user"],
  ])("%s", async ([, aggs, target]) => {
    await expect(ask(aggs, target)).rejects.toThrow(TOO_MANY);
  });
});

describe("an answer has what the limit allows", () => {
  test("gaps of a few buckets", async () => {
    const answer = await ask({ users: { terms: { field: "user_id", size: 5 }, aggs: { seconds } } });
    const { buckets } = answer.users as { buckets: { seconds: { buckets: unknown[] } }[] };
    expect(buckets.map((bucket) => bucket.seconds.buckets.length)).toEqual(Array(5).fill(APART_S + 1));
  });

  test("buckets that were left out, because of their place or of few rows, do not count", async () => {
    const pairs = await ask({ one: { terms: { field: "langs", size: 2 }, aggs: langs(3) } }, "user");
    const rare = await ask({ rare: { ...seconds, date_histogram: { ...seconds.date_histogram, min_doc_count: 2 } } });
    const { buckets } = pairs.one as { buckets: { key: string; with: { buckets: { key: string }[] } }[] };
    expect(buckets.map((bucket) => bucket.with.buckets.map(({ key }) => key))).toEqual([
      ["l0", "l1", "l10"],
      ["l0", "l1", "l10"],
    ]);
    expect(rare.rare).toMatchObject({ buckets: [{ doc_count: USERS }, { doc_count: USERS }] });
  });

  test("what is inside of buckets that were left out because of few rows does not count", async () => {
    const seen = (times: number) => ({
      histogram: { field: "rank", interval: 0.1, min_doc_count: times },
      aggs: { with: { terms: { field: "topics", size: 0 } }, ranks: { terms: { field: "rank" } } },
    });
    await expect(ask({ once: seen(1) }, "user")).rejects.toThrow(TOO_MANY);
    const { twice } = await ask({ twice: seen(2) }, "user");
    const { buckets } = twice as { buckets: { with: { buckets: unknown[] } }[] };
    expect(buckets.map((bucket) => bucket.with.buckets.length)).toEqual([LANGUAGES]);
    expect(buckets).toMatchObject([{ doc_count: 2, ranks: { buckets: [{ key: rankOf(RANKED - 2), doc_count: 2 }] } }]);
  });

  test("the inner buckets of the values that come first by a metric", async () => {
    const oldest = {
      terms: { field: "id", size: 2, order: { age: "desc" } },
      aggs: { age: { max: { field: "age" } }, ages: { histogram: { field: "age", interval: 10, min_doc_count: 1 } } },
    };
    expect((await ask({ oldest }, "user")).oldest).toEqual({
      buckets: [19, 18].map((age) => ({
        key: idOf(`u${age}`),
        doc_count: 1,
        age: { value: age },
        ages: { buckets: [{ key: 10, doc_count: 1 }] },
      })),
    });
  });
});

/** In the middle of a step of 0.1. */
function rankOf(place: number): number {
  return (place + 0.5) / 10;
}

function langs(size: number) {
  return { with: { terms: { field: "langs", size } } };
}

function named(count: number, aggregation: object): object {
  return Object.fromEntries(Array.from({ length: count }, (_, place) => [`a${place}`, aggregation]));
}
