import { createHash } from "node:crypto";

/**
 * Which of several holders should have a piece of work. All holders compute the same answer. When a holder joins or
 * leaves, only its own share of the work changes hands (rendezvous hashing).
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
