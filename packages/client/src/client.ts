import type { AccountClaims, UserClaims } from "@muster/protocol";
import { AccountClient } from "./account-client.js";
import { ApiClient } from "./api-client.js";
import type { ClientConfig } from "./configuration.js";
import { openConnection } from "./connection.js";
import { type AdditionalClaims, readAccountClaims, readAdditionalClaims, readUserClaims } from "./subject.js";
import { UserClient } from "./user-client.js";

/**
 * A connector's client. Creating one costs little: clients of the same connector share connections and batches.
 *
 * @example
 * const client = new Client({
 *   id: "0198c2a4f1d002a1b2c3d4e5",
 *   secret: process.env.MUSTER_SECRET ?? "",
 *   organization: "acme.example.com",
 * });
 */
export class Client extends ApiClient {
  /** Throws a `ClientError` naming everything that is wrong with the configuration. */
  constructor(config: ClientConfig) {
    super(openConnection(config));
  }

  /**
   * A client that acts for a user. Makes no call by itself; throws when the claims hold no usable identifier.
   *
   * @example
   * const user = client.asUser({ external_id: "42", email: "ada@example.com" }, { create: false });
   */
  asUser(userClaim: string | UserClaims, additionalClaims: AdditionalClaims = {}): UserClient {
    const additional = readAdditionalClaims(additionalClaims);
    return new UserClient(this.connection, { type: "user", user: readUserClaims(userClaim), additional });
  }

  /**
   * A client that acts for an account. Makes no call by itself; throws when the claims hold no usable identifier.
   *
   * @example
   * const account = client.asAccount({ domain: "example.com" });
   */
  asAccount(accountClaim: string | AccountClaims, additionalClaims: AdditionalClaims = {}): AccountClient {
    const additional = readAdditionalClaims(additionalClaims);
    return new AccountClient(this.connection, {
      type: "account",
      account: readAccountClaims(accountClaim),
      additional,
    });
  }
}
