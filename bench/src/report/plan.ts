import type { BenchOptions } from "../lib/bench.js";

/** One run of a benchmark for the report. */
export interface PlannedRun {
  /** Names the run in the results. */
  key: string;
  bench: string;
  title: string;
  /** What is measured, and with what it is compared. */
  text: string;
  options: Pick<BenchOptions, "scale"> & { minutes?: number };
}

/** All runs of the report, in the order of the page. With the scale 1 they take about 20 minutes on two cores. */
export const PLAN: readonly PlannedRun[] = [
  {
    key: "ingest",
    bench: "ingest",
    title: "Taking records",
    text: "Records sent to the gateway by eight connections: 60 % attributes, 35 % events, 5 % links of identities, about 100,000 users that exist already. A record counts as searchable when a search finds it and its segments are evaluated. The full speed is measured first; the last load has half of it, and its times count from when a batch was due. Beside each load another process reads users by id, twenty a second, and searches once a second. The baselines are PostgreSQL's `COPY` of the same rows into plain tables, and hand-written upserts with one commit for each record, both on the embedded PostgreSQL of the same server.",
    options: { scale: 0.5 },
  },
  {
    key: "search-100k",
    bench: "search",
    title: "Questions about 100,000 users",
    text: "Questions as segments use them, by the API, with the total. The baseline is the same question in SQL on PostgreSQL, with a GIN index on the attributes and indexes on events.",
    options: { scale: 0.1 },
  },
  {
    key: "search-1m",
    bench: "search",
    title: "Questions about many more users",
    text: "The same with more users and events: a million at scale 1.",
    options: { scale: 1 },
  },
  {
    key: "growth",
    bench: "growth",
    title: "As the audience grows",
    text: "What a record costs and how long questions take with few and with many users. All of them exist before the first record arrives. Questions are asked while nothing else happens.",
    options: { scale: 0.2 },
  },
  {
    key: "notify",
    bench: "notify",
    title: "Telling connectors",
    text: "How fast a queue is delivered to a connector, and the time from the acknowledgement of a change until the connector has it: alone, when the server is killed and started again in between, and beside a slow and a broken connector.",
    options: { scale: 0.3 },
  },
  {
    key: "bulk",
    bench: "bulk",
    title: "Imports and extracts",
    text: "A file of users is imported until all of them are searchable, and extracted again. The baseline is PostgreSQL's `COPY` of the same rows.",
    options: { scale: 0.15 },
  },
  {
    key: "startup",
    bench: "startup",
    title: "Starting, and doing nothing",
    text: "From the start of the process until it is ready, and what it uses when nothing happens.",
    options: { scale: 0.7 },
  },
  {
    key: "soak",
    bench: "soak",
    title: "A long run",
    text: "Records about the same users at 60 % of the full speed. The first third of the time is a warm-up, but at most 15 minutes. After it, the slope of each figure (by Theil and Sen, over all samples) must be level: growth from then to the end of at most a tenth of the median, or a small fixed amount. Events and logs are kept, so the files grow; what must not grow there is how many bytes a record adds.",
    options: { scale: 1, minutes: 3 },
  },
];
