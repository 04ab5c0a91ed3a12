import type { WrittenTable } from "../batched-writer.js";
import type { Queryable } from "../database.js";

/** A message as it was sent, and what the connector answered to its call. */
export interface KeptMessage {
  organizationId: string;
  connectorId: string;
  notificationId: string;
  messageId: string;
  /** The address of the call, without its query. */
  url: string;
  /** JSON, cut when it is long. */
  request: string;
  /** What the connector answered, cut when it is long; empty when there was no answer. */
  answer: string;
}

export const KEPT_MESSAGES: WrittenTable<KeptMessage> = {
  table: "kept_messages",
  columns: {
    organization_id: ["text", ({ organizationId }) => organizationId],
    connector_id: ["text", ({ connectorId }) => connectorId],
    notification_id: ["text", ({ notificationId }) => notificationId],
    message_id: ["text", ({ messageId }) => messageId],
    url: ["text", ({ url }) => url],
    request: ["text", ({ request }) => request],
    answer: ["text", ({ answer }) => answer],
  },
};

export async function findKeptMessage(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  { notificationId, messageId }: Pick<KeptMessage, "notificationId" | "messageId">,
): Promise<Pick<KeptMessage, "url" | "request" | "answer"> | undefined> {
  const { rows } = await database.query<Pick<KeptMessage, "url" | "request" | "answer">>(
    `select url, request, answer
     from kept_messages
     where organization_id = $1 and connector_id = $2 and notification_id = $3 and message_id = $4
     limit 1`,
    [organizationId, connectorId, notificationId, messageId],
  );
  return rows[0];
}
