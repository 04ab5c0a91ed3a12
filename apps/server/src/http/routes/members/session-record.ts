import { Type } from "typebox";
import type { Member } from "../../../domain/members/member.js";
import { ROLES, type Role } from "../../../domain/members/role.js";
import { csrfTokenOf } from "../../../members/sessions.js";
import type { Organizations } from "../../../organizations/organizations.js";
import type { Person } from "../../auth/person.js";

export const RoleName = Type.Enum([...ROLES], {
  description: "`viewer` looks, `editor` changes data, `owner` manages connectors, platforms and members too.",
});

const OwnRecord = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  has_password: Type.Boolean(),
});

export const SessionRecord = Type.Object(
  {
    is_operator: Type.Boolean({
      description: "Whether the caller runs the server, as owner of every organization.",
    }),
    member: Type.Union([OwnRecord, Type.Null()], { description: "Null when the caller has the admin token." }),
    session_id: Type.Union([Type.String(), Type.Null()]),
    csrf_token: Type.Union([Type.String(), Type.Null()], {
      description: "To be sent as `X-CSRF-Token` with every request that is not GET.",
    }),
    organizations: Type.Array(
      Type.Object({
        id: Type.String(),
        namespace: Type.String(),
        name: Type.String(),
        enabled: Type.Boolean(),
        role: RoleName,
      }),
      { description: "Those that the caller may see, with the role in each." },
    ),
  },
  { component: "Session", description: "Who is signed in." },
);

/** Who is signed in, as the dashboard needs it. */
export async function sessionRecord(organizations: Organizations, person: Person) {
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
