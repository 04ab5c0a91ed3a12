import type { IdStore } from "../identity/browser-ids.js";
import { CarriedIds } from "../identity/carried-ids.js";
import { carryOnLinks } from "../identity/carry-on-links.js";
import type { PageConfig } from "../page-config.js";
import type { Connection } from "./connection.js";
import type { Visitor } from "./visitor.js";

interface CarryVisitorOptions {
  visitor: Visitor;
  connection: Connection;
  ids: IdStore;
  /** The query parameter that carries the visitor. */
  parameter: string;
}

/** Carries the visitor, and the user who is signed in, to the other domains of the organization. */
export function carryVisitor(
  { app: { domains }, carries_to = domains }: PageConfig,
  { visitor, connection, ids, parameter }: CarryVisitorOptions,
): void {
  // The id of the browser, and the token of the user after a space. After a sign-in, another text must be asked for.
  const ask = (visitorKey: string, to: string) => {
    const [bid = "", token] = visitorKey.split(" ");
    return connection.carry(bid, to, token);
  };
  carryOnLinks({
    document,
    parameter,
    domains: carries_to,
    carried: new CarriedIds({ ask, now: () => Date.now() }),
    browserId: () => {
      const [bid, token] = [visitor.carriedId, visitor.token];
      return bid === undefined || token === undefined ? bid : `${bid} ${token}`;
    },
    // Hosts of one site share the ids, but each has a token of its own.
    hasSameIds: (hostname) => visitor.token === undefined && ids.isSharedWith(hostname),
  });
}
