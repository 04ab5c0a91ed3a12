import type { Client, LogEntry } from "@muster/client";
import { reasonOf, writeLogLine } from "@muster/protocol";

// A connector in trouble logs faster than anybody reads: beyond this many under way, the rest stays in its own log.
const MAX_UNDER_WAY = 20;

/**
 * Sends error entries to the platform, which shows them beside the connector. An entry with `hull_summary` in its data
 * tells people what happened in their own words.
 */
export class LogShipping {
  readonly #underWay = new Set<Promise<void>>();

  ship(client: Client, entry: LogEntry): void {
    if (entry.level !== "error" || this.#underWay.size >= MAX_UNDER_WAY) return;
    const sent = client
      .post("/app/logs", { logs: [entry] })
      .then(
        () => {},
        // Not through the client's own logger, whose errors would be shipped again.
        (error: unknown) =>
          writeLogLine({ ...entry, level: "warn", message: "connector.logs.unsent", data: reasonOf(error) }),
      )
      .finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  /** Resolves once everything shipped so far has arrived or failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}
