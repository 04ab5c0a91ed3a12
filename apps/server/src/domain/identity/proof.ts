import type { AccountClaims, SubjectType, UserClaims } from "@muster/protocol";
import type { Cell, Profile, Written } from "../profiles/profile.js";
import { isIdentified, tellWho } from "./identified.js";

/**
 * Only proof identifies. This file states the rule, and docs/identity.md repeats it for people who use Muster.
 *
 * *Proved* is what a connector says with its secret, and what a signed token says about the user. *Unproved* is what a page
 * says alone: the id of its browser, an email typed into a form, an id in a link. Everybody can send these.
 *
 * 1. An unproved record never gives a profile an identifier that tells who somebody is, unless the organization has
 *    chosen to join visitors by hints (`joinsByHints`).
 * 2. An unproved value never replaces a proved one, whatever their times are. A proved value always replaces an
 *    unproved one, and starts from nothing: it does not add to it.
 * 3. An unproved record about an identified user adds events and values that are marked as unproved, and nothing else.
 * 4. End users read proved values only. What is computed from an unproved value, or from events and users of which nobody knows
 *    that all are proved, is unproved too.
 *
 * So whoever comes with proof has the profile that they would have if no stranger had sent anything, and what strangers
 * sent beside it is marked.
 */

/** What a record says of whom it is about, and whether an end user says it. */
interface Naming {
  byEndUser?: true;
  subject: SubjectType;
  user?: UserClaims;
  account?: AccountClaims;
}

/** Whether a record proves that it is about its subject. */
export function isProved({ byEndUser, subject, user, account }: Naming): boolean {
  if (!byEndUser) return true;
  // Claims that tell who somebody is come from a signed token: a page by itself has only the id of its browser.
  const claims = subject === "user" ? user : (account ?? user);
  return claims !== undefined && tellWho(claims === account ? "account" : "user", claims);
}

/** Whether a record without proof is about a subject that somebody has identified by proof. */
export function isHintAbout(profile: Profile, written: Written): boolean {
  return written.unproved === true && isIdentified(profile);
}

/** Whether a write replaces another one: it has more proof, or as much and is newer. */
export function outranks(one: Written, other: Written): boolean {
  if (one.unproved !== other.unproved) return other.unproved === true;
  return one.at > other.at;
}

/** The value that a write starts from. For a proved write, an unproved value does not exist. */
export function startingValue(cell: Cell | undefined, written: Written): Cell["value"] {
  return cell === undefined || (cell.written.unproved && !written.unproved) ? null : cell.value;
}

/**
 * A profile as the user of a token may read it: without the values that nobody has proved. If records without proof are among
 * those that made it, they may be of another person who uses the browser, or whose browser it is. Then the times at which it
 * was seen are left out too, and all anonymous ids but the one that the reader knows.
 */
export function provedPart(profile: Profile, ownAnonymousId?: string): Profile {
  const proved = [...profile.cells].filter(([, { written }]) => !written.unproved);
  if (proved.length === profile.cells.size && !profile.hasHints) return profile;
  const cells = new Map(proved);
  if (!profile.hasHints) return { ...profile, cells };
  const { anonymous_id: anonymousIds, ...identifiers } = profile.identifiers;
  const own = anonymousIds?.filter((id) => id === ownAnonymousId) ?? [];
  const sessions = Object.entries(profile.sessions).filter(([, session]) => !session.unproved);
  return {
    ...profile,
    cells,
    identifiers: own.length === 0 ? identifiers : { ...identifiers, anonymous_id: own },
    firstSeenAt: undefined,
    lastSeenAt: undefined,
    lastKnownIp: profile.lastKnownIp?.unproved ? undefined : profile.lastKnownIp,
    sessions: Object.fromEntries(sessions),
    eventCounts: undefined,
  };
}
