/**
 * The parts of the server. A process runs one or more of them, and all of them by default.
 *
 *   api        answers /api/v1, the reference, and what browsers and connectors load
 *   gateway    accepts batches
 *   worker     applies records, projects them, evaluates segments, and queues messages
 *   deliver    calls connectors
 *   jobs       imports, extracts, exports, erasures, and the upkeep of the database
 *   dashboard  the dashboard and the guides, and /api/v1 for them
 */
export const ROLES = ["api", "gateway", "worker", "deliver", "jobs", "dashboard"] as const;
export type Role = (typeof ROLES)[number];

/** Those of the roles that ask the question engine or fill it. */
export function rolesWithQuestions(roles: readonly Role[]): Role[] {
  return roles.filter((role) => role !== "gateway");
}
