import type { HealthCheck } from "@muster/protocol/api/operations";
import type { Api } from "../api.js";
import type { Finding } from "./finding.js";

const VERDICTS: Record<HealthCheck["status"], Finding["verdict"]> = { good: "ok", late: "warning", bad: "problem" };

/** What the running server finds about itself: engines, clocks, disk, versions, sizes, lag, certificates, connectors. */
export async function checkHealth(api: Pick<Api, "get">): Promise<Finding[]> {
  const checks = await api.get<HealthCheck[]>("/health_checks?per_page=1000");
  return checks.map(({ name, status, message, advice }) => ({
    check: name,
    verdict: VERDICTS[status],
    message,
    ...(advice === "" ? {} : { advice }),
  }));
}
