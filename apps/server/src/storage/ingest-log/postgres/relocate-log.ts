import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import { lockChangeHead } from "../../postgres/changes/changes.js";
import type { Database, Transaction } from "../../postgres/database.js";
import { type ApplyCursor, countApplied, readApplyCursors, skipTo } from "../../postgres/ingest/apply-cursors.js";
import type { HomeStream, LeftLog, LogHome, StreamIdentity } from "../log-home.js";
import type { WaitingMessage } from "../part-receipts.js";
import { countEntriesAfter } from "./ingest-log.js";
import { type LaneHead, lockHeads, readHomes, replaceHome, setHeads } from "./log-homes.js";
import { carryReceipts, forgetCutBatches } from "./part-receipts.js";

const LANES: readonly Lane[] = ["a", "b", "l"];

/**
 * Moves the log of an organization from PostgreSQL to a stream, in one transaction. Waits for appends in progress;
 * later appends find the log elsewhere. Positions in the stream are above those in PostgreSQL.
 */
export async function relocateToStream(
  database: Database,
  organizationId: string,
  { name, created, lastSequence }: StreamIdentity & { lastSequence: number },
): Promise<void> {
  await database.transaction(async (tx) => {
    const heads = await lockHeads(tx, organizationId);
    const present = (await readHomes(tx, organizationId)).at(-1);
    if (!present || present.stream) return;
    const until = Object.fromEntries(heads.map(({ lane, position }) => [lane, position])) as LanePositions;
    const base = Math.max(...heads.map(({ position }) => position));
    await setHeads(tx, organizationId, heads, true);
    await replaceHome(tx, organizationId, present, until, { name, created, base, afterSequence: lastSequence });
  });
}

/**
 * Moves the log of an organization from a stream to PostgreSQL. Nothing may be written to the stream any more. What the
 * stream has is applied first. Without `left`, what is not applied is discarded.
 */
export async function relocateToPostgres(
  database: Database,
  organizationId: string,
  left: LeftLog | undefined,
): Promise<void> {
  await database.transaction(async (tx) => {
    // The applier waits, so that it does not read beyond the end that is found here.
    await lockChangeHead(tx, organizationId);
    const known = await lockHeads(tx, organizationId);
    const homes = await readHomes(tx, organizationId);
    const present = homes.at(-1);
    if (!present?.stream) return;
    const before = homes.at(-2)?.until ?? {};
    const cursors = await readApplyCursors(tx, organizationId, LANES);
    const applied = await countApplied(tx, organizationId);
    const waitingIn = left ? await takeWaiting(tx, left, organizationId, present.stream, cursors) : undefined;
    const heads: LaneHead[] = [];
    for (const cursor of cursors) {
      const { lane } = cursor;
      const end = Math.max(cursor.position, before[lane] ?? 0);
      const entries = (applied[lane] ?? 0) + (await countEntriesAfter(tx, organizationId, lane, cursor.position));
      if (waitingIn) {
        const waiting = waitingIn.get(lane) ?? [];
        const more = waiting.reduce((sum, { entryCount }) => sum + entryCount, -cursor.offset);
        heads.push({ lane, position: waiting.at(-1)?.position ?? end, entries: entries + Math.max(0, more) });
      } else if (end > cursor.position) {
        // The log before this one is still to be applied, and is not lost.
        heads.push({ lane, position: end, entries });
      } else {
        // Readers may wait for discarded positions, so the next batch gets a later position.
        const position = Math.max(end, known.find((head) => head.lane === lane)?.position ?? 0);
        await skipTo(tx, organizationId, lane, position);
        heads.push({ lane, position, entries });
      }
    }
    await setHeads(tx, organizationId, heads, false);
    const until = Object.fromEntries(heads.map(({ lane, position }) => [lane, position])) as LanePositions;
    await replaceHome(tx, organizationId, present, until, undefined);
  });
}

/**
 * The messages that are not applied yet, by lane. Records complete batches as received, because their senders may retry.
 * Deletes the messages and the receipt of an incomplete batch: its sender never got an acknowledgement, and a retry
 * counts as a new batch.
 */
async function takeWaiting(
  tx: Transaction,
  left: LeftLog,
  organizationId: string,
  stream: HomeStream,
  cursors: readonly ApplyCursor[],
): Promise<Map<Lane, WaitingMessage[]>> {
  const found = new Map<Lane, WaitingMessage[]>();
  for (const { lane, position } of cursors) {
    found.set(lane, await left.readWaiting({ stream, organizationId, lane }, position));
  }
  const parts = [...found.values()].flat().flatMap(({ part }) => part ?? []);
  const cut = await forgetCutBatches(tx, organizationId, parts);
  const isCut = ({ part }: WaitingMessage) => part !== undefined && cut.has(part.digest.toString("hex"));
  for (const { lane, offset } of cursors) {
    const kept: WaitingMessage[] = [];
    for (const [index, message] of (found.get(lane) ?? []).entries()) {
      // A partly applied message is applied to its end.
      const isBegun = index === 0 && offset > 0;
      if (!isCut(message) || isBegun) kept.push(message);
      else await left.dropBatch({ stream, organizationId, lane }, message.position);
    }
    found.set(lane, kept);
  }
  const whole = parts.filter(({ digest }) => !cut.has(digest.toString("hex")));
  await carryReceipts(tx, organizationId, whole);
  return found;
}

/** Whether a log that was left still has batches that are not applied. */
export function isDraining(homes: readonly LogHome[], cursors: readonly ApplyCursor[]): boolean {
  return homes.some(({ until }) =>
    cursors.some(({ lane, position }) => until !== undefined && position < (until[lane] ?? 0)),
  );
}
