import { createHash } from "node:crypto";

/**
 * Which of several holders should have a piece of work. All of them come to the same answer. When a holder comes or
 * goes, only the work that it gets or had changes hands (rendezvous hashing).
 */
export function preferredHolder(holders: Iterable<string>, key: string): string | undefined {
  let preferred: string | undefined;
  let highest = "";
  for (const holder of holders) {
    const score = createHash("sha1").update(`${holder}\n${key}`).digest("hex");
    if (score <= highest) continue;
    highest = score;
    preferred = holder;
  }
  return preferred;
}
