import { ATTRIBUTES, generateValue, MEMBERS_BELOW_MRR } from "../dataset/attributes.js";
import { userId } from "../dataset/generate.js";

export interface Question {
  name: string;
  /** The goal for the 95th percentile. */
  goalMs: number;
  /** What the question is about; users when it is missing. */
  of?: "events";
  /** The query in the search API's language. */
  query: object;
  /** The same in hand-written SQL: a condition on `people p`, or on `actions a` for events. */
  sql: string;
  /** A page of thirty with its total, instead of the total alone. */
  page?: { sort: object; orderBy: string };
}

export interface Asked {
  users: number;
  /** The segment that a tenth of the users are in. */
  segmentId: string;
  /** The current time, in unix seconds. */
  now: number;
}

const ATTRIBUTE_GOAL_MS = 40;

/** Twelve questions as segments use them, and two about a single user. */
export function questionsAbout({ users, segmentId, now }: Asked): Question[] {
  const json = (value: object) => `'${JSON.stringify(value)}'::jsonb`;
  // A date instead of `now-30d`, because both engines must use the same moment.
  const since = new Date((now - 30 * 86_400) * 1_000).toISOString();
  // A user in the middle who is not in the segment, because entering it would be one more event.
  const someone = findStranger(Math.floor(users / 2));
  return [
    {
      name: "term",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { term: { plan: "pro" } },
      sql: `p.attributes @> ${json({ plan: "pro" })}`,
    },
    {
      name: "terms",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { terms: { country: ["FR", "DE"] } },
      sql: "p.attributes ->> 'country' in ('FR', 'DE')",
    },
    {
      name: "range",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { range: { mrr: { gte: 100, lt: 200 } } },
      sql: "(p.attributes ->> 'mrr')::numeric >= 100 and (p.attributes ->> 'mrr')::numeric < 200",
    },
    {
      name: "exists",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { exists: { field: "nps" } },
      sql: "p.attributes ? 'nps'",
    },
    {
      name: "bool of three",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: {
        bool: { must: [{ term: { plan: "enterprise" } }, { term: { country: "JP" } }, { term: { vip: true } }] },
      },
      sql: `p.attributes @> ${json({ plan: "enterprise", country: "JP", vip: true })}`,
    },
    {
      name: "prefix",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { prefix: { given_name: "ma" } },
      sql: "p.attributes ->> 'given_name' ~* '\\mma'",
    },
    {
      name: "text match",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { match: { title: "engineer" } },
      sql: "p.attributes ->> 'title' ~* '\\mengineer\\M'",
    },
    {
      name: "account field",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { term: { "account.industry": "retail" } },
      sql: `p.account_id in (select id from companies where attributes @> ${json({ industry: "retail" })})`,
    },
    {
      name: "segment membership",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { term: { segment_ids: segmentId } },
      sql: "p.id in (select person_id from members where segment_id = 'segment')",
    },
    {
      name: "event count in a window",
      goalMs: 200,
      query: {
        has_child: {
          type: "event",
          min_children: 2,
          query: { bool: { must: [{ term: { event: "Event 3" } }, { range: { created_at: { gte: since } } }] } },
        },
      },
      sql: `p.id in (
        select person_id from actions where event = 'Event 3' and created_at >= '${since}'
        group by person_id having count(*) >= 2)`,
    },
    {
      name: "event property",
      goalMs: 400,
      query: {
        has_child: {
          type: "event",
          query: { bool: { must: [{ term: { event: "Event 5" } }, { range: { "properties.amount": { gt: 900 } } }] } },
        },
      },
      sql: "p.id in (select person_id from actions where event = 'Event 5' and (properties ->> 'amount')::numeric > 900)",
    },
    {
      name: "page 1, sorted, with total",
      goalMs: 80,
      query: { term: { plan: "pro" } },
      sql: `p.attributes @> ${json({ plan: "pro" })}`,
      page: { sort: { last_login_at: "desc" }, orderBy: "(p.attributes ->> 'last_login_at')::bigint desc, p.id" },
    },
    {
      name: "a user's timeline",
      goalMs: 60,
      of: "events",
      query: { term: { user_id: userId(someone) } },
      sql: `a.person_id = ${someone}`,
      page: { sort: { created_at: "desc" }, orderBy: "a.created_at desc" },
    },
    {
      name: "find by e-mail",
      goalMs: ATTRIBUTE_GOAL_MS,
      query: { term: { email: `user-${someone}@example.com` } },
      sql: `p.attributes ->> 'email' = 'user-${someone}@example.com'`,
      page: { sort: { created_at: "desc" }, orderBy: "p.id" },
    },
  ];
}

/** The number of the first user, from this one on, who is not in the segment. */
function findStranger(from: number): number {
  const mrr = ATTRIBUTES.find(({ name }) => name === "mrr");
  let n = from;
  while (mrr && Number(generateValue(mrr, n)) < MEMBERS_BELOW_MRR) n++;
  return n;
}
