import type { Role, Session } from "@muster/protocol/api/members";
import type { Member } from "../../../domain/members/member.js";
import { csrfTokenOf } from "../../../members/sessions.js";
import type { Organizations } from "../../../organizations/organizations.js";
import type { Person } from "../../auth/person.js";

/** Who is signed in, as the dashboard needs it. */
export async function sessionRecord(organizations: Organizations, person: Person): Promise<Session> {
  const all = await organizations.list();
  const member = person.kind === "member" ? person.member : undefined;
  const roleIn = (organizationId: string): Role | undefined =>
    person.kind === "operator" || person.member.isOperator ? "owner" : person.roles[organizationId];
  return {
    is_operator: member?.isOperator ?? true,
    member: member ? ownRecord(member) : null,
    session_id: person.kind === "member" ? person.session.id : null,
    csrf_token: person.kind === "member" ? csrfTokenOf(person.token) : null,
    organizations: all.flatMap(({ id, namespace, name, enabled }) => {
      const role = roleIn(id);
      return role ? [{ id, namespace, name, enabled, role }] : [];
    }),
  };
}

function ownRecord({ id, email, name, hasPassword }: Member) {
  return { id, email, name, has_password: hasPassword };
}
