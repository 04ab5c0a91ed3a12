import { type Brand, Refusal } from "@muster/protocol";
import { MEMBERS_API, type Member } from "@muster/protocol/api/members";
import type { OrganizationMember } from "../../../domain/members/member.js";
import type { Members } from "../../../members/members.js";
import type { App } from "../../app-type.js";
import { pageOfAll } from "../pagination.js";

export interface MemberRoutesOptions {
  members: Members;
  brand: Brand;
}

/** The members of an organization and their roles. */
export function memberRoutes(app: App, { members, brand }: MemberRoutesOptions): void {
  const requireMember = async (organizationId: string, id: string) => {
    const member = await members.find(organizationId, id);
    if (!member) throw memberNotFound(id);
    return member;
  };

  app.get(
    "/members",
    {
      config: { access: "operator" },
      schema: {
        tags: ["members"],
        summary: "The members of the organization",
        ...MEMBERS_API["GET /api/v1/members"],
      },
    },
    async (request, reply) => {
      const all = await members.list(request.caller.organization.id);
      return pageOfAll(request, reply, brand, request.query, all).map(memberRecord);
    },
  );

  app.put(
    "/members/:id",
    {
      config: { access: "operator" },
      schema: {
        tags: ["members"],
        summary: "Give a member another role; it counts at once",
        ...MEMBERS_API["PUT /api/v1/members/{id}"],
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      const { id } = caller.organization;
      const before = await requireMember(id, params.id);
      if (!(await members.changeRole(id, params.id, body.role))) throw memberNotFound(params.id);
      request.audited = {
        objectType: "member",
        label: labelOf(before),
        before: { role: before.role },
        after: { role: body.role },
      };
      return memberRecord(await requireMember(id, params.id));
    },
  );

  app.delete(
    "/members/:id",
    {
      config: { access: "operator" },
      schema: {
        tags: ["members"],
        summary: "Take a member out of the organization; it counts at once",
        ...MEMBERS_API["DELETE /api/v1/members/{id}"],
      },
    },
    async (request) => {
      const { caller, params } = request;
      const before = await requireMember(caller.organization.id, params.id);
      if (!(await members.remove(caller.organization.id, params.id))) throw memberNotFound(params.id);
      request.audited = { objectType: "member", label: labelOf(before), before: { role: before.role } };
      return { id: params.id, deleted: true as const };
    },
  );
}

function labelOf({ name, email }: OrganizationMember): string {
  return `${name} <${email}>`;
}

function memberNotFound(id: string): Refusal {
  return new Refusal("not_found", `There is no member "${id.slice(0, 100)}" in this organization.`);
}

function memberRecord({ id, email, name, role, isOperator, createdAt, lastSignedInAt }: OrganizationMember): Member {
  return {
    id,
    email,
    name,
    role,
    is_operator: isOperator,
    created_at: createdAt.toISOString(),
    last_signed_in_at: lastSignedInAt?.toISOString() ?? null,
  };
}
