import type { Brand } from "@muster/protocol";
import { PURPOSES_API } from "@muster/protocol/api/purposes";
import type { Purposes } from "../../../audience/attributes/purposes.js";
import { changedFields } from "../../../domain/members/changed-fields.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";

export interface PurposeRoutesOptions {
  purposes: Purposes;
  brand: Brand;
}

/** The purposes of an organization. Only its owners change them: they decide whom connectors are told about. */
export function purposeRoutes(app: App, { purposes, brand }: PurposeRoutesOptions): void {
  app.get(
    "/purposes",
    {
      config: { access: "connector" },
      schema: {
        tags: ["purposes"],
        summary: "What the people of the organization agree to",
        ...PURPOSES_API["GET /api/v1/purposes"],
      },
    },
    async (request, reply) => {
      const all = await purposes.list(request.caller.organization.id);
      return pageOfAll(request, reply, brand, request.query, all);
    },
  );

  app.put(
    "/purposes/:name",
    {
      config: { access: "operator" },
      schema: {
        tags: ["purposes"],
        summary: "Create a purpose, or change its description",
        ...PURPOSES_API["PUT /api/v1/purposes/{name}"],
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      const before = (await purposes.list(caller.organization.id)).find(({ name }) => name === params.name);
      const after = await purposes.put(caller.organization.id, params.name, body.description);
      request.audited = { label: params.name, ...changedFields(before, after) };
      return after;
    },
  );

  app.delete(
    "/purposes/:name",
    {
      config: { access: "operator" },
      schema: {
        tags: ["purposes"],
        summary: "Delete a purpose that no connector serves",
        ...PURPOSES_API["DELETE /api/v1/purposes/{name}"],
      },
    },
    async ({ caller, params: { name } }) => {
      if (!(await purposes.remove(caller.organization.id, name))) throw notFound("purpose", name);
      return { name, deleted: true as const };
    },
  );
}
