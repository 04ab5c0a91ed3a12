import type { SubjectType } from "@muster/protocol";
import { reportKey } from "@muster/query";

const MAX_KNOWN_KEYS = 10_000;
const knownKeys: Record<SubjectType, Map<string, string>> = { user: new Map(), account: new Map() };

/** The key of an attribute in reports. It is remembered, because a new text for each value is slow as a name. */
export function knownReportKey(subjectType: SubjectType, name: string): string {
  const keys = knownKeys[subjectType];
  const known = keys.get(name);
  if (known !== undefined) return known;
  if (keys.size >= MAX_KNOWN_KEYS) keys.clear();
  const key = reportKey(subjectType, name);
  keys.set(name, key);
  return key;
}
