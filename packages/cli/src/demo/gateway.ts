import {
  type AccountClaims,
  type BatchEntry,
  type Brand,
  type EntryType,
  signToken,
  type UserClaims,
} from "@muster/protocol";
import { reach } from "../api.js";
import { Failure } from "../failure.js";

export interface GatewayOptions {
  url: string;
  brand: Brand;
  /** The id of the organization. */
  organization: string;
  connector: { id: string; secret: string };
}

/** One thing to say about a user or an account. With both, the user is linked to the account. */
export interface Saying {
  type: EntryType;
  at: number;
  user?: UserClaims;
  account?: AccountClaims;
  body: Record<string, unknown>;
}

// The gateway takes 5,000 entries in a batch unless its settings say otherwise.
const MOST_ENTRIES = 2_000;

/** Sends entries through the batch gateway with the credentials of a connector. */
export class Gateway {
  readonly #options: GatewayOptions;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  /** Sends the entries in their order. Returns the position of the last batch; undefined when there are none. */
  async send(sayings: readonly Saying[]): Promise<string | undefined> {
    let position: string | undefined;
    for (let from = 0; from < sayings.length; from += MOST_ENTRIES) {
      const batch = sayings.slice(from, from + MOST_ENTRIES).map((saying) => this.#entry(saying));
      position = (await this.#post(batch)).position;
    }
    return position;
  }

  /** Waits until everything up to the position is searchable and segments are evaluated. */
  async waitFor(position: string): Promise<void> {
    const { url, brand } = this.#options;
    const response = await reach(`${url}/api/v1/org`, {
      headers: { ...this.#headers(), [brand.headers.waitFor]: position },
      signal: AbortSignal.timeout(60_000),
    });
    if (!response.ok)
      throw new Failure("refused", "The server has not processed the records in time: see `muster status`.");
  }

  async #post(batch: BatchEntry[]): Promise<{ position: string }> {
    const now = new Date().toISOString();
    const response = await reach(`${this.#options.url}/firehose`, {
      method: "POST",
      headers: { ...this.#headers(), "content-type": "application/json" },
      body: JSON.stringify({ batch, timestamp: now, sentAt: now }),
    });
    const answer = (await response.json()) as { position: string; rejected: { message: string }[]; message?: string };
    const problem = response.ok ? answer.rejected[0]?.message : (answer.message ?? `It answered ${response.status}.`);
    if (problem !== undefined) throw new Failure("refused", `The gateway refused a record: ${problem}`);
    return answer;
  }

  #headers(): Record<string, string> {
    const { brand, organization, connector } = this.#options;
    const { headers } = brand;
    return {
      [headers.organization]: organization,
      [headers.appId]: connector.id,
      [headers.accessToken]: connector.secret,
    };
  }

  #entry({ type, at, user, account, body }: Saying): BatchEntry {
    const { brand, connector } = this.#options;
    const { claims, headers } = brand;
    const token = signToken(
      {
        iss: connector.id,
        iat: Math.floor(Date.now() / 1_000),
        [claims.subjectType]: user ? "user" : "account",
        ...(user ? { [claims.asUser]: user } : {}),
        ...(account ? { [claims.asAccount]: account } : {}),
      },
      connector.secret,
    );
    return { type, timestamp: new Date(at).toISOString(), headers: { [headers.accessToken]: token }, body };
  }
}
