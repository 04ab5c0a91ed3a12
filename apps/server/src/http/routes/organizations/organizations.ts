import type { Brand } from "@muster/protocol";
import { Type } from "typebox";
import { organizationRecord } from "../../../organizations/organization-record.js";
import type { Organizations } from "../../../organizations/organizations.js";
import type { App } from "../../app-type.js";
import type { ObjectHandler } from "../object-handler.js";
import { PageQuery, pageOfAll } from "../pagination.js";

const OrganizationAnswer = Type.Object(
  {
    id: Type.String(),
    namespace: Type.String(),
    name: Type.String(),
    created_at: Type.String({ format: "date-time" }),
  },
  { component: "Organization", description: "An organization: the owner of data." },
);

export interface OrganizationRoutesOptions {
  organizations: Organizations;
  brand: Brand;
}

/** Routes by which the operator lists and creates organizations. */
export function organizationRoutes(app: App, { organizations, brand }: OrganizationRoutesOptions): void {
  app.get(
    "/organizations",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "List the organizations of this server",
        querystring: PageQuery,
        response: { 200: Type.Array(OrganizationAnswer) },
      },
    },
    async (request, reply) => {
      const all = await organizations.list();
      return pageOfAll(request, reply, brand, request.query, all).map(organizationRecord);
    },
  );

  app.post(
    "/organizations",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "Create an organization",
        body: Type.Object({
          namespace: Type.String({ description: "Lower-case letters, digits and hyphens; part of its host name." }),
          name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        }),
        response: { 201: OrganizationAnswer },
      },
    },
    async ({ body }, reply) => {
      const organization = await organizations.create(body);
      return reply.status(201).send(organizationRecord(organization));
    },
  );
}

/** The caller's own organization under `/:id`. */
export function organizationObjects(): ObjectHandler {
  return {
    read: async (id, { organization }) => (id === organization.id ? organizationRecord(organization) : undefined),
  };
}
