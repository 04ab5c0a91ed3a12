import { MINUTE_MS } from "@muster/protocol";

/** What a link carries to another domain of a platform. The server alone can read it and make it. */
export interface CarriedId {
  browserId: string;
  /** The host of the page that has the link, with its port. */
  from: string;
  /** The host that the link leads to, with its port. */
  to: string;
  /** In milliseconds. */
  expiresAt: number;
  /** The visitor is signed in: the token of the user, and the browser that may take it over. */
  user?: CarriedUser | undefined;
}

export interface CarriedUser {
  token: string;
  /** A hash of the network and the agent of the browser. */
  browser: string;
}

/** How a carried id arrives: the host of the page, and the host of the page before it, as the browser says. */
export interface Arrival {
  from: string;
  to: string;
}

/** Long enough for a pointer that rests on a link. A link that is copied from the address bar should not work any more. */
export const CARRIED_ID_LIFE_MS = 2 * MINUTE_MS;

/**
 * Why a page may not take a carried id over; undefined when it may. Everybody can ask the server to carry an id of their
 * own and put it into a link. So the visitor must come from the page that the id was made for: a browser does not let
 * another website say that.
 */
export function arrivalProblem(carried: CarriedId, arrival: Arrival, now: number): string | undefined {
  if (now >= carried.expiresAt) return "The carried id has expired: it lasts two minutes.";
  if (carried.to !== arrival.to) return `The carried id is for pages of ${carried.to}, not for those of ${arrival.to}.`;
  if (carried.from !== arrival.from) {
    return `The carried id is for visitors who come from ${carried.from}; this one does not.`;
  }
  return undefined;
}

/** As texts in a fixed order, because a carried id is part of an address. */
export function printCarriedId({ browserId, from, to, expiresAt, user }: CarriedId): string {
  return JSON.stringify([browserId, from, to, expiresAt, ...(user ? [user.token, user.browser] : [])]);
}

type CarriedFields = [browserId: string, from: string, to: string, expiresAt: number, token?: string, browser?: string];

/** Reads what `printCarriedId` has made. */
export function readCarriedId(text: string): CarriedId {
  const [browserId, from, to, expiresAt, token, browser] = JSON.parse(text) as CarriedFields;
  const user = token === undefined || browser === undefined ? undefined : { token, browser };
  return { browserId, from, to, expiresAt, user };
}
