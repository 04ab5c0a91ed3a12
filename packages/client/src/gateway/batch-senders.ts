import { BatchSender } from "./batch-sender.js";
import type { Destination } from "./destination.js";
import type { PendingEntry } from "./pending-entry.js";

// The queues belong to the process, so thousands of short-lived clients of one connector share their batches. An empty
// queue is removed, so a process that serves many organizations does not accumulate queues.
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
  // Node emits this when only our timers are left. Sending keeps the process alive until the answers are there.
  process.on("beforeExit", () => {
    for (const { sender } of senders.values()) void sender.flush();
  });
  // After `process.exit()` nothing can be sent. The log says what is lost.
  process.on("exit", () => {
    for (const { sender, destination } of senders.values()) {
      const { pending: entries } = sender;
      if (entries > 0) destination.logger.error("client.entries.lost", { entries, reason: "the process was ended" });
    }
  });
}
