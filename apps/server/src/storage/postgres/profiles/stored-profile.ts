import type { SubjectType } from "@muster/protocol";
import type { Identifiers } from "../../../domain/identity/identifiers.js";
import type { AttributeValue, Cell, Profile, TimedText } from "../../../domain/profiles/profile.js";

/** The stored form of a profile. The names are short because a micro-batch converts thousands of profiles. */
export interface StoredProfile {
  /** Identifiers. */
  i: Identifiers;
  /** Cells, by attribute name: the value, its time, and the index of its source in `s`. */
  c: Record<string, [AttributeValue, number, number]>;
  /** The sources of cells. */
  s: string[];
  /** Created at. */
  t: number;
  /** First seen at. */
  f?: number;
  /** Last seen at. */
  l?: number;
  /** Last known address. */
  ip?: TimedText;
  /** Sessions. */
  ss?: Profile["sessions"];
  /** The account's id. */
  a?: string;
  /** When the account was linked. */
  la?: number;
  /** Has events. */
  e?: 1;
  /** Merges: the day and their count. */
  m?: [number, number];
}

/**
 * The stored form as JSON. The cells are printed one by one, because an object with many computed names is slow to make and
 * to print.
 */
export function serialiseProfile(profile: Profile): string {
  const sources: string[] = [];
  const cells: string[] = [];
  let last: Pick<Cell, "at" | "source"> | undefined;
  let end = "";
  for (const [name, cell] of profile.cells) {
    // Most cells of a profile were written by one record.
    if (cell.at !== last?.at || cell.source !== last.source) {
      let index = sources.indexOf(cell.source);
      if (index === -1) index = sources.push(cell.source) - 1;
      end = `,${cell.at},${index}]`;
      last = cell;
    }
    cells.push(cells.length === 0 ? "" : ",", printedName(name), ":[", JSON.stringify(cell.value), end);
  }
  const { merges, sessions } = profile;
  const rest: Omit<StoredProfile, "i" | "c"> = {
    s: sources,
    t: profile.createdAt,
    ...(profile.firstSeenAt === undefined ? {} : { f: profile.firstSeenAt }),
    ...(profile.lastSeenAt === undefined ? {} : { l: profile.lastSeenAt }),
    ...(profile.lastKnownIp === undefined ? {} : { ip: profile.lastKnownIp }),
    ...(sessions.first || sessions.latest || sessions.signup ? { ss: sessions } : {}),
    ...(profile.accountId === undefined ? {} : { a: profile.accountId }),
    ...(profile.linkedAt === 0 ? {} : { la: profile.linkedAt }),
    ...(profile.hasEvents ? { e: 1 as const } : {}),
    ...(merges.count === 0 ? {} : { m: [merges.day, merges.count] as [number, number] }),
  };
  return `{"i":${JSON.stringify(profile.identifiers)},"c":{${cells.join("")}},${JSON.stringify(rest).slice(1)}`;
}

const MAX_PRINTED_NAMES = 10_000;
const printedNames = new Map<string, string>();

/** The name of an attribute as JSON. Few names occur, and each of them very often. */
function printedName(name: string): string {
  const known = printedNames.get(name);
  if (known !== undefined) return known;
  if (printedNames.size >= MAX_PRINTED_NAMES) printedNames.clear();
  const printed = JSON.stringify(name);
  printedNames.set(name, printed);
  return printed;
}

export function parseProfile(subjectType: SubjectType, id: string, stored: StoredProfile): Profile {
  const cells = new Map<string, Cell>();
  for (const [name, [value, at, source]] of Object.entries(stored.c)) {
    cells.set(name, { value, at, source: stored.s[source] ?? "" });
  }
  return {
    subjectType: subjectType,
    id,
    identifiers: stored.i,
    cells,
    createdAt: stored.t,
    firstSeenAt: stored.f,
    lastSeenAt: stored.l,
    lastKnownIp: stored.ip,
    sessions: stored.ss ?? {},
    accountId: stored.a,
    linkedAt: stored.la ?? 0,
    hasEvents: stored.e === 1,
    merges: { day: stored.m?.[0] ?? 0, count: stored.m?.[1] ?? 0 },
  };
}
