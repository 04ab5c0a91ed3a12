import type { RecentEntry } from "@muster/protocol/api/ingestion";

const TYPES: Record<string, string> = {
  track: "Event",
  traits: "Attributes",
  alias: "Identifier added",
  unalias: "Identifier removed",
  incinerate: "Erasure",
};

/** What an entry is, in words. */
export function typeInWords(type: string | null): string {
  return type === null ? "Unreadable" : (TYPES[type] ?? type);
}

/** What an entry says, in one line: the event, or the names of the attributes. */
export function contentOf({ type, event, body }: RecentEntry): string {
  if (type === "track") return event ?? "(event without a name)";
  const names = Object.keys(body ?? {});
  return names.length === 0 ? "(nothing)" : names.join(", ");
}
