import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Entry } from "../../domain/entries/entry.js";
import { createMetrics } from "../../runtime/measures/metrics.js";
import type { Database } from "../../storage/postgres/database.js";
import { RecentEntries } from "../recent-entries.js";
import { Backlog } from "./backlog.js";
import { Intake } from "./intake.js";

const MB = 1024 * 1024;
const never = new Promise<never>(() => {});

test("batches are refused when those that wait to be stored hold 64 MB, however well they are compressed", async () => {
  const metrics = createMetrics();
  const empty = { query: async () => ({ rows: [], rowCount: 0 }) } as unknown as Database;
  const intake = new Intake({
    // It does not answer.
    log: { append: () => never },
    admission: { admit: () => never },
    metrics,
    backlog: new Backlog({ database: empty, maxBacklogEntries: 1_000_000, disk: undefined }),
    recent: new RecentEntries(),
    async listRefused() {},
    onAppended() {},
  });
  // Only its size and its lane count here.
  const large = { active: false, note: "x".repeat(MB) } as unknown as Entry;
  const accept = () => intake.acceptEntries("organization", "connector", [large]);
  for (let batch = 0; batch < 70; batch++) accept().catch(() => {});
  await expect.poll(() => Promise.race([accept().catch(({ code }) => code), sleep(20)])).toBe("unavailable");
});
