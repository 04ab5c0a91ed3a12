import type { ProjectedEvent, SubjectDocument } from "./projection.js";

// The texts that the engine stores and returns as answers.

export function serialiseReport({ report, json }: SubjectDocument): string {
  return json ?? JSON.stringify(report);
}

/** The event as it is read back. `user_id` comes before the properties, because a merge replaces its first occurrence. */
export function serialiseEvent(event: ProjectedEvent): string {
  return (
    event.json ??
    JSON.stringify({
      id: event.id,
      event: event.event,
      // Beside the name: a merge of names replaces both.
      sent_as: event.sent_as,
      event_id: event.event_id,
      event_source: event.event_source,
      event_type: event.event_type,
      created_at: event.created_at,
      user_id: event.user_id,
      account_id: event.account_id,
      anonymous_id: event.anonymous_id,
      session_id: event.session_id,
      entity_id: event.entity_id,
      properties: event.properties,
      context: event.context,
    })
  );
}
