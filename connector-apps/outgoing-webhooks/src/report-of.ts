import type { Report } from "@muster/connector";
import type { Delivery } from "./deliveries.js";

/** The worst first: a message with several calls is reported by the worst of them. */
const WORST_FIRST: readonly Report["result"][] = ["retried", "refused", "accepted"];

/** What became of a message: of all its calls, when there are several. */
export function reportOf(deliveries: readonly Delivery[], answers: ReadonlyMap<Delivery, Report>): Report {
  const reports = deliveries.flatMap((delivery) => answers.get(delivery) ?? []);
  const [worst] = WORST_FIRST.flatMap((result) => reports.filter((report) => report.result === result));
  return worst ?? { result: "skipped", reason: "None of the chosen triggers is about this change." };
}
