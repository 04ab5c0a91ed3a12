import { isObject, nonEmptyText } from "@muster/protocol";
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

/** Some libraries send ids as numbers. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return nonEmptyText(value);
}

export function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
