import type { Role } from "@muster/protocol/api/members";
import { useParams } from "@tanstack/react-router";
import { useSession } from "./use-session.js";

const RANK: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 };

/** The organization of the current address, and the role of the person in it. */
export function useOrganization() {
  const { org = "" } = useParams({ strict: false });
  const { data: session } = useSession();
  const found = session?.organizations.find(({ id }) => id === org);
  return {
    id: org,
    isKnown: found !== undefined,
    name: found?.name ?? "",
    namespace: found?.namespace ?? "",
    role: found?.role ?? "viewer",
  };
}

/** Whether the person may do what needs a role. Buttons for what they may not do are disabled and say why. */
export function useMay(role: Role): boolean {
  return RANK[useOrganization().role] >= RANK[role];
}
