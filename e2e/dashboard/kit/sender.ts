import { type BatchAnswer, type BatchEntry, createBrand, signToken } from "@muster/protocol";
import type { Credentials } from "../../support/credentials.js";
import type { Dashboard } from "./dashboard.js";
import { sendEntries } from "./send-entries.js";

const { claims, headers } = createBrand();

/** A connector of the organization that sends entries about users. */
export class Sender {
  readonly #dashboard: Dashboard;
  readonly #credentials: Credentials;

  private constructor(dashboard: Dashboard, credentials: Credentials) {
    this.#dashboard = dashboard;
    this.#credentials = credentials;
  }

  static async connect(dashboard: Dashboard, name = "Shop"): Promise<Sender> {
    return new Sender(dashboard, await dashboard.api<Credentials>("POST", "/connectors", { name }));
  }

  /** An entry about the user with this external id, or these identifiers. With `create` false, an unknown user is not created. */
  entry(
    type: BatchEntry["type"],
    user: string | Record<string, string>,
    body: object,
    { create = true } = {},
  ): BatchEntry {
    const { id, secret } = this.#credentials;
    const token = signToken(
      {
        iss: id,
        iat: Math.floor(Date.now() / 1_000),
        [claims.subjectType]: "user",
        [claims.asUser]: typeof user === "string" ? { external_id: user } : user,
        ...(create ? {} : { [claims.create]: false }),
      },
      secret,
    );
    return { type, timestamp: new Date().toISOString(), headers: { [headers.accessToken]: token }, body: { ...body } };
  }

  send(...batch: BatchEntry[]): Promise<BatchAnswer> {
    return sendEntries(this.#dashboard, this.#credentials, batch);
  }
}
