import { isObject } from "@muster/protocol";
import type { ENTRY_OUTCOMES } from "@muster/protocol/api/ingestion";
import type { Entry } from "./entry.js";
import { shorten } from "./shorten.js";

/** The result of an entry. */
export type EntryOutcome = (typeof ENTRY_OUTCOMES)[number];

/** Where an entry came from: a connector with its secret, an end user, or an import. */
export type EntrySource = "connector" | "browser" | "import";

/** An entry at the moment when it was decided about. */
export type ArrivedEntry =
  | { outcome: "accepted" | "duplicate"; entry: Entry }
  | { outcome: "rejected"; entry: Entry; code: string; message: string }
  /** Nothing of a refused entry is checked: it can be anything. */
  | {
      outcome: "refused";
      given: unknown;
      connectorId: string;
      source: EntrySource;
      code: string;
      message: string;
    };

/** An entry as people see it who watch the live list. It has no headers, so it has no token. */
export interface RecentEntry {
  outcome: EntryOutcome;
  source: EntrySource;
  connectorId: string;
  type: string | null;
  event: string | null;
  code: string | null;
  message: string | null;
  /** When it happened, by the record; null when that could not be read. */
  recordedAt: number | null;
  user: Record<string, unknown> | null;
  account: Record<string, unknown> | null;
  body: Record<string, unknown> | null;
  /** Whether parts of the body were left out because it is large. */
  isShortened: boolean;
}

/** Which entries are wanted. Every condition that is given must hold. */
export interface RecentFilter {
  outcome?: EntryOutcome;
  type?: string;
  event?: string;
  connectorId?: string;
  /** An identifier of the user, in any case. */
  user?: string;
}

const MAX_NAME_LENGTH = 200;

export function isWanted(arrived: ArrivedEntry, filter: RecentFilter): boolean {
  const { outcome, type, event, connectorId, user } = filter;
  if (outcome !== undefined && arrived.outcome !== outcome) return false;
  const { type: ownType, body } = partsOf(arrived);
  if (type !== undefined && ownType !== type) return false;
  if (event !== undefined && eventOf(body) !== event) return false;
  if (connectorId !== undefined && connectorOf(arrived) !== connectorId) return false;
  if (user === undefined) return true;
  const wanted = user.toLowerCase();
  const identifiers = arrived.outcome === "refused" ? {} : (arrived.entry.user ?? {});
  return Object.values(identifiers).some((value) => String(value).toLowerCase() === wanted);
}

export function describeArrived(arrived: ArrivedEntry): RecentEntry {
  const { type, body } = partsOf(arrived);
  const shown = shorten(body);
  const entry = arrived.outcome === "refused" ? undefined : arrived.entry;
  return {
    outcome: arrived.outcome,
    source: sourceOf(arrived),
    connectorId: connectorOf(arrived),
    type: nameOf(type),
    event: type === "track" ? nameOf(eventOf(body)) : null,
    code: "code" in arrived ? arrived.code : null,
    message: "message" in arrived ? arrived.message : null,
    recordedAt: entry?.at ?? null,
    user: objectOf(shorten(entry?.user).value),
    account: objectOf(shorten(entry?.account).value),
    body: objectOf(shown.value),
    isShortened: shown.isShortened,
  };
}

function partsOf(arrived: ArrivedEntry): { type: unknown; body: unknown } {
  if (arrived.outcome !== "refused") return arrived.entry;
  return isObject(arrived.given) ? { type: arrived.given.type, body: arrived.given.body } : { type: null, body: null };
}

function eventOf(body: unknown): unknown {
  return isObject(body) ? body.event : undefined;
}

function connectorOf(arrived: ArrivedEntry): string {
  return arrived.outcome === "refused" ? arrived.connectorId : arrived.entry.connectorId;
}

function sourceOf(arrived: ArrivedEntry): EntrySource {
  if (arrived.outcome === "refused") return arrived.source;
  if (arrived.entry.jobId !== undefined) return "import";
  return arrived.entry.byEndUser ? "browser" : "connector";
}

function nameOf(value: unknown): string | null {
  return typeof value === "string" ? value.slice(0, MAX_NAME_LENGTH) : null;
}

function objectOf(value: unknown): Record<string, unknown> | null {
  return isObject(value) ? value : null;
}
