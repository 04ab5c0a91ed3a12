import { startChild } from "../lib/child.js";
import { secondsSince } from "../lib/seconds-since.js";
import type { FillOrder } from "./fill-order.js";

/** Fills a question engine in a process of its own. Returns the seconds that it took. */
export async function fill(order: FillOrder): Promise<number> {
  const startedAt = performance.now();
  const child = startChild(new URL("./fill-questions.js", import.meta.url), []);
  child.send(order);
  await child.next();
  await child.stop();
  return secondsSince(startedAt);
}
