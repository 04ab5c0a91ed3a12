export interface Question {
  name: string;
  about: "attributes" | "events";
  /** The query in the search API's language. */
  query: object;
  /** The same in hand-written SQL: a condition on `people p`. */
  sql: string;
  /** A page of thirty with its total, instead of the total alone. */
  page?: { sort: object; orderBy: string };
}

/** Twelve questions; `segmentId` is the segment that a tenth of the users are in. */
export function questionsAbout(segmentId: string): Question[] {
  const json = (value: object) => `'${JSON.stringify(value)}'::jsonb`;
  return [
    {
      name: "term",
      about: "attributes",
      query: { term: { plan: "pro" } },
      sql: `p.attributes @> ${json({ plan: "pro" })}`,
    },
    {
      name: "terms",
      about: "attributes",
      query: { terms: { country: ["FR", "DE"] } },
      sql: "p.attributes ->> 'country' in ('FR', 'DE')",
    },
    {
      name: "range",
      about: "attributes",
      query: { range: { mrr: { gte: 100, lt: 200 } } },
      sql: "(p.attributes ->> 'mrr')::numeric >= 100 and (p.attributes ->> 'mrr')::numeric < 200",
    },
    {
      name: "exists",
      about: "attributes",
      query: { exists: { field: "nps" } },
      sql: "p.attributes ? 'nps'",
    },
    {
      name: "bool of three",
      about: "attributes",
      query: {
        bool: { must: [{ term: { plan: "enterprise" } }, { term: { country: "JP" } }, { term: { vip: true } }] },
      },
      sql: `p.attributes @> ${json({ plan: "enterprise", country: "JP", vip: true })}`,
    },
    {
      name: "prefix",
      about: "attributes",
      query: { prefix: { given_name: "ma" } },
      sql: "p.attributes ->> 'given_name' ~* '\\mma'",
    },
    {
      name: "text match",
      about: "attributes",
      query: { match: { title: "engineer" } },
      sql: "p.attributes ->> 'title' ~* '\\mengineer\\M'",
    },
    {
      name: "account field",
      about: "attributes",
      query: { term: { "account.industry": "retail" } },
      sql: `p.account_id in (select id from companies where attributes @> ${json({ industry: "retail" })})`,
    },
    {
      name: "segment membership",
      about: "attributes",
      query: { term: { segment_ids: segmentId } },
      sql: "p.id in (select person_id from members where segment_id = 'segment')",
    },
    {
      name: "event count in a window",
      about: "events",
      query: {
        has_child: {
          type: "event",
          min_children: 2,
          query: { bool: { must: [{ term: { event: "Event 3" } }, { range: { created_at: { gte: "now-30d" } } }] } },
        },
      },
      sql: `p.id in (
        select person_id from actions where event = 'Event 3' and created_at >= now() - interval '30 days'
        group by person_id having count(*) >= 2)`,
    },
    {
      name: "event property",
      about: "events",
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
      about: "attributes",
      query: { term: { plan: "pro" } },
      sql: `p.attributes @> ${json({ plan: "pro" })}`,
      page: { sort: { last_login_at: "desc" }, orderBy: "(p.attributes ->> 'last_login_at')::bigint desc, p.id" },
    },
  ];
}
