import { createHash, createHmac } from "node:crypto";
import { openSealedText, Refusal, sealText } from "@muster/protocol";
import {
  type Arrival,
  arrivalProblem,
  CARRIED_ID_LIFE_MS,
  type CarriedId,
  printCarriedId,
  readCarriedId,
} from "../domain/platforms/carried-id.js";
import { mayUse } from "../domain/platforms/page-origin.js";
import type { Platform } from "../domain/platforms/platform.js";
import type { Database } from "../storage/postgres/database.js";
import { useCarriedId } from "../storage/postgres/objects/used-carried-ids.js";

export interface CarriedIdsOptions {
  database: Database;
  secretKey: string;
}

type Site = Pick<Platform, "domains">;

/**
 * Ids of visitors in links from one domain of a platform to another. A carried id is encrypted and authenticated with a
 * key of this server: nobody else can make one, and the logs of a website do not show the id of the visitor.
 */
export class CarriedIds {
  readonly #database: Database;
  readonly #key: Buffer;

  constructor({ database, secretKey }: CarriedIdsOptions) {
    this.#database = database;
    this.#key = createHmac("sha256", secretKey).update("muster carried ids").digest();
  }

  /** Makes what a link to the host `to` carries. `platforms` are those of the organization. */
  carry(organizationId: string, platforms: readonly Site[], given: Omit<CarriedId, "expiresAt">): string {
    const { from, to, user } = given;
    if (!platforms.some((platform) => mayUse(platform, `http://${to}`))) {
      throw new Refusal(
        "forbidden",
        `${to} is not a domain of a platform of the organization. Ids are not carried to other sites.`,
      );
    }
    // Pages of one host have the same cookies. A link from one to another that carries an id was written by somebody else.
    // The token of a user is in the storage of one port.
    if (user ? from === to.toLowerCase() : hostnameOf(from) === hostnameOf(to)) {
      throw new Refusal("forbidden", `An id is carried to another host than ${hostnameOf(from)}, from which it comes.`);
    }
    const carried = { ...given, to: to.toLowerCase(), expiresAt: Date.now() + CARRIED_ID_LIFE_MS };
    return sealText(printCarriedId(carried), this.#key, contextOf(organizationId)).toString("base64url");
  }

  /** Who a browser is, as far as it can be told again: by its network and its agent. */
  browserOf(network: string, agent: string): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([network, agent]))
      .digest("base64url")
      .slice(0, 22);
  }

  /**
   * The browser id that a link has carried to a page, and the token of the user. Throws unless this is the page and its
   * first use. The token is only for the browser that it comes from: whoever sees the address in a log has another one.
   */
  async arrive(
    organizationId: string,
    given: string,
    arrival: Arrival & { browser: string },
  ): Promise<{ browserId: string; token: string | undefined }> {
    const sealed = Buffer.from(given, "base64url");
    const carried = this.#open(sealed, contextOf(organizationId));
    if (!carried)
      throw new Refusal("invalid_parameter", "The carried id was not made by this server for this organization.");
    const now = Date.now();
    const problem = arrivalProblem(carried, arrival, now);
    if (problem !== undefined) throw new Refusal("forbidden", problem);
    // Of the bytes: one text in base64 can be written in several ways.
    const digest = createHash("sha256").update(sealed).digest();
    const use = { digest, expiresAt: new Date(carried.expiresAt) };
    const isFirstUse = await useCarriedId(this.#database, organizationId, use, new Date(now));
    if (!isFirstUse) throw new Refusal("conflict", "The carried id was used before: it works once.");
    const { browserId, user } = carried;
    return { browserId, token: user?.browser === arrival.browser ? user.token : undefined };
  }

  #open(sealed: Buffer, context: string): CarriedId | undefined {
    try {
      return readCarriedId(openSealedText(sealed, this.#key, context));
    } catch {
      return undefined;
    }
  }
}

/** Without the port, which cookies do not regard. */
function hostnameOf(host: string): string {
  return new URL(`http://${host}`).hostname;
}

function contextOf(organizationId: string): string {
  return `carried id of ${organizationId}`;
}
