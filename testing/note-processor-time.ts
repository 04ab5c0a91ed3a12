import { afterAll } from "vitest";
import { processorTimeMs } from "./processor-time.js";

declare module "vitest" {
  interface TaskMeta {
    /** The processor time that a test file has used, with the programs that it started and stopped. */
    processorMs?: number;
  }
}

// Vitest runs this before it loads each test file, so the loading counts too.
const startedAt = processorTimeMs();

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the first parameter which fixtures a hook needs.
afterAll(({}, file) => {
  file.meta.processorMs = processorTimeMs() - startedAt;
});
