const ALL = "all";

/** Whether the operator's list of destinations (DESTINATIONS) has this name. */
export function isAllowedDestination(allowed: readonly string[], name: string): boolean {
  return allowed.includes(ALL) || allowed.includes(name);
}
