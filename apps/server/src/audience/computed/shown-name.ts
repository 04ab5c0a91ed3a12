/** How a user or account is called where it is one of many. */
export function shownName(report: Record<string, unknown>): string | null {
  for (const key of ["name", "email", "domain", "external_id"]) {
    const value = report[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}
