import type { Client, LogEntry } from "@muster/client";
import { reasonOf, writeLogLine } from "@muster/protocol";

// A failing connector can log very fast. While this many entries are being sent, further ones stay in its own log.
const MAX_UNDER_WAY = 20;

/**
 * Sends error entries to Muster, which shows them beside the connector. The `hull_summary` in an entry's data is a
 * description for people.
 */
export class LogShipping {
  readonly #underWay = new Set<Promise<void>>();

  ship(client: Client, entry: LogEntry): void {
    if (entry.level !== "error" || this.#underWay.size >= MAX_UNDER_WAY) return;
    const sent = client
      .post("/app/logs", { logs: [entry] })
      .then(
        () => {},
        // Not through the client's logger, whose errors would be sent to Muster again.
        (error: unknown) =>
          writeLogLine({ ...entry, level: "warn", message: "connector.logs.unsent", data: reasonOf(error) }),
      )
      .finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  /** Resolves when all entries given so far have been sent or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
