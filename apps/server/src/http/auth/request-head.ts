import type { IncomingHttpHeaders } from "node:http";
import { isId, nonEmptyText, typeOfId } from "@muster/protocol";

/** What the cookies of a browser say about the user of a page. A page of another website cannot make use of them. */
export interface OfferedUser {
  /** The token of the session that a sign-in on a platform has begun. */
  token(organizationId: string, platformId: string): string | undefined;
  /** What the old browser library keeps after a sign-in: the id of the user with a signature. */
  signed(appId: string): string | undefined;
}

/** The parts of a request that can hold credentials, all of which are there before the body is read. */
export interface RequestHead {
  headers: IncomingHttpHeaders;
  query: Record<string, unknown>;
  ip: string;
  /** How old the data about the caller may be; by default it is read for every request. */
  callerMaxAgeMs?: number | undefined;
  /** The token of the session in the cookie, on routes that take it. Other credentials win over it. */
  sessionToken?: string | undefined;
  /** Read only when the request names a platform or a connector, and has no other credentials. */
  offeredUser?: OfferedUser | undefined;
}

export function headerOf({ headers }: Pick<RequestHead, "headers">, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return nonEmptyText(Array.isArray(value) ? value[0] : value);
}

export function isPlatformId(id: string | undefined): id is string {
  return id !== undefined && isId(id) && typeOfId(id) === "platform";
}
