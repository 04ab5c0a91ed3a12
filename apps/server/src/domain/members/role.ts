import { ROLES, type Role } from "@muster/protocol/api/members";

/** Whether `role` may do what `needed` may. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
