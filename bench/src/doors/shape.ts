/**
 * Who sends a request: a connector with its secret, an end user with a token, the operator, a member who may edit, a page
 * of a website, or nobody known.
 */
export type Sender = "connector" | "subject" | "operator" | "editor" | "page" | "nobody";

export interface Call {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  as: Sender;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** What a shape can use to make its requests. */
export interface Maker {
  connectorId: string;
  /** A platform whose pages may send records. */
  platformId: string;
  /** A token of an end user. */
  token: string;
  /** A new token of the user with this external id. */
  tokenOf(externalId: string): string;
  /** A time that the server accepts, as text. */
  now: string;
}

/** A request, or a few, that a sender could make to hold the server. */
export interface Shape {
  /** The door it knocks at. Its baseline is the good request of the same door. */
  door: string;
  name: string;
  isBaseline?: true;
  calls(maker: Maker): Call[];
  /** The calls are sent at the same time instead of one after the other. */
  together?: true;
  /** What comes first costs more than what comes again, so it is measured once instead of a few times. */
  isFirst?: true;
  /** Connections that send bytes and never close their side. Without calls. */
  sockets?: { count: number; bytes: string };
  /** The first call is the upload of a file, and this imports it. */
  imports?: "users" | "events";
}

export const MB = 1024 * 1024;

/** Repeats `make` until the joined text has about `bytes` bytes. */
export function fill(bytes: number, make: (index: number) => string, separator = ","): string {
  const parts: string[] = [];
  for (let index = 0, length = 0; length < bytes; index++) {
    const part = make(index);
    parts.push(part);
    length += part.length + separator.length;
  }
  return parts.join(separator);
}
