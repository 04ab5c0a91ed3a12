import { type SubjectType, typeOfId } from "@muster/protocol";
import type { AttributeValue } from "../../../domain/attributes/attribute-values.js";
import type { EventCounts } from "../../../domain/profiles/event-counts.js";
import type { Cell, Identifiers, Profile, Said, TimedText, Written } from "../../../domain/profiles/profile.js";

/** The stored form of a profile. The names are short because a micro-batch converts thousands of profiles. */
export interface StoredProfile {
  /** Identifiers. */
  i: Identifiers;
  /**
   * Cells, by attribute name: the value, its time, the index of its source in `s`, and 1 when it is unproved. A consent may
   * have what was said beside it, with its time and source.
   */
  c: Record<string, [AttributeValue, number, number, (0 | 1)?, [AttributeValue, number, number]?]>;
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
  /** Counts of events: by name, by anonymous id, and until when. Only with `e`, and only when they are known. */
  n?: [EventCounts["byName"], EventCounts["byAnonymousId"], number | null];
  /** Merges: the day and their count. */
  m?: [number, number];
  /** Has halves. */
  h?: 1;
  /** Is kept apart. */
  k?: 1;
  /** Only of halves: the account that the record named. For users it is a column. */
  ao?: string;
}

const NO_EVENTS: EventCounts = { byName: {}, byAnonymousId: {}, until: undefined };

const MAX_KNOWN_NAMES = 10_000;
const knownBegins = new Map<string, string>();
/** The texts of one profile. It is used again for each, because a new list would grow several times. */
const texts: string[] = [];

/** What comes before the value of an attribute. Few names occur, and each of them very often. */
function beginOf(name: string): string {
  const known = knownBegins.get(name);
  if (known !== undefined) return known;
  if (knownBegins.size >= MAX_KNOWN_NAMES) knownBegins.clear();
  const begin = `,${JSON.stringify(name)}:[`;
  knownBegins.set(name, begin);
  return begin;
}

/** Where the source of a computed value begins. */
const COMPUTED = "///";

const MAX_KNOWN_TIMES = 10_000;
const knownTimes = new Map<number, string>();

/** The time of a write as a text. A large number is slow to print, and the values that were computed together have one time. */
function timeText({ at, source }: Written): string {
  if (!source.startsWith(COMPUTED)) return String(at);
  const known = knownTimes.get(at);
  if (known !== undefined) return known;
  if (knownTimes.size >= MAX_KNOWN_TIMES) knownTimes.clear();
  const text = String(at);
  knownTimes.set(at, text);
  return text;
}

/**
 * The stored form as JSON. The cells are serialised one by one, because an object with many computed names is slow to make and
 * to print.
 */
export function serialiseProfile(profile: Profile): string {
  const sources: string[] = [];
  let count = 0;
  let last: Written | undefined;
  let end = "";
  const indexOf = (source: string) => {
    // A computed attribute writes one cell of a profile, so its source is not looked for among all the others.
    const index = source.startsWith(COMPUTED) ? -1 : sources.indexOf(source);
    return index === -1 ? sources.push(source) - 1 : index;
  };
  for (const [name, { value, written, beside }] of profile.cells) {
    // Most cells of a profile were written by one record.
    if (written !== last) {
      end = `,${timeText(written)},${indexOf(written.source)}${written.unproved ? ",1" : ""}]`;
      last = written;
    }
    texts[count++] = beginOf(name);
    texts[count++] = Number.isFinite(value) ? String(value) : JSON.stringify(value);
    if (beside === undefined) texts[count++] = end;
    else {
      const other = JSON.stringify([beside.value, beside.written.at, indexOf(beside.written.source)]);
      texts[count++] = `,${written.at},${indexOf(written.source)},${written.unproved ? 1 : 0},${other}]`;
    }
  }
  texts.length = count;
  // Each cell begins with a comma.
  const cells = texts.join("").slice(1);
  const { merges, sessions, hasEvents, eventCounts: counts } = profile;
  const rest: Omit<StoredProfile, "i" | "c"> = {
    s: sources,
    t: profile.createdAt,
    ...(profile.firstSeenAt === undefined ? {} : { f: profile.firstSeenAt }),
    ...(profile.lastSeenAt === undefined ? {} : { l: profile.lastSeenAt }),
    ...(profile.lastKnownIp === undefined ? {} : { ip: profile.lastKnownIp }),
    ...(sessions.first || sessions.latest || sessions.signup ? { ss: sessions } : {}),
    ...(profile.accountId === undefined ? {} : { a: profile.accountId }),
    ...(profile.linkedAt === 0 ? {} : { la: profile.linkedAt }),
    ...(hasEvents ? { e: 1 as const } : {}),
    ...(hasEvents && counts ? { n: storedCounts(counts) } : {}),
    ...(merges.count === 0 ? {} : { m: [merges.day, merges.count] as [number, number] }),
    ...(profile.hasHalves ? { h: 1 as const } : {}),
    ...(profile.isKeptApart ? { k: 1 as const } : {}),
    ...(profile.accountOrigin === undefined ? {} : { ao: profile.accountOrigin }),
  };
  return `{"i":${JSON.stringify(profile.identifiers)},"c":{${cells}},${JSON.stringify(rest).slice(1)}`;
}

export function parseProfile(subjectType: SubjectType, id: string, stored: StoredProfile): Profile {
  const cells = new Map<string, Cell>();
  let source = "";
  let sourceIndex = -1;
  let isPage = false;
  let last: Written | undefined;
  for (const name in stored.c) {
    const [value, at, index, mark, other] = stored.c[name]!;
    if (index !== sourceIndex) {
      sourceIndex = index;
      source = stored.s[index] ?? "";
      isPage = isOfPage(source);
    }
    const unproved = mark === 1 || isPage ? true : undefined;
    if (at !== last?.at || source !== last.source || unproved !== last.unproved) {
      last = unproved ? { at, source, unproved } : { at, source };
    }
    cells.set(
      name,
      other ? { value, written: last, beside: besideOf(last, other, stored.s) } : { value, written: last },
    );
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
    eventCounts: countsIn(stored),
    merges: { day: stored.m?.[0] ?? 0, count: stored.m?.[1] ?? 0 },
    accountOrigin: stored.ao,
    hasHalves: stored.h === 1,
    isKeptApart: stored.k === 1,
  };
}

/** Of a proved value and an unproved one, what is beside the other. */
function besideOf(
  { unproved }: Written,
  [value, at, index]: [AttributeValue, number, number],
  sources: readonly string[],
): Said {
  const source = sources[index] ?? "";
  return { value, written: unproved ? { at, source } : { at, source, unproved: true } };
}

/** Values of pages without a token have the platform as their source. Before values were marked, this told them apart. */
function isOfPage(source: string): boolean {
  return typeOfId(source) === "platform";
}

function storedCounts({ byName, byAnonymousId, until }: EventCounts): StoredProfile["n"] & {} {
  return [byName, byAnonymousId, until ?? null];
}

function countsIn({ e, n }: StoredProfile): EventCounts | undefined {
  if (e !== 1) return NO_EVENTS;
  return n && { byName: n[0], byAnonymousId: n[1], until: n[2] ?? undefined };
}
