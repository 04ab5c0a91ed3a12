import type { Role } from "@muster/protocol/api/members";

/** What each role may do, for people who choose one. */
export const ROLE_WORDS: Record<Role, string> = {
  viewer: "Looks at everything, changes nothing.",
  editor: "Also changes users, segments, attributes and imports.",
  owner: "Also manages connectors with their secrets, platforms and members.",
};

/** From the fewest rights to the most. */
export const ROLES = ["viewer", "editor", "owner"] as const satisfies readonly Role[];
