import { type Brand, type SubjectType, typeOfId } from "@muster/protocol";
import { COMPUTED_ATTRIBUTES_API } from "@muster/protocol/api/computed-attributes";
import type { ComputedAttributes } from "../../../audience/computed/computed-attributes.js";
import type { Subjects } from "../../../audience/subjects/subjects.js";
import type { App } from "../../app-type.js";
import { type Caller, connectorIdOf, isOwner } from "../../auth/caller.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";

/** An attribute of everybody whose values are to be deleted. */
interface DeletedAttribute {
  object: "users" | "accounts";
  name: string;
  connectorId: string;
  byOwner: boolean;
}

export interface ComputedAttributeRoutesOptions {
  computed: ComputedAttributes;
  subjects: Subjects;
  /** Starts the job that deletes the values of an attribute. */
  deleteValues(organizationId: string, attribute: DeletedAttribute): Promise<{ id: string }>;
  brand: Brand;
}

/** Attributes whose values Muster computes: definitions, previews, and how a value came to be. */
export function computedAttributeRoutes(
  app: App,
  { computed, subjects, deleteValues, brand }: ComputedAttributeRoutesOptions,
): void {
  app.get(
    "/computed_attributes",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "All computed attributes",
        ...COMPUTED_ATTRIBUTES_API["GET /api/v1/computed_attributes"],
      },
    },
    async (request, reply) => {
      const all = await computed.list(request.caller.organization.id, request.query.target);
      return pageOfAll(request, reply, brand, request.query, all);
    },
  );

  app.post(
    "/computed_attributes",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "Create a computed attribute",
        description:
          "The values of everybody are computed in the background; `progress` says how far that is. Then they follow every record and the time.",
        ...COMPUTED_ATTRIBUTES_API["POST /api/v1/computed_attributes"],
      },
    },
    async ({ caller, body }, reply) => {
      reply.status(201);
      return computed.create(caller.organization.id, body);
    },
  );

  app.post(
    "/computed_attributes/preview",
    {
      config: { access: "connector", reads: true },
      schema: {
        tags: ["attributes"],
        summary: "The values that some users or accounts would get",
        description: "Stores nothing. Of figures over events, the sample shows users who have such events.",
        ...COMPUTED_ATTRIBUTES_API["POST /api/v1/computed_attributes/preview"],
      },
    },
    ({ caller, body }) => computed.preview(caller.organization.id, body),
  );

  app.get(
    "/:id/computed_attributes/:name",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "How the computed value of a user or account came to be",
        ...COMPUTED_ATTRIBUTES_API["GET /api/v1/{id}/computed_attributes/{name}"],
      },
    },
    async ({ caller, params }) => {
      const type = typeOfId(params.id) === "account" ? "account" : "user";
      const profile = await subjects.find(type, caller.organization.id, params.id);
      const explained = profile && (await computed.explain(caller.organization.id, profile, params.name));
      if (!explained)
        throw notFound(profile ? "computed attribute" : "user or account", profile ? params.name : params.id);
      return explained;
    },
  );

  app.get(
    "/computed_attributes/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "A computed attribute, and how far its values are computed",
        ...COMPUTED_ATTRIBUTES_API["GET /api/v1/computed_attributes/{id}"],
      },
    },
    async ({ caller, params }) => {
      const found = await computed.find(caller.organization.id, params.id);
      if (!found) throw notFound("computed attribute", params.id);
      return found;
    },
  );

  app.put(
    "/computed_attributes/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "Change a computed attribute; what is left out stays as it is",
        description: "With another `compute`, the values of everybody are computed again.",
        ...COMPUTED_ATTRIBUTES_API["PUT /api/v1/computed_attributes/{id}"],
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      const updated = await computed.update(caller.organization.id, params.id, body);
      if (!updated) throw notFound("computed attribute", params.id);
      request.audited = { label: updated.name };
      return updated;
    },
  );

  app.delete(
    "/computed_attributes/:id",
    {
      config: { access: "connector" },
      schema: {
        tags: ["attributes"],
        summary: "Delete a computed attribute",
        description: "Refused while other computed attributes read it, or, with its values, while segments ask for it.",
        ...COMPUTED_ATTRIBUTES_API["DELETE /api/v1/computed_attributes/{id}"],
      },
    },
    async (request) => {
      const { caller, params, query } = request;
      const before = await computed.find(caller.organization.id, params.id);
      const remove = query.values === "keep" ? undefined : deletion(caller, deleteValues);
      const removed = await computed.remove(caller.organization.id, params.id, remove);
      if (!removed) throw notFound("computed attribute", params.id);
      if (before) request.audited = { label: before.name };
      return { id: params.id, deleted: true as const, job_id: removed.jobId };
    },
  );
}

function deletion(caller: Caller, deleteValues: ComputedAttributeRoutesOptions["deleteValues"]) {
  return async (subjectType: SubjectType, name: string): Promise<string> => {
    const attribute = {
      object: `${subjectType}s` as const,
      name,
      connectorId: connectorIdOf(caller),
      byOwner: isOwner(caller),
    };
    return (await deleteValues(caller.organization.id, attribute)).id;
  };
}
