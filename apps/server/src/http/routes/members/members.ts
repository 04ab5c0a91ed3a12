import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { OrganizationMember } from "../../../domain/members/member.js";
import type { Members } from "../../../members/members.js";
import type { App } from "../../app-type.js";
import { pageOfAll } from "../pagination.js";
import { RoleName } from "./session-record.js";

const MemberRecord = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String(),
    role: RoleName,
    is_operator: Type.Boolean({ description: "Whether the member runs the server." }),
    created_at: Type.String({ format: "date-time" }),
    last_signed_in_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  },
  { component: "Member", description: "A person with a role in the organization." },
);

const Params = Type.Object({ id: Type.String({ description: "The id of a member." }) });

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
        querystring: PageQuery,
        response: { 200: Type.Array(MemberRecord) },
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
        params: Params,
        body: Type.Object({ role: RoleName }),
        response: { 200: MemberRecord },
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
        params: Params,
        response: { 200: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }) },
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

function memberRecord({ id, email, name, role, isOperator, createdAt, lastSignedInAt }: OrganizationMember) {
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
