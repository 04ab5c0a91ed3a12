import type { Lane, LanePositions } from "../../../domain/entries/lanes.js";
import { lockChangeHead } from "../../postgres/changes/changes.js";
import type { Database, Transaction } from "../../postgres/database.js";
import { type ApplyCursor, countApplied, readApplyCursors, skipTo } from "../../postgres/ingest/apply-cursors.js";
import type { HomeStream, LeftLog, LogHome, StreamIdentity } from "../log-home.js";
import type { WaitingMessage } from "../part-receipts.js";
import { countEntriesAfter } from "./ingest-log.js";
import { type LaneHead, lockHeads, readHomes, replaceHome, setHeads } from "./log-homes.js";
import { readKnownSequence } from "./log-streams.js";
import { carryReceipts, forgetCutBatches, readReceipts } from "./part-receipts.js";

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
    const until = positionsOf(heads);
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
  await leaveStream(database, organizationId, left, async (tx, { present, heads }) => {
    await setHeads(tx, organizationId, heads, false);
    await replaceHome(tx, organizationId, present, positionsOf(heads), undefined);
  });
}

// Positions that were given and that nobody has noted are below the next ones too, so that no two records share one.
const UNNOTED = 1_000_000;

/**
 * Moves the log of an organization from a stream that was truncated to another one. What the former stream still has is
 * applied first. Positions in the next one are above all that the former one has ever given.
 */
export async function relocateToNextStream(
  database: Database,
  organizationId: string,
  left: LeftLog,
  { name, created, lastSequence }: StreamIdentity & { lastSequence: number },
): Promise<void> {
  await leaveStream(database, organizationId, left, async (tx, { present, heads, known }) => {
    const given = present.stream.base + (await readKnownSequence(tx, present.stream));
    const base = Math.max(given, ...[...heads, ...known].map(({ position }) => position)) + UNNOTED;
    await setHeads(tx, organizationId, heads, true);
    const next = { name, created, base, afterSequence: lastSequence };
    await replaceHome(tx, organizationId, present, positionsOf(heads), next);
  });
}

interface LeftStream {
  present: LogHome & { stream: HomeStream };
  /** Where the lanes end. */
  heads: LaneHead[];
  /** Where the lanes were said to end. */
  known: LaneHead[];
}

async function leaveStream(
  database: Database,
  organizationId: string,
  left: LeftLog | undefined,
  goOn: (tx: Transaction, leaving: LeftStream) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    // The applier waits, so that it does not read beyond the end that is found here.
    await lockChangeHead(tx, organizationId);
    const known = await lockHeads(tx, organizationId);
    const homes = await readHomes(tx, organizationId);
    const present = homes.at(-1);
    if (!present?.stream) return;
    const { stream } = present;
    const before = homes.at(-2)?.until ?? {};
    const cursors = await readApplyCursors(tx, organizationId, LANES);
    const applied = await countApplied(tx, organizationId);
    const waitingIn = left ? await takeWaiting(tx, left, organizationId, stream, { cursors, before }) : undefined;
    const heads: LaneHead[] = [];
    for (const cursor of cursors) {
      const { lane } = cursor;
      const end = Math.max(cursor.position, before[lane] ?? 0);
      const entries = (applied[lane] ?? 0) + (await countEntriesAfter(tx, organizationId, lane, cursor.position));
      if (waitingIn) {
        const { messages, offset } = waitingIn.get(lane) ?? { messages: [], offset: 0 };
        const more = messages.reduce((sum, { entryCount }) => sum + entryCount, -offset);
        // The batch that was partly applied is lost, and the next one is applied from its beginning.
        if (offset < cursor.offset) await skipTo(tx, organizationId, lane, cursor.position);
        heads.push({ lane, position: messages.at(-1)?.position ?? end, entries: entries + Math.max(0, more) });
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
    await goOn(tx, { present: { ...present, stream }, heads, known });
  });
}

function positionsOf(heads: readonly LaneHead[]): LanePositions {
  return Object.fromEntries(heads.map(({ lane, position }) => [lane, position]));
}

/** What waits in a lane, and how many entries of its first message are applied. */
interface WaitingLane {
  messages: WaitingMessage[];
  offset: number;
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
  { cursors, before }: { cursors: readonly ApplyCursor[]; before: LanePositions },
): Promise<Map<Lane, WaitingLane>> {
  const found = new Map<Lane, WaitingMessage[]>();
  for (const { lane, position } of cursors) {
    found.set(lane, await left.readWaiting({ stream, organizationId, lane }, position));
  }
  const parts = [...found.values()].flat().flatMap(({ part }) => part ?? []);
  const cut = await forgetCutBatches(tx, organizationId, parts);
  const isCut = ({ part }: WaitingMessage) => part !== undefined && cut.has(part.digest.toString("hex"));
  const lanes = new Map<Lane, WaitingLane>();
  for (const { lane, position, offset } of cursors) {
    const messages = found.get(lane) ?? [];
    const begun = offset > 0 && (await wasRead(tx, organizationId, messages[0])) ? messages[0] : undefined;
    // The cursor may still be in the log before this one.
    const isBegun = begun !== undefined || position < (before[lane] ?? 0);
    const kept: WaitingMessage[] = [];
    for (const message of messages) {
      // A partly applied message is applied to its end.
      if (!isCut(message) || message === begun) kept.push(message);
      else await left.dropBatch({ stream, organizationId, lane }, message.position);
    }
    lanes.set(lane, { messages: kept, offset: isBegun ? offset : 0 });
  }
  const whole = parts.filter(({ digest }) => !cut.has(digest.toString("hex")));
  await carryReceipts(tx, organizationId, whole);
  return lanes;
}

/** Whether the apply stage has read a message. One without a digest leaves no trace. */
async function wasRead(tx: Transaction, organizationId: string, message: WaitingMessage | undefined): Promise<boolean> {
  if (!message?.part) return message !== undefined;
  const { digest, part, position } = message.part;
  const receipts = await readReceipts(tx, organizationId, [digest]);
  return receipts.get(digest.toString("hex"))?.parts?.get(part) === position;
}

/** Whether a log that was left still has batches that are not applied. */
export function isDraining(homes: readonly LogHome[], cursors: readonly ApplyCursor[]): boolean {
  return homes.some(({ until }) =>
    cursors.some(({ lane, position }) => until !== undefined && position < (until[lane] ?? 0)),
  );
}
