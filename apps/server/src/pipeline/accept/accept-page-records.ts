import { createHash } from "node:crypto";
import { type Brand, type EntryType, type EntryVerdict, isObject, type VerifiedClaims } from "@muster/protocol";
import {
  endUserProblem,
  entryOf,
  invalid,
  nameEvent,
  type Refused,
  readTimestamp,
  shapeProblem,
} from "../../domain/entries/admit-entry.js";
import { BatchRefusal } from "../../domain/entries/batch-refusal.js";
import type { Entry } from "../../domain/entries/entry.js";
import { OLDEST_OF_PAGE_MS, recordTime } from "../../domain/entries/record-time.js";
import { findUnusable } from "../../domain/entries/unusable-json.js";
import type { Intake } from "./intake.js";
import type { RefusedAttribute, RefusedAttributes } from "./refused-attributes.js";

/** What a visitor did on a page, as the browser library sends it. */
export interface PageRecords {
  batch: readonly unknown[];
  sentAtMs: number;
  browserId: string;
  sessionId: string;
  /** Whom the records are about: the user of the visitor's token, or the visitor by the id of the browser. */
  claims: VerifiedClaims;
  /** What the tokens in alias records prove, by token. */
  aliasProofs: ReadonlyMap<string, AliasProof>;
  /** What the request says about the client: its address and its agent. */
  context: Record<string, unknown>;
  brand: Brand;
}

/** An anonymous id that a connector has signed as the visitor's, or why the token proves none. */
export type AliasProof = { anonymousId: string } | Refused;

export interface PageAnswer {
  position: string;
  accepted: number;
  rejected: EntryVerdict[];
  /** Attributes of accepted records that are not applied, by the place of the record in the batch. */
  refused_attributes: RefusedAttribute[];
}

const TYPES: readonly EntryType[] = ["track", "traits", "alias", "unalias"];

/**
 * Accepts records of a page. All count as an end user's, whatever the token says, because everybody can read what is on a page.
 * Records that are sent twice count once: a page that is closed cannot know whether its records arrived.
 */
export async function acceptPageRecords(
  { intake, refusedAttributes }: { intake: Intake; refusedAttributes: RefusedAttributes },
  organizationId: string,
  given: PageRecords,
): Promise<PageAnswer> {
  const receivedAtMs = Date.now();
  const entries: Entry[] = [];
  const places: number[] = [];
  const rejected: EntryVerdict[] = [];
  for (const [index, record] of given.batch.entries()) {
    const entry = entryOfRecord(record, given, receivedAtMs);
    if ("code" in entry) rejected.push({ index, ...entry });
    else {
      entries.push(entry);
      places.push(index);
    }
  }
  intake.noteRefused(organizationId, { connectorId: given.claims.issuer, source: "browser" }, given.batch, rejected);
  if (entries.length === 0) throw new BatchRefusal(rejected);
  // Without the refused records: one of them may be nested too deep to be written as JSON.
  const refused = new Set(rejected.map(({ index }) => index));
  const accepted = given.batch.filter((_record, index) => !refused.has(index));
  const content = createHash("sha256").update(JSON.stringify(accepted)).digest("hex");
  const position = await intake.acceptEntries(organizationId, given.claims.issuer, entries, {
    idempotencyKey: JSON.stringify(["page", given.browserId, content]),
  });
  const refusedParts = (await refusedAttributes.find(organizationId, entries)).map((part) => {
    return { ...part, index: places[part.index]! };
  });
  return { position, accepted: entries.length, rejected, refused_attributes: refusedParts };
}

function entryOfRecord(
  record: unknown,
  { claims, aliasProofs, browserId, sessionId, sentAtMs, context, brand }: PageRecords,
  receivedAtMs: number,
): Entry | Refused {
  const { id, type, timestamp, body } = isObject(record) ? record : {};
  const unusable = findUnusable(record);
  if (unusable) return invalid(unusable);
  if (!isRecordType(type)) return invalid(`The record's type must be one of ${TYPES.join(", ")}.`);
  if (!isObject(body)) return invalid("The record's body is not an object.");
  const time = readTimestamp(timestamp);
  if (time === undefined) return invalid("The record's timestamp is not an ISO 8601 date.");
  const proof = type === "alias" && typeof body.token === "string" ? proofOf(body.token, aliasProofs) : undefined;
  if (proof && "code" in proof) return proof;
  const said = proof ? { anonymous_id: proof.anonymousId } : body;
  const marked = type === "track" ? { ...said, _bid: browserId, _sid: sessionId } : said;
  const at = Math.max(recordTime(time, sentAtMs, receivedAtMs), receivedAtMs - OLDEST_OF_PAGE_MS);
  const entry = entryOf(type, marked, claims, at);
  entry.byEndUser = true;
  const problem = shapeProblem(entry) ?? endUserProblem(entry, brand);
  if (problem) return problem;
  entry.context = context;
  if (type === "track") {
    nameEvent(entry, time, (content) =>
      createHash("sha256")
        .update(`${browserId} ${String(id)} ${content}`)
        .digest("hex"),
    );
  }
  return entry;
}

function proofOf(token: string, proofs: ReadonlyMap<string, AliasProof>): AliasProof {
  return proofs.get(token) ?? invalid("A batch has too many different tokens of aliases.");
}

function isRecordType(type: unknown): type is EntryType {
  return TYPES.includes(type as EntryType);
}
