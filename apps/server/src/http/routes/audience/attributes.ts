import type { Brand } from "@muster/protocol";
import { ATTRIBUTES_API } from "@muster/protocol/api/attributes";
import type { Attributes } from "../../../audience/attributes/attributes.js";
import { changedFields } from "../../../domain/members/changed-fields.js";
import type { App } from "../../app-type.js";
import { notFound } from "../not-found.js";
import { pageOfAll } from "../pagination.js";

export interface AttributeRoutesOptions {
  attributes: Attributes;
  brand: Brand;
}

/** Routes for the definitions of attributes, and for the keys of reports. */
export function attributeRoutes(app: App, { attributes, brand }: AttributeRoutesOptions): void {
  for (const subjectType of ["user", "account"] as const) {
    app.get(
      `/settings/${subjectType}_traits`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `All ${subjectType} attributes`,
          ...ATTRIBUTES_API[`GET /api/v1/settings/${subjectType}_traits`],
        },
      },
      async (request, reply) => {
        const all = await attributes.list(request.caller.organization.id, subjectType);
        return pageOfAll(request, reply, brand, request.query, all);
      },
    );

    app.get(
      `/settings/${subjectType}_traits/*`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `The definition of one ${subjectType} attribute`,
          ...ATTRIBUTES_API[`GET /api/v1/settings/${subjectType}_traits/{*}`],
        },
      },
      async ({ caller, params }) => {
        const found = await attributes.find(caller.organization.id, subjectType, params["*"]);
        if (!found) throw notFound(`${subjectType} attribute`, params["*"]);
        return found;
      },
    );

    app.put(
      `/settings/${subjectType}_traits/*`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Create one ${subjectType} attribute, or change its flags and what people call it`,
          ...ATTRIBUTES_API[`PUT /api/v1/settings/${subjectType}_traits/{*}`],
        },
      },
      async (request) => {
        const { caller, params, query, body } = request;
        const given = { ...query, ...body };
        const { type, visible, track_changes: trackChanges, server_only: serverOnly, label, description } = given;
        const before = await attributes.settingsOf(caller.organization.id, subjectType, params["*"]);
        const attribute = await attributes.put(caller.organization.id, subjectType, params["*"], {
          ...(type === undefined ? {} : { type }),
          ...(visible === undefined ? {} : { visible }),
          ...(trackChanges === undefined ? {} : { trackChanges }),
          ...(serverOnly === undefined ? {} : { serverOnly }),
          ...(label === undefined ? {} : { label }),
          ...(description === undefined ? {} : { description }),
        });
        const after = await attributes.settingsOf(caller.organization.id, subjectType, attribute.name);
        request.audited = { label: attribute.name.slice(0, 200), ...changedFields(before, after) };
        return attribute;
      },
    );

    app.put(
      `/settings/${subjectType}_trait_groups/:group`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Say whether end users may write the ${subjectType} attributes of a group`,
          description: "Attributes of the group that come later follow the group.",
          ...ATTRIBUTES_API[`PUT /api/v1/settings/${subjectType}_trait_groups/{group}`],
        },
      },
      async ({ caller, params, body }) => {
        await attributes.putGroup(caller.organization.id, subjectType, params.group, body.server_only);
        return { group: params.group, server_only: body.server_only };
      },
    );

    app.get(
      `/${subjectType}s/schema`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["attributes"],
          summary: `Every key of ${subjectType} reports`,
          ...ATTRIBUTES_API[`GET /api/v1/${subjectType}s/schema`],
        },
      },
      async (request, reply) => {
        const all = await attributes.schema(request.caller.organization.id, subjectType);
        return pageOfAll(request, reply, brand, request.query, all);
      },
    );

    app.get(
      `/search/${subjectType}_reports/bootstrap`,
      {
        config: { access: "connector" },
        schema: {
          tags: ["search"],
          summary: `The visible keys of ${subjectType} reports, by group`,
          ...ATTRIBUTES_API[`GET /api/v1/search/${subjectType}_reports/bootstrap`],
        },
      },
      ({ caller }) => attributes.tree(caller.organization.id, subjectType),
    );
  }
}
