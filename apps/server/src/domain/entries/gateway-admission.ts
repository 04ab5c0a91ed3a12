import { hash } from "node:crypto";
import {
  type AccountClaims,
  type Brand,
  ENTRY_TYPES,
  type EntryType,
  type HmacKey,
  isObject,
  nonEmptyText,
  type UserClaims,
  type VerifiedClaims,
} from "@muster/protocol";
import { readSubjectToken } from "../identity/read-subject-token.js";
import {
  givenEventId,
  invalid,
  MAX_VALUES,
  type Refused,
  readTimestamp,
  shapeProblem,
  subjectsOf,
} from "./admit-entry.js";
import type { Entry } from "./entry.js";
import { type AdmittedEntry, EntryAdmission, type EntryBounds } from "./entry-admission.js";
import { eventSizeProblem } from "./event-size.js";
import { recordTime } from "./record-time.js";
import { holdsMoreThan, isTooDeep, MAX_DEPTH } from "./unusable-json.js";

/** The batch that entries come in: its sender and its times. */
export interface BatchContext {
  brand: Brand;
  connector: { id: string; secret: string; key?: HmacKey };
  timestampMs: number;
  sentAtMs: number;
  receivedAtMs: number;
}

/** Whom the entries with one token are about. */
interface Bearer extends Pick<Entry, "subject" | "user" | "account" | "active"> {
  userText: string;
  accountText: string;
  /** The fields of an entry that come from the token, as JSON. */
  text: string;
}

/** Admits the entries of the gateway: those with a valid token and a usable shape. */
export class GatewayAdmission extends EntryAdmission {
  readonly #context: BatchContext;
  readonly #connectorText: string;
  // Entries of one user have the same token, which is verified once.
  readonly #bearers = new Map<string, Bearer | string>();
  // How many events of the batch had the same content.
  readonly #occurrences = new Map<string, number>();

  constructor(context: BatchContext) {
    super();
    this.#context = context;
    this.#connectorText = JSON.stringify(context.connector.id);
  }

  protected override admit(given: unknown, { values, depth }: EntryBounds): AdmittedEntry | Refused {
    if (!isObject(given)) return invalid("The entry is not an object.");
    if (depth > MAX_DEPTH && isTooDeep(given)) return invalid("The entry is nested too deep.");
    const { type, headers, timestamp, context, requestId } = given;
    const { brand, timestampMs, sentAtMs, receivedAtMs } = this.#context;
    if (!isEntryType(type)) return invalid(`The entry's type must be one of ${ENTRY_TYPES.join(", ")}.`);
    const token = isObject(headers) ? tokenOf(headers, brand) : undefined;
    if (token === undefined) {
      return { code: "invalid_token", message: `The entry has no ${brand.headers.accessToken} header.` };
    }
    const bearer = this.#bearerOf(token);
    if (typeof bearer === "string") return { code: "invalid_token", message: bearer };
    const time = timestamp === undefined ? timestampMs : readTimestamp(timestamp);
    if (time === undefined) return invalid("The entry's timestamp is not an ISO 8601 date.");
    const body = type === "incinerate" && !isObject(given.body) ? {} : given.body;
    if (!isObject(body)) return invalid("The entry's body is not an object.");
    const bodyText = JSON.stringify(body);
    const { subject, user, account, active } = bearer;
    const problem = shapeProblem({ type, subject, user, account, body }, { text: bodyText, values });
    if (problem) return problem;
    const contextText = context === undefined ? undefined : JSON.stringify(context);
    const largeContext = contextText === undefined ? undefined : eventSizeProblem(context, contextText);
    if (largeContext) return invalid(largeContext);
    if (values > MAX_VALUES && holdsMoreThan(context, MAX_VALUES)) {
      return invalid(`The context holds at most ${MAX_VALUES} values.`);
    }
    const at = recordTime(time, sentAtMs, receivedAtMs);
    const event = type === "track" ? this.#nameEvent(bearer, time, body, bodyText) : "";
    const contextFields = serialiseContext(context, requestId);
    return { active, text: `{"type":"${type}","at":${at},${bearer.text},"body":${bodyText}${event}${contextFields}}` };
  }

  /**
   * The event id of a track entry, as fields of JSON. One that its sender has not given is derived from the content, and
   * from the number of equal entries before it in the batch. So a batch that is sent again makes no second event.
   */
  #nameEvent({ userText, accountText }: Bearer, time: number, body: Entry["body"], bodyText: string): string {
    const given = givenEventId(body);
    if (given !== undefined) return `,"eventId":${JSON.stringify(given)},"overwrites":true`;
    const content = `[${this.#connectorText},${userText},${accountText},${time},${bodyText}]`;
    const digest = hash("sha1", content);
    const occurrence = this.#occurrences.get(digest) ?? 0;
    this.#occurrences.set(digest, occurrence + 1);
    return `,"eventId":"${occurrence === 0 ? digest : `${digest}-${occurrence}`}"`;
  }

  #bearerOf(token: string): Bearer | string {
    const known = this.#bearers.get(token);
    if (known !== undefined) return known;
    const { brand, connector, receivedAtMs } = this.#context;
    const claims = readSubjectToken(brand, token, connector, receivedAtMs);
    const bearer = typeof claims === "string" ? claims : bearerOf(claims, this.#connectorText);
    this.#bearers.set(token, bearer);
    return bearer;
  }
}

/** The issuer of the token is the connector that sends the batch. */
function bearerOf(claims: VerifiedClaims, connectorText: string): Bearer {
  const { subjectType: subject, create, active } = claims;
  const { user, account } = subjectsOf(claims);
  const userText = serialiseClaims(user);
  const accountText = serialiseClaims(account);
  const named = `${user ? `,"user":${userText}` : ""}${account ? `,"account":${accountText}` : ""}`;
  const text = `"connectorId":${connectorText},"subject":"${subject}"${named},"create":${create},"active":${active}`;
  return { subject, user, account, active, userText, accountText, text };
}

function serialiseClaims(claims: UserClaims | AccountClaims | undefined): string {
  return claims ? JSON.stringify(claims) : "null";
}

/** What the client said about itself and the request, as a field of JSON. */
function serialiseContext(given: unknown, requestId: unknown): string {
  if (given === undefined && typeof requestId !== "string") return "";
  const context = {
    ...(isObject(given) ? given : {}),
    ...(typeof requestId === "string" ? { request_id: requestId } : {}),
  };
  return Object.keys(context).length === 0 ? "" : `,"context":${JSON.stringify(context)}`;
}

function tokenOf(headers: Record<string, unknown>, brand: Brand): string | undefined {
  const name = brand.headers.accessToken;
  const value = headers[name] ?? headers[name.toLowerCase()];
  return nonEmptyText(value);
}

function isEntryType(value: unknown): value is EntryType {
  return ENTRY_TYPES.includes(value as EntryType);
}
