import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";

/** What a person calls the subject: its name, or the best identifier. */
export function subjectName(type: SubjectType, report: Report | undefined): string {
  if (!report) return type === "user" ? "User" : "Account";
  const { name, first_name, last_name, email, domain, external_id } = report;
  const full = [first_name, last_name].filter((part) => typeof part === "string" && part !== "").join(" ");
  const named = [name, full, email, domain, external_id].find((text) => typeof text === "string" && text !== "");
  return named ? String(named) : `${type === "user" ? "Anonymous user" : "Account"} ${report.id}`;
}

/** The text that somebody types to confirm that the subject is erased. */
export function confirmingText({ email, domain, external_id, id }: Report): string {
  return String([email, external_id, domain, id].find((text) => typeof text === "string" && text !== ""));
}
