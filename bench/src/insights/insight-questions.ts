export interface InsightQuestion {
  name: string;
  /** The goal for the 95th percentile. */
  goalMs: number;
  path: "trend" | "funnel" | "retention";
  body: object;
  /** One number of the answer, which PostgreSQL must find too. */
  figure(answer: never): number;
  /** The same number in hand-written SQL. */
  sql: string;
}

const DAY_SECONDS = 86_400;
const TREND_GOAL_MS = 300;

interface TrendAnswer {
  series: { points: { value: number | null }[] }[];
}

const sumOfTrend = ({ series }: TrendAnswer) =>
  series.flatMap(({ points }) => points).reduce((sum, { value }) => sum + (value ?? 0), 0);

/** Three trends, a funnel and retention. `now` is the current time, in unix seconds. */
export function insightQuestions(now: number): InsightQuestion[] {
  const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
  // Whole days: the engines of both sides begin days at midnight UTC.
  const to = now - (now % DAY_SECONDS);
  const period = (days: number) => ({ from: iso(to - days * DAY_SECONDS), to: iso(to) });
  const during = (days: number, alias: string) =>
    `${alias}.created_at >= '${iso(to - days * DAY_SECONDS)}' and ${alias}.created_at < '${iso(to)}'`;
  const step = (alias: string, name: string, before: string) =>
    `join actions ${alias} on ${alias}.person_id = a.person_id and ${alias}.event = '${name}'
     and ${alias}.created_at > ${before}.created_at and ${alias}.created_at <= a.created_at + interval '90 days'`;
  return [
    {
      name: "trend: one event, by day, 90 days",
      goalMs: TREND_GOAL_MS,
      path: "trend",
      body: { series: [{ event: "Event 3" }], ...period(90) },
      figure: sumOfTrend,
      sql: `select sum(n) as figure from (
        select date_trunc('day', a.created_at) as day, count(*) as n
        from actions a where a.event = 'Event 3' and ${during(90, "a")} group by day) found`,
    },
    {
      name: "trend: users with any event, by week, 90 days",
      goalMs: TREND_GOAL_MS,
      path: "trend",
      body: { series: [{ measure: "users" }], interval: "week", ...period(90) },
      figure: sumOfTrend,
      sql: `select sum(n) as figure from (
        select date_trunc('week', a.created_at) as week, count(distinct a.person_id) as n
        from actions a where ${during(90, "a")} group by week) found`,
    },
    {
      name: "trend: sum of a property by the user's plan, by month, 90 days",
      goalMs: TREND_GOAL_MS,
      path: "trend",
      body: {
        series: [{ event: "Event 5", measure: "sum", property: "properties.amount" }],
        interval: "month",
        breakdown: "user.plan",
        ...period(90),
      },
      figure: sumOfTrend,
      sql: `select sum(n) as figure from (
        select date_trunc('month', a.created_at) as month, p.attributes ->> 'plan' as plan, sum((a.properties ->> 'amount')::numeric) as n
        from actions a join people p on p.id = a.person_id
        where a.event = 'Event 5' and p.attributes ? 'plan' and ${during(90, "a")} group by month, plan) found`,
    },
    {
      name: "funnel: three steps within 90 days, 90 days",
      goalMs: 1_000,
      path: "funnel",
      body: { steps: ["Event 1", "Event 3", "Event 5"].map((event) => ({ event })), within: "90d", ...period(90) },
      figure: ({ groups }: { groups: { steps: { users: number }[] }[] }) => groups[0]?.steps.at(-1)?.users ?? 0,
      sql: `select count(distinct a.person_id) as figure
        from actions a ${step("b", "Event 3", "a")} ${step("c", "Event 5", "b")}
        where a.event = 'Event 1' and ${during(90, "a")}`,
    },
    {
      name: "retention: any event, by week, 8 weeks",
      goalMs: 1_500,
      path: "retention",
      body: { interval: "week", ...period(56) },
      figure: ({ cohorts }: { cohorts: { returned: number[] }[] }) =>
        cohorts.flatMap(({ returned }) => returned).reduce((sum, users) => sum + users, 0),
      sql: `with firsts as (
          select a.person_id, min(a.created_at) as first_at from actions a where ${during(56, "a")} group by a.person_id)
        select sum(n) as figure from (
          select date_trunc('week', f.first_at), date_trunc('week', a.created_at), count(distinct a.person_id) as n
          from firsts f join actions a on a.person_id = f.person_id and a.created_at > f.first_at
          where ${during(56, "a")} group by 1, 2) found`,
    },
  ];
}
