import { isObject } from "@muster/protocol";
import type { ConnectorRecord } from "../context/connector-record.js";
import { readSetting } from "../setting.js";

/** The settings that list the segments whose members a handler wants. */
export interface SegmentFilter {
  /** Name or path of the setting that lists user segments. */
  user_segments?: string | undefined;
  /** Name or path of the setting that lists account segments. */
  account_segments?: string | undefined;
}

const ALL = "ALL";

/**
 * Whether the subject of a message is in one of the segments that the settings list. A setting without a value matches
 * every subject, an empty list matches none, and `ALL` matches every subject.
 */
export function matchesFilter(
  message: Readonly<Record<string, unknown>>,
  connector: ConnectorRecord,
  filter: SegmentFilter,
): boolean {
  const lists = [
    { wanted: listedSegments(connector, filter.user_segments), found: segmentIds(message, "segment") },
    { wanted: listedSegments(connector, filter.account_segments), found: segmentIds(message, "account_segment") },
  ].filter(({ wanted }) => wanted !== undefined);
  if (lists.length === 0) return true;
  return lists.some(({ wanted, found }) => wanted?.includes(ALL) || found.some((id) => wanted?.includes(id)));
}

function listedSegments(connector: ConnectorRecord, setting: string | undefined): string[] | undefined {
  const value = setting === undefined ? undefined : readSetting(connector, setting);
  if (value === undefined || value === null) return undefined;
  return (Array.isArray(value) ? value : [value]).map(String);
}

function segmentIds(message: Readonly<Record<string, unknown>>, kind: "segment" | "account_segment"): string[] {
  const ids = message[`${kind}_ids`];
  if (Array.isArray(ids)) return ids.map(String);
  const segments = message[`${kind}s`];
  return Array.isArray(segments) ? segments.filter(isObject).map(({ id }) => String(id)) : [];
}
