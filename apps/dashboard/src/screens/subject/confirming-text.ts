import type { Report } from "@muster/protocol/api/subjects";

/** The text that somebody types to confirm that the subject is erased. */
export function confirmingText({ email, domain, external_id, id }: Report): string {
  return String([email, external_id, domain, id].find((text) => typeof text === "string" && text !== ""));
}
