import { createHash } from "node:crypto";
import { type Brand, type EntryType, Refusal, type VerifiedClaims } from "@muster/protocol";
import { endUserProblem, entryOf, nameEvent, shapeProblem } from "../../domain/entries/admit-entry.js";
import type { Intake } from "./intake.js";
import type { RefusedAttribute, RefusedAttributes } from "./refused-attributes.js";

/** One entry that a subject makes about itself, with its token. */
export interface SingleEntry {
  type: EntryType;
  body: Record<string, unknown>;
  claims: VerifiedClaims;
  /** The token is one of an end user. Otherwise a connector acts for the subject. */
  byEndUser: boolean;
  brand: Brand;
  /** What the request says about the client: its address, its agent and the page. */
  context: Record<string, unknown>;
  /** Calls of one subject with the same key are one call; so are those of a connector for the subject. */
  idempotencyKey: string | undefined;
  /** Distinguishes two equal calls without a key. */
  requestId: string;
}

/** Accepts one entry in the same way as the entries of a batch. Returns its position, and what will not be applied. */
export async function acceptSingleEntry(
  { intake, refusedAttributes }: { intake: Intake; refusedAttributes: RefusedAttributes },
  organizationId: string,
  { type, body, claims, byEndUser, brand, context, idempotencyKey, requestId }: SingleEntry,
): Promise<{ position: string; refused_attributes?: Omit<RefusedAttribute, "index">[] }> {
  const now = Date.now();
  const entry = entryOf(type, body, claims, now);
  if (byEndUser) entry.byEndUser = true;
  const problem = shapeProblem(entry) ?? (byEndUser ? endUserProblem(entry, brand) : undefined);
  if (problem) {
    const from = { connectorId: entry.connectorId, source: byEndUser ? "browser" : "connector" } as const;
    intake.noteRefused(organizationId, from, [{ type, body }], [{ index: 0, ...problem }]);
    throw new Refusal(problem.code, problem.message);
  }
  entry.context = context;
  // The same key of another subject means another call, and so does the same key of the end user and of a connector that
  // acts for it: an end user that guesses a key must not suppress the connector's call.
  const key =
    idempotencyKey === undefined
      ? undefined
      : JSON.stringify([type, entry.user, entry.account, idempotencyKey, byEndUser]);
  // Two equal calls are two events, unless the sender gives them the same key.
  if (type === "track") {
    nameEvent(entry, now, () => (key === undefined ? requestId : createHash("sha256").update(key).digest("hex")));
    // The event id then comes from the end user, like one in the body.
    if (byEndUser && key !== undefined) entry.overwrites = true;
  }
  const position = await intake.acceptEntries(organizationId, entry.connectorId, [entry], {
    ...(key === undefined ? {} : { idempotencyKey: key }),
  });
  const refused = byEndUser ? await refusedAttributes.find(organizationId, [entry]) : [];
  if (refused.length === 0) return { position };
  return { position, refused_attributes: refused.map(({ name, message }) => ({ name, message })) };
}
