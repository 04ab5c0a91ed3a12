import { BatchSender } from "./batch-sender.js";
import type { Destination } from "./destination.js";
import type { PendingEntry } from "./pending-entry.js";

// Thousands of short-lived clients of one connector batch together because the queues belong to the process. A queue
// is forgotten when it is empty, so a process that serves many organizations does not collect them.
const senders = new Map<string, { sender: BatchSender; destination: Destination }>();

let watchesExit = false;

export function pushEntry(destination: Destination, entry: PendingEntry, isUrgent: boolean): void {
  let open = senders.get(destination.key);
  if (!open) {
    open = { sender: new BatchSender(destination, () => senders.delete(destination.key)), destination };
    senders.set(destination.key, open);
    watchExit();
  }
  open.sender.push(entry, isUrgent);
}

export async function flushEntries(destination: Destination): Promise<void> {
  await senders.get(destination.key)?.sender.flush();
}

function watchExit(): void {
  if (watchesExit) return;
  watchesExit = true;
  // Emitted when nothing but our timers is left; sending keeps the process alive until the answers are in.
  process.on("beforeExit", () => {
    for (const { sender } of senders.values()) void sender.flush();
  });
  // After `process.exit()` nothing can be sent any more: say at least what is lost.
  process.on("exit", () => {
    for (const { sender, destination } of senders.values()) {
      destination.logger.error("client.entries.lost", { entries: sender.pending, reason: "the process was ended" });
    }
  });
}
