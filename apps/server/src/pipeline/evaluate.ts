import type { SubjectType } from "@muster/protocol";
import { type Catalog, type MembershipChange, parse, type Query, readsOf } from "@muster/query";
import { type Evaluation, type MembershipMove, NO_CHANGE } from "../domain/change-set.js";
import { evaluationEvents } from "../domain/evaluation-events.js";
import type { Lane } from "../domain/lanes.js";
import type { ClickHouse } from "../engines/clickhouse.js";
import { diffMemberships, writeMemberships } from "../storage/clickhouse/memberships.js";
import { writeEvents } from "../storage/clickhouse/projection.js";
import { loadCatalog } from "../storage/postgres/catalog.js";
import { appendChange, lockChangeHead } from "../storage/postgres/changes.js";
import type { Database } from "../storage/postgres/database.js";
import { pack } from "../storage/postgres/packing.js";
import { findUsersOfAccounts } from "../storage/postgres/profiles.js";
import { listSegments, type Segment } from "../storage/postgres/segments.js";
import type { Handover } from "./handover.js";

export interface EvaluateOptions {
  database: Database;
  clickhouse: ClickHouse;
  handover: Handover;
}

/** Entities whose documents or events changed, and those among them that do not exist any more. */
export interface Touched {
  user: ReadonlySet<string>;
  account: ReadonlySet<string>;
  gone: ReadonlySet<string>;
}

/** The change that made an evaluation necessary. */
export interface Cause {
  sequence: number;
  lane: Lane;
  position: number;
}

// Segments may ask about other segments; a chain longer than this settles with the next change or sweep.
const MAX_PASSES = 4;
const MOVES_PER_CHANGE = 10_000;

interface ParsedSegment {
  segment: Segment;
  query: Query;
  readsAccounts: boolean;
  readsSegments: boolean;
}

/**
 * Asks which segments the touched entities entered or left, one query for all segments, and makes it so: a change of its
 * own in the change log, memberships and events in ClickHouse. Returns what moved.
 */
export async function evaluateTouched(
  options: EvaluateOptions,
  organizationId: string,
  touched: Touched,
  cause: Cause,
): Promise<MembershipMove[]> {
  const segments = (await listSegments(options.database, organizationId)).map(parseSegment);
  if (segments.length === 0) return [];
  const catalog = await loadCatalog(options.database, organizationId);
  const moved: MembershipMove[] = [];
  // Accounts first: users may ask about their account's segments.
  for (const entity of ["account", "user"] as const) {
    let asked = segments.filter(({ segment }) => segment.entity === entity);
    const ids = await idsToAsk(options, organizationId, entity, touched, asked);
    for (let pass = 0; pass < MAX_PASSES && asked.length > 0 && ids.length > 0; pass++) {
      const moves = await movesOf(options, organizationId, asked, { entity, catalog, ids, gone: touched.gone });
      if (moves.length === 0) break;
      await makeMoves(options, organizationId, moves, cause, cause.sequence);
      for (const move of moves) moved.push(move);
      asked = asked.filter(({ readsSegments }) => readsSegments);
    }
  }
  return moved;
}

/** Looks at everybody for some segments of one kind. Returns how many moved. */
export async function evaluateEverybody(
  options: EvaluateOptions,
  organizationId: string,
  segments: readonly Segment[],
  cause: Cause,
): Promise<number> {
  const [first] = segments;
  if (!first) return 0;
  const catalog = await loadCatalog(options.database, organizationId);
  const asked = segments.map(parseSegment);
  const moves = await movesOf(options, organizationId, asked, { entity: first.entity, catalog, gone: new Set() });
  for (const part of inParts(moves)) await makeMoves(options, organizationId, part, cause, undefined);
  return moves.reduce((sum, { entered, left }) => sum + entered.length + left.length, 0);
}

/** Writes moves to the change log and to ClickHouse; a replay of the change writes the same again. */
export async function makeMoves(
  options: EvaluateOptions,
  organizationId: string,
  moves: MembershipMove[],
  { lane, position }: Cause,
  cause: number | undefined,
): Promise<void> {
  const evaluation: Evaluation = {
    at: new Date().toISOString(),
    moves,
    ...(cause === undefined ? {} : { cause }),
  };
  const change = { ...NO_CHANGE, evaluation };
  const payload = await pack(change);
  const sequence = await options.database.transaction(async (tx) => {
    const next = (await lockChangeHead(tx, organizationId)) + 1;
    await appendChange(tx, organizationId, { sequence: next, lane, position, payload });
    return next;
  });
  await writeEvaluation(options.clickhouse, organizationId, evaluation, sequence);
  options.handover.put(organizationId, { sequence, lane, position, change, profiles: [], isWritten: true });
}

export async function writeEvaluation(
  clickhouse: ClickHouse,
  organizationId: string,
  evaluation: Evaluation,
  sequence: number,
): Promise<void> {
  await writeMemberships(clickhouse, organizationId, evaluation.moves, new Date(evaluation.at), sequence);
  const events = evaluationEvents(evaluation, sequence).map((event) => ({ event, version: sequence }));
  await writeEvents(clickhouse, organizationId, events);
}

/** A changed account may move its users, when some segment of users asks about accounts. */
async function idsToAsk(
  { database }: EvaluateOptions,
  organizationId: string,
  entity: SubjectType,
  touched: Touched,
  asked: readonly ParsedSegment[],
): Promise<string[]> {
  const ids = new Set(touched[entity]);
  if (entity === "user" && touched.account.size > 0 && asked.some(({ readsAccounts }) => readsAccounts)) {
    for (const id of await findUsersOfAccounts(database, organizationId, [...touched.account])) ids.add(id);
  }
  return [...ids];
}

interface AskOptions {
  entity: SubjectType;
  catalog: Catalog;
  ids?: readonly string[];
  gone: ReadonlySet<string>;
}

async function movesOf(
  { clickhouse }: EvaluateOptions,
  organizationId: string,
  asked: readonly ParsedSegment[],
  { entity, catalog, ids, gone }: AskOptions,
): Promise<MembershipMove[]> {
  const queries = asked.map(({ segment, query }) => ({ id: segment.id, query }));
  const diff = await diffMemberships(clickhouse, organizationId, queries, {
    entity,
    catalog,
    now: new Date(),
    ...(ids ? { ids } : {}),
  });
  return groupBySegment(asked, entity, diff, gone);
}

function groupBySegment(
  asked: readonly ParsedSegment[],
  entity: SubjectType,
  diff: readonly MembershipChange[],
  gone: ReadonlySet<string>,
): MembershipMove[] {
  const moves = new Map<string, MembershipMove>(
    asked.map(({ segment }) => [
      segment.id,
      { segmentId: segment.id, segmentName: segment.name, entity, entered: [], left: [] },
    ]),
  );
  for (const { id, entered, left } of diff) {
    for (const segmentId of entered) moves.get(segmentId)?.entered.push(id);
    for (const segmentId of left) moves.get(segmentId)?.left.push(id);
  }
  return [...moves.values()]
    .filter(({ entered, left }) => entered.length + left.length > 0)
    .map((move) => {
      const lost = move.left.filter((id) => gone.has(id));
      return lost.length > 0 ? { ...move, gone: lost } : move;
    });
}

function parseSegment(segment: Segment): ParsedSegment {
  const query = parse(segment.query, { entity: segment.entity });
  const reads = readsOf(query, segment.entity);
  return {
    segment,
    query,
    readsAccounts: segment.entity === "user" && reads.account.length > 0,
    readsSegments: reads.anySegment || reads.segments.length > 0,
  };
}

/** Cuts large moves, so that one change stays of a size that others can wait for. */
function* inParts(moves: readonly MembershipMove[]): Generator<MembershipMove[]> {
  for (const move of moves) {
    const longest = Math.max(move.entered.length, move.left.length);
    for (let start = 0; start < longest; start += MOVES_PER_CHANGE) {
      const end = start + MOVES_PER_CHANGE;
      yield [{ ...move, entered: move.entered.slice(start, end), left: move.left.slice(start, end) }];
    }
  }
}
