import {
  freeMap,
  listOf,
  OPTIONAL_TEXT,
  OPTIONAL_TIME,
  objectOf,
  refTo,
  type Schema,
  type Schemas,
  TEXT,
  TIME,
} from "./schema.js";

const NULL: Schema = { type: "null" };
const VALUE = refTo("AttributeValue");
const WRITER = refTo("Writer");
const OPTIONAL_WRITER: Schema = { anyOf: [WRITER, NULL], description: "Null when it was not kept." };
const IDENTIFIER_LISTS = freeMap(listOf(TEXT), "The values, by the kind of identifier.");

const MERGE_FIELDS: Schemas = {
  merged_id: { ...TEXT, description: "The id that the merged one had." },
  merged_identifiers: IDENTIFIER_LISTS,
  cause: {
    anyOf: [
      objectOf({
        identifier: { ...TEXT, description: "The kind of the identifier that a record named." },
        value: TEXT,
        recorded_at: OPTIONAL_TIME,
        written_by: OPTIONAL_WRITER,
      }),
      NULL,
    ],
    description: "Why they were merged; null when it was not kept.",
  },
};

function itemOf(kind: string, details: Schemas, description: string) {
  return objectOf({ id: TEXT, at: TIME, kind: { const: kind }, ...details }, [], description);
}

const ITEMS = [
  itemOf(
    "event",
    {
      event: TEXT,
      source: TEXT,
      type: TEXT,
      user_id: TEXT,
      session_id: OPTIONAL_TEXT,
      anonymous_id: OPTIONAL_TEXT,
      properties: freeMap(VALUE, "What the sender tells about the event."),
      context: freeMap(VALUE, "Address, user agent, page, referrer and campaign, where they are known."),
    },
    "An event.",
  ),
  itemOf(
    "change",
    { changes: listOf(objectOf({ name: TEXT, from: VALUE, to: VALUE, written_by: OPTIONAL_WRITER })) },
    "Attributes that changed together.",
  ),
  itemOf(
    "segment",
    { segment_id: TEXT, segment_name: TEXT, entered: { type: "boolean", description: "False when it was left." } },
    "A move in or out of a segment.",
  ),
  itemOf(
    "delivery",
    {
      connector_id: TEXT,
      connector_name: OPTIONAL_TEXT,
      channel: TEXT,
      result: { ...TEXT, description: "`delivered`, `deferred`, `refused` or `unavailable`." },
      status: { type: "integer", description: "HTTP status of the answer; 0 when there was none." },
      duration_ms: { type: "integer" },
      reason: { ...TEXT, description: "Why the call failed; empty when it did not." },
      notification_id: TEXT,
      message_id: TEXT,
    },
    "A message to a connector.",
  ),
  itemOf("merge", MERGE_FIELDS, "Another user or account was merged into this one."),
  itemOf(
    "comment",
    { text: TEXT, user_id: OPTIONAL_TEXT, author_name: OPTIONAL_TEXT },
    "A comment that somebody wrote.",
  ),
];

/** The history of one user or account. */
export const HISTORY_SCHEMAS: Schemas = {
  Writer: objectOf(
    {
      connector_id: { ...OPTIONAL_TEXT, description: "Null when the operator or a member wrote it." },
      connector_name: { ...OPTIONAL_TEXT, description: "Null when the connector was removed." },
      job_id: { ...OPTIONAL_TEXT, description: "The import that wrote it." },
    },
    [],
    "Who wrote a value.",
  ),
  AttributeState: objectOf(
    {
      name: TEXT,
      key: { ...TEXT, description: "The key in reports." },
      type: { enum: ["string", "numeric", "date", "boolean", "array", "json"] },
      group: OPTIONAL_TEXT,
      value: VALUE,
      set_at: { ...OPTIONAL_TIME, description: "The time of the record that wrote it last." },
      set_by: { anyOf: [WRITER, NULL], description: "Who wrote it last; null for fields that Muster keeps itself." },
      changed_at: { ...OPTIONAL_TIME, description: "When the latest change that is kept was applied." },
      tracked: { type: "boolean", description: "Whether changes are kept." },
      computed: { type: "boolean", description: "Whether Muster keeps this field itself." },
      previous: listOf(
        objectOf({
          value: VALUE,
          until: { ...TIME, description: "When the next value replaced it." },
          replaced_by: OPTIONAL_WRITER,
        }),
        "The values before, the latest first, at most 20.",
      ),
    },
    [],
    "An attribute of one user or account, and where its value comes from.",
  ),
  SubjectIdentity: objectOf(
    {
      id: TEXT,
      type: { enum: ["user", "account"] },
      identifiers: IDENTIFIER_LISTS,
      merges: listOf(objectOf({ merged_at: TIME, ...MERGE_FIELDS }), "What was merged into it, the latest first."),
    },
    [],
    "What a user or account is found by.",
  ),
  TimelineItem: { oneOf: ITEMS, description: "One thing that happened. `kind` says what it is." },
};
