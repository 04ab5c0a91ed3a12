/** What a member may do in an organization: look, change data, or manage everything. */
export type Role = "viewer" | "editor" | "owner";

/** From the fewest rights to the most: each role may do what the ones before it may. */
export const ROLES: readonly Role[] = ["viewer", "editor", "owner"];

/** Whether `role` may do what `needed` may. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
