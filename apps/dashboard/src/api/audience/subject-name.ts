import { subjectNames } from "@muster/protocol";
import { typeOfId } from "@muster/protocol/api/object-ids";
import type { Report } from "@muster/protocol/api/subjects";

/** What a user or account is called on every screen. */
export function subjectName(report: Report): string {
  return subjectNames(report)[0] ?? namelessWords(report.id);
}

/** What a user or account is called that has nothing to be called by. The end of the id tells two of them apart. */
export function namelessWords(id: string): string {
  return `${typeOfId(id) === "account" ? "Account" : "Anonymous"} …${id.slice(-6)}`;
}
