import { startChild } from "../lib/child.js";
import type { FillOrder } from "./fill-order.js";

/** Fills a question engine in a process of its own; answers how many seconds that took. */
export async function fill(order: FillOrder): Promise<number> {
  const startedAt = performance.now();
  const child = startChild(new URL("./fill-questions.js", import.meta.url), []);
  child.send(order);
  await child.next();
  await child.stop();
  return (performance.now() - startedAt) / 1_000;
}
