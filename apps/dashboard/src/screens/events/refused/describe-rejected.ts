import { subjectOf } from "../subject-of.js";

interface StoredEntry {
  type?: unknown;
  user?: Record<string, unknown>;
  account?: Record<string, unknown>;
  body?: Record<string, unknown>;
}

/** A rejected entry in words: what it says and whom it is about, and its body. */
export function describeRejected(entry: object): {
  content: string;
  subject: string;
  body: Record<string, unknown>;
} {
  // The server passes on what it has stored.
  const { type, user, account, body = {} } = entry as StoredEntry;
  const names = Object.keys(body);
  return {
    content: type === "track" ? String(body.event ?? "") : names.length === 0 ? String(type ?? "") : names.join(", "),
    subject: subjectOf({ user, account }) ?? "unknown",
    body,
  };
}
