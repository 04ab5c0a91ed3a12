import {
  type FilteredSubject,
  isObject,
  passesSegmentFilter,
  readSegmentFilter,
  type SubjectType,
} from "@muster/protocol";
import type { ConnectorRecord } from "../connector-record.js";
import { readSetting } from "../setting.js";

/**
 * The settings that list the segments whose members a handler wants. They list ids of segments, `ALL`, `ANONYMOUS` or
 * `IDENTIFIED`.
 */
export interface SegmentFilterSettings {
  /** Name or path of the setting that lists user segments. */
  user_segments?: string | undefined;
  /** Name or path of the setting that lists account segments. */
  account_segments?: string | undefined;
}

type Message = Readonly<Record<string, unknown>>;

const SETTINGS = { user: "user_segments", account: "account_segments" } as const;
const SEGMENTS = { user: "segment", account: "account_segment" } as const;
const SUBJECTS: Readonly<Record<string, readonly SubjectType[]>> = {
  "user:update": ["user", "account"],
  "account:update": ["account"],
};

/**
 * Whether the subject of a message, or the account of its user, is in the segments that the settings list. Muster
 * applies the same rule before it sends. Undefined when the filter has no setting for the channel.
 */
export function matchesFilter(
  message: Message,
  channel: string,
  connector: ConnectorRecord,
  filter: SegmentFilterSettings,
): boolean | undefined {
  const filters = (SUBJECTS[channel] ?? []).flatMap((subjectType) => {
    const setting = filter[SETTINGS[subjectType]];
    return setting === undefined ? [] : [{ subjectType, setting }];
  });
  if (filters.length === 0) return undefined;
  return filters.some(({ subjectType, setting }) =>
    passesSegmentFilter(readSegmentFilter([readSetting(connector, setting)]), subjectOf(message, subjectType)),
  );
}

/** The user or account in a message; undefined when a user has no account. */
function subjectOf(message: Message, subjectType: SubjectType): FilteredSubject | undefined {
  const report = message[subjectType];
  if (!isObject(report) || report.id === undefined) return undefined;
  return { subjectType, report, segmentIds: segmentIds(message, SEGMENTS[subjectType]) };
}

function segmentIds(message: Message, kind: "segment" | "account_segment"): string[] {
  const ids = message[`${kind}_ids`];
  if (Array.isArray(ids)) return ids.map(String);
  const segments = message[`${kind}s`];
  return Array.isArray(segments) ? segments.filter(isObject).map(({ id }) => String(id)) : [];
}
