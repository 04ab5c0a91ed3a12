import type { StoredMessage } from "../delivery/message.js";

/** A message that is not sent to a connector, because its user has not agreed to all purposes of the connector. */
export interface Withheld {
  connectorId: string;
  channel: string;
  userId: string;
  messageId: string;
  reason: string;
}

/** What users have agreed to, by their id. A user who is not among them has agreed to nothing. */
export type Agreements = ReadonlyMap<string, ReadonlySet<string>>;

/** The purposes for which a message must not be sent. Notices and messages about accounts have no data of a person. */
export function missingConsents(
  message: StoredMessage,
  purposes: readonly string[],
  agreements: Agreements | undefined,
): string[] {
  if (message.kind !== "user" || purposes.length === 0) return [];
  const agreed = agreements?.get(message.entity.id);
  return purposes.filter((purpose) => !agreed?.has(purpose));
}

/** Why a message about a user who has not agreed to these purposes is withheld. */
export function withheldReason(missing: readonly string[]): string {
  return `Withheld: the user has not agreed to ${missing.join(", ")}.`;
}
