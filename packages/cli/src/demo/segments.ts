import { setTimeout as sleep } from "node:timers/promises";
import type { Segment, SegmentPreview } from "@muster/protocol/api/segments";
import { readList } from "../read-list.js";
import { type DemoOrganization, findOrMake } from "./demo-organization.js";

interface SegmentDraft {
  name: string;
  type: Segment["type"];
  query: Record<string, unknown>;
  folder: string;
  description: string;
}

const all = (...clauses: object[]) => ({ bool: { filter: clauses } });
const did = (event: string, since: string, times: number) => ({
  has_child: {
    type: "event",
    query: all({ term: { event } }, { range: { created_at: { gte: since } } }),
    min_children: times,
  },
});

const SALES = "Sales";
const MARKETING = "Marketing";
const RETENTION = "Keeping customers";

/** The segments of the demo. */
const SEGMENTS: readonly SegmentDraft[] = [
  {
    name: "Trial ending",
    type: "users_segment",
    query: all({ term: { plan: "trial" } }, { range: { trial_ends_at: { gte: "now", lte: "now+3d" } } }),
    folder: SALES,
    description: "Call them before the trial is over.",
  },
  {
    name: "Power users",
    type: "users_segment",
    query: did("Order placed", "now-30d", 3),
    folder: RETENTION,
    description: "They order nearly every week: ask them for a review.",
  },
  {
    name: "New this week",
    type: "users_segment",
    query: { range: { signed_up_at: { gte: "now-7d", lte: "now" } } },
    folder: MARKETING,
    description: "They get the welcome letters.",
  },
  {
    name: "Gone quiet",
    type: "users_segment",
    query: {
      bool: {
        filter: [{ term: { "account.is_customer": true } }],
        must_not: [did("Page viewed", "now-90d", 1), did("Order placed", "now-90d", 1)],
      },
    },
    folder: RETENTION,
    description: "Their office pays, and they have done nothing for three months.",
  },
  {
    name: "Newsletter in France",
    type: "users_segment",
    query: all({ term: { newsletter: true } }, { term: { country: "France" } }),
    folder: MARKETING,
    description: "They get the letter in French.",
  },
  {
    name: "Visitors without a name",
    type: "users_segment",
    query: { missing: { field: "email" } },
    folder: MARKETING,
    description: "They have looked at the shop, and have not signed up.",
  },
  {
    name: "Accounts at risk",
    type: "accounts_segment",
    query: all({ term: { is_customer: true } }, { range: { health_score: { lt: 40 } } }),
    folder: RETENTION,
    description: "Customers who may cancel.",
  },
  {
    name: "Accounts on trial",
    type: "accounts_segment",
    query: { term: { plan: "trial" } },
    folder: SALES,
    description: "Offices that may become customers.",
  },
  {
    name: "Large customers",
    type: "accounts_segment",
    query: { range: { mrr: { gte: 500 } } },
    folder: SALES,
    description: "They pay 500 a month or more.",
  },
];

/** Follows the name of a segment in an organization that has one of this name. */
export const OWN_SUFFIX = " (demo)";

/** Creates the segments that are not there yet, and returns all of them. */
export async function createSegments(demo: DemoOrganization): Promise<Segment[]> {
  const known = await readList<Segment>(demo.api, "/segments");
  const made: Segment[] = [];
  for (const draft of SEGMENTS) {
    // An organization that is filled may have a segment of its own with this name.
    const own = `${draft.name}${OWN_SUFFIX}`;
    const isTaken = known.some(({ name }) => name.toLowerCase() === draft.name.toLowerCase());
    const create = () =>
      demo.api.post<Segment>("/users_segments", { ...draft, name: isTaken ? own : draft.name, predicate: {} });
    made.push(await findOrMake(demo, known, ({ name }) => name === draft.name || name === own, create));
  }
  return made;
}

const LOOK_EVERY_MS = 100;
const LONGEST_WAIT_MS = 60_000;

/** Waits until everybody who matches the segments is in them. */
export async function untilEvaluated({ api }: DemoOrganization, segments: readonly Segment[]): Promise<void> {
  const giveUpAt = Date.now() + LONGEST_WAIT_MS;
  for (const { id, query } of segments) {
    while (Date.now() < giveUpAt) {
      const { entering } = await api.post<SegmentPreview>("/segments/preview", { query, segment_id: id });
      if (entering.count === 0) break;
      await sleep(LOOK_EVERY_MS);
    }
  }
}
