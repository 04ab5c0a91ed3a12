import { EARLIEST_STORED_MS, LATEST_STORED_MS } from "@muster/protocol";
import { type FieldType, STANDARD_FIELDS } from "@muster/query";
import { MAX_EVENT_NAME_LENGTH } from "../../domain/apply/track-event.js";
import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import { inferType, readValue } from "../../domain/attributes/attribute-values.js";
import { MAX_ATTRIBUTE_NAME_LENGTH } from "../../domain/attributes/name-problem.js";
import { OPERATIONS, type Operation } from "../../domain/attributes/read-operation.js";
import { settableFieldType } from "../../domain/attributes/standard-fields.js";
import { MAX_ATTRIBUTES, MAX_EVENT_ID_LENGTH, MAX_VALUES } from "../../domain/entries/admit-entry.js";
import { MAX_EVENT_BYTES } from "../../domain/entries/event-size.js";
import { MAX_DEPTH } from "../../domain/entries/unusable-json.js";
import { MAX_DEFINED_PROPERTIES } from "../../domain/events/event-definitions.js";
import { markdownTable } from "../markdown-table.js";
import { limitsTable, NO_LIMIT, settingLimit, withCommas } from "./limit-rows.js";

/** The generated parts of docs/attributes-and-events.md. */
export const DATA_TABLES = {
  inference: inferenceTable,
  values: valuesTable,
  operations: operationsTable,
  "settable-fields": settableFieldsTable,
  "attribute-limits": attributeLimits,
  "event-limits": eventLimits,
};

type Sample = Parameters<typeof inferType>[1];

const FIRST_VALUES: readonly (readonly [name: string, value: Sample])[] = [
  ["plan", "pro"],
  ["mrr", 49.5],
  ["newsletter", true],
  ["interests", ["music", "sailing"]],
  ["browser", { name: "Firefox" }],
  ["renewal_date", "2026-12-31"],
  ["trial_ends_at", "2026-12-31T12:00:00Z"],
  ["trial_ends", "2026-12-31T12:00:00Z"],
  ["visited_at", 1767225600],
];

function inferenceTable(): string {
  const rows = FIRST_VALUES.map(([name, value]) => [
    `\`${JSON.stringify({ [name]: value })}\``,
    inferType(name, value),
  ]);
  return markdownTable(["First value", "Type of the attribute"], rows);
}

const TYPES: readonly AttributeType[] = ["string", "numeric", "date", "boolean", "array", "json"];
const GIVEN: readonly Sample[] = ["pro", "12", "2026-12-31", 12, true, ["pro"], { plan: "pro" }];

function valuesTable(): string {
  const rows = TYPES.map((type) => [
    type,
    ...GIVEN.map((value) => {
      const reading = readValue(type, value);
      if (!reading.ok) return "refused";
      return JSON.stringify(reading.value) === JSON.stringify(value)
        ? "stored"
        : `\`${JSON.stringify(reading.value)}\``;
    }),
  ]);
  return markdownTable(["Type", ...GIVEN.map((value) => `\`${JSON.stringify(value)}\``)], rows);
}

const OPERATION_MEANINGS: Readonly<Record<Operation, string>> = {
  set: "The value. It is the operation of a plain value too.",
  setIfNull: "The value, if the attribute has none when the record is applied.",
  inc: "The present number plus the value; without a present number, the value.",
  dec: "The present number minus the value.",
};

function operationsTable(): string {
  const rows = (Object.keys(OPERATION_MEANINGS) as Operation[]).map((operation) => [
    [...OPERATIONS]
      .filter(([, meant]) => meant === operation)
      .map(([name]) => `\`${String(name)}\``)
      .join(", "),
    OPERATION_MEANINGS[operation],
  ]);
  return markdownTable(["Operation", "New value"], rows);
}

function settableFieldsTable(): string {
  const rows = (["user", "account"] as const).map((subjectType) => {
    const fields = Object.entries<FieldType>(STANDARD_FIELDS[subjectType]);
    const named = (isSettable: boolean) =>
      fields
        .filter(([name]) => (settableFieldType(subjectType, name) !== undefined) === isSettable)
        .map(([name, type]) => (type === "string" ? `\`${name}\`` : `\`${name}\` (${type})`))
        .join(", ");
    return [`${subjectType}s`, named(true), named(false)];
  });
  return markdownTable(["Of", "You may set; string unless said otherwise", "Muster sets"], rows);
}

function attributeLimits(): string {
  return limitsTable([
    settingLimit("Attributes of users, and as many of accounts, in an organization (10,000 at most)", "MAX_ATTRIBUTES"),
    settingLimit("Bytes of one value, as JSON", "MAX_VALUE_BYTES"),
    settingLimit("Bytes of all attributes of one user or account; end users fill a quarter of it", "MAX_SUBJECT_BYTES"),
    ["Characters in the name of an attribute", withCommas(MAX_ATTRIBUTE_NAME_LENGTH)],
    ["Attributes in one record", withCommas(MAX_ATTRIBUTES)],
    ["Values in one record, counted at every depth", withCommas(MAX_VALUES)],
    ["Depth of a record", withCommas(MAX_DEPTH)],
    settingLimit(
      "New attributes, and as many event names, from visitors in a day; as many from users with a token",
      "END_USER_NEW_ATTRIBUTES_PER_DAY",
    ),
    settingLimit("How many of these one visitor or user defines", "VISITOR_NEW_ATTRIBUTES_PER_DAY"),
  ]);
}

function eventLimits(): string {
  return limitsTable([
    ["Event names; properties of one event name", NO_LIMIT],
    ["Characters in the name of an event", withCommas(MAX_EVENT_NAME_LENGTH)],
    ["Bytes of an event, as JSON; bytes of its context", `${withCommas(MAX_EVENT_BYTES)} each`],
    ["Characters of an `event_id`; the rest is cut off", withCommas(MAX_EVENT_ID_LENGTH)],
    [
      "Properties of one event name that lists show; further ones are stored and searchable",
      withCommas(MAX_DEFINED_PROPERTIES),
    ],
    [
      "`created_at`",
      `${new Date(EARLIEST_STORED_MS).getUTCFullYear()} to ${new Date(LATEST_STORED_MS).getUTCFullYear()}`,
    ],
    settingLimit("Records in one batch", "GATEWAY_LIMIT_ENTRIES"),
    settingLimit("Bytes of one batch", "GATEWAY_LIMIT_BYTES"),
  ]);
}
