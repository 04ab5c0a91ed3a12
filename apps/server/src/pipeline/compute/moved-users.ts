import { type AttributeTypes, movedByTime, parse, type Query } from "@muster/query";
import type { EngineComputed } from "../../audience/computed/known-computed.js";
import { OF_PIPELINE } from "../../storage/questions/asking.js";
import type { Questions } from "../../storage/questions/questions.js";

interface Span {
  computed: readonly EngineComputed[];
  from: Date;
  now: Date;
  after: string;
}

interface Page {
  reading: { attributeTypes: AttributeTypes; now: Date };
  limit: number;
}

/** The next users for whom the time between two moments can have changed a value of theirs, or of their account. */
export async function movedUsers(
  questions: Pick<Questions, "idsAfter">,
  organizationId: string,
  { computed, from, now, after }: Span,
  { reading, limit }: Page,
): Promise<string[]> {
  const query = movedQuery(computed, from, now);
  if (!query) return [];
  return questions.idsAfter(organizationId, { target: "user", query, ...reading }, { after, limit }, OF_PIPELINE);
}

function movedQuery(computed: readonly EngineComputed[], from: Date, now: Date): Query | undefined {
  const passed = computed.flatMap(({ computation }) => {
    if (computation.kind !== "events" || computation.withinMs === undefined) return [];
    const { event, withinMs } = computation;
    const at = (moment: Date) => new Date(moment.getTime() - withinMs).toISOString();
    const [first, last] = [at(from), at(now)].sort();
    return [{ bool: { must: [{ term: { event } }, { range: { created_at: { gte: first, lte: last } } }] } }];
  });
  const queries = computed.flatMap(({ computation }) =>
    computation.kind === "users" && computation.where ? [computation.where] : [],
  );
  const byTime = movedByTime(queries, { from, to: now });
  const byEvents =
    passed.length === 0
      ? undefined
      : parse({ has_child: { type: "event", query: { bool: { should: passed } } } }, { target: "user" });
  if (!byTime || !byEvents) return byTime ?? byEvents;
  return { kind: "bool", path: "", must: [], should: [byTime, byEvents], mustNot: [], minimum: 1 };
}
