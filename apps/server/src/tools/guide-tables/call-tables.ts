import { createBrand, isObject, type SubjectType } from "@muster/protocol";
import { FIELD_OF_TRAIT } from "../../domain/analytics/call-mapping.js";
import type { CallSender } from "../../domain/analytics/call-sender.js";
import { readCall } from "../../domain/analytics/read-call.js";
import type { WriteKeyKind } from "../../domain/connectors/write-key.js";
import type { Entry } from "../../domain/entries/entry.js";
import { markdownTable } from "../markdown-table.js";

/** The generated parts of docs/moving-from-segment.md. The calls are read by the code of the server. */
export const CALL_TABLES = { calls: callsTable, traits: traitsTable };

const NOW = Date.parse("2026-10-01T08:00:00Z");

const CALLS: readonly Record<string, unknown>[] = [
  { type: "identify", userId: "u-42", anonymousId: "a-1", traits: { email: "ada@example.com", plan: "trial" } },
  { type: "track", userId: "u-42", anonymousId: "a-1", event: "Ordered", properties: { total: 120 } },
  { type: "page", anonymousId: "a-1", name: "Pricing", properties: { path: "/pricing" } },
  { type: "screen", anonymousId: "a-1", name: "Home" },
  { type: "group", userId: "u-42", anonymousId: "a-1", groupId: "g-7", traits: { name: "Example Ltd" } },
  { type: "alias", userId: "u-42", previousId: "a-0" },
];

function callsTable(): string {
  const rows = CALLS.map((call) => [
    code(call),
    becomes({ messageId: "m1", ...call }, "server"),
    becomes({ messageId: "m1", ...call }, "page"),
  ]);
  return markdownTable(["Call", "With a server key", "With a page key"], rows);
}

function becomes(call: Record<string, unknown>, kind: WriteKeyKind): string {
  const writeKey = { id: "1", kind, apps: [], trustsIdentify: false };
  const sender: CallSender = { connectorId: "", writeKey, isOnPage: true, ip: "203.0.113.9", userAgent: undefined };
  const entry = readCall(call, { brand: createBrand("Svc"), sender, receivedAtMs: NOW, shared: {} });
  if ("code" in entry) throw new Error(`The call of the guide is refused: ${entry.message}`);
  return `\`${entry.type}\` of the ${entry.subject} ${code(entry[entry.subject])}${linkOf(entry)}: ${code(saidBy(entry))}`;
}

function linkOf({ subject, user }: Entry): string {
  return subject === "account" && user ? `, linked to the user ${code(user)}` : "";
}

/** The body without what is empty. */
function saidBy({ body }: Entry): Record<string, unknown> {
  const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => !isEmpty(value)));
}

function traitsTable(): string {
  const rows = (Object.keys(FIELD_OF_TRAIT) as SubjectType[]).flatMap((subjectType) =>
    Object.entries(FIELD_OF_TRAIT[subjectType]).map(([trait, field]) => [
      subjectType === "user" ? "`identify`" : "`group`",
      `\`${trait}\``,
      `\`${field}\``,
    ]),
  );
  return markdownTable(["Call", "Trait", "Attribute"], rows);
}

/** A value as JavaScript writes it. */
function code(value: unknown): string {
  return `\`${JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, "$1: ")
    .replaceAll(/,(?=\w)/g, ", ")}\``;
}
