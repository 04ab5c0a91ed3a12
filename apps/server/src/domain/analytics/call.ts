import { isObject } from "@muster/protocol";
import { invalid, type Refused, UNSTORABLE } from "../entries/admit-entry.js";
import { isStorableIdentifier, MAX_IDENTIFIER_BYTES } from "../identity/identifiers.js";
import type { CallType } from "./call-mapping.js";
import { type Integrations, readIntegrations } from "./integrations.js";

/** An analytics call, with what its batch says once for all calls. */
export interface Call {
  type: CallType;
  given: Record<string, unknown>;
  context: Record<string, unknown>;
  integrations: Integrations | undefined;
  userId: string | undefined;
  anonymousId: string | undefined;
}

/** What a batch says once for all of its calls. */
export interface SharedFields {
  sentAt?: unknown;
  context?: unknown;
  integrations?: unknown;
}

export function callOf(type: CallType, given: Record<string, unknown>, shared: SharedFields): Call {
  const userId = idOf(given.userId);
  const anonymousId = idOf(given.anonymousId);
  return {
    type,
    given,
    context: { ...objectOf(shared.context), ...objectOf(given.context) },
    integrations: readIntegrations({ ...objectOf(shared.integrations), ...objectOf(given.integrations) }),
    userId,
    // Some libraries repeat the user's id there.
    anonymousId: anonymousId === userId ? undefined : anonymousId,
  };
}

/** An id of a call. Some libraries send ids as numbers, and blanks instead of nothing. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

const IDS = ["userId", "anonymousId", "groupId", "previousId"] as const;

/** Why an id of a call cannot be stored. */
export function idProblem({ given }: Call): Refused | undefined {
  for (const name of IDS) {
    const value = given[name];
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      return invalid(`The ${name} is a number that JSON does not keep exactly: send it as a text.`);
    }
    const id = idOf(value);
    if (id !== undefined && !isStorableIdentifier(id)) {
      return invalid(`The ${name} is longer than ${MAX_IDENTIFIER_BYTES} bytes, or holds ${UNSTORABLE}.`);
    }
  }
  return undefined;
}

export function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
