import type { HealthCheck } from "@muster/protocol/api/operations";

export function good(name: string, message: string): HealthCheck {
  return { name, status: "good", message, advice: "" };
}
