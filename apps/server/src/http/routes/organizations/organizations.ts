import { isId, Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { Organization } from "../../../domain/organizations/organization.js";
import { GATEWAY_LABEL, isNamespace } from "../../../domain/organizations/organization-reference.js";
import { type Database, isUniqueViolation } from "../../../storage/postgres/database.js";
import { createOrganization, listOrganizations } from "../../../storage/postgres/objects/organizations.js";
import type { App } from "../../app-type.js";
import type { ObjectHandler } from "../object-handler.js";

const OrganizationRecord = Type.Object({
  id: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  created_at: Type.String({ format: "date-time" }),
});

export function organizationRoutes(app: App, database: Database): void {
  app.get(
    "/organizations",
    {
      config: { access: "operator" },
      schema: {
        tags: ["operations"],
        summary: "List the organizations of this server",
        response: { 200: Type.Array(OrganizationRecord) },
      },
    },
    async () => (await listOrganizations(database)).map(organizationRecord),
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
        response: { 201: OrganizationRecord },
      },
    },
    async (request, reply) => {
      const { namespace, name = namespace } = request.body;
      // A namespace that reads like an id could be taken for another organization's.
      if (!isNamespace(namespace) || isId(namespace) || namespace === GATEWAY_LABEL) {
        throw new Refusal(
          "invalid_parameter",
          `"${namespace}" cannot be a namespace: use 1 to 63 lower-case letters, digits and hyphens, not "${GATEWAY_LABEL}".`,
        );
      }
      try {
        reply.status(201);
        return organizationRecord(await createOrganization(database, { namespace, name }));
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Refusal("conflict", `There is already an organization "${namespace}".`);
      }
    },
  );
}

/** The caller's own organization under `/:id`. */
export function organizationObjects(): ObjectHandler {
  return {
    read: async (id, { organization }) => (id === organization.id ? organizationRecord(organization) : undefined),
  };
}

function organizationRecord({ id, namespace, name, createdAt }: Organization) {
  return { id, namespace, name, created_at: createdAt.toISOString() };
}
