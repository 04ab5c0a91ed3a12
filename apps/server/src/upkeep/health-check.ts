export type CheckStatus = "good" | "late" | "bad";

/** One thing that was looked at, as the API shows it. */
export interface HealthCheck {
  name: string;
  status: CheckStatus;
  /** What was found. */
  message: string;
  /** What to do about it; empty when nothing is to be done. */
  advice: string;
}

export function good(name: string, message: string): HealthCheck {
  return { name, status: "good", message, advice: "" };
}
