import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Catalogue } from "../../../connectors/catalogue.js";
import type { App } from "../../app-type.js";
import { anyObjectAs } from "../../reference/named-schema.js";
import { pageOfAll } from "../pagination.js";

const Url = Type.String({ minLength: 1, maxLength: 2_048 });

const CatalogueRecord = Type.Object({
  manifest_url: Type.String(),
  source_url: Type.String(),
  name: Type.String(),
  version: Type.Union([Type.String(), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  picture: Type.Union([Type.String(), Type.Null()], { description: "An absolute address." }),
  tags: Type.Array(Type.String()),
  updated_at: Type.String({ format: "date-time" }),
});

const Problem = Type.Object({ path: Type.String(), message: Type.String(), severity: Type.String() });

export interface CatalogueRoutesOptions {
  catalogue: Catalogue;
  brand: Brand;
}

/** The connectors that can be installed. */
export function catalogueRoutes(app: App, { catalogue, brand }: CatalogueRoutesOptions): void {
  app.get(
    "/catalogue",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Connectors that can be installed",
        querystring: PageQuery,
        response: { 200: Type.Array(CatalogueRecord) },
      },
    },
    async (request, reply) => {
      const all = await catalogue.list(request.caller.organization.id);
      return pageOfAll(request, reply, brand, request.query, all);
    },
  );

  app.get(
    "/catalogue/manifest",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "One connector of the catalogue: its manifest, the problems in it, and its readme",
        querystring: Type.Object({ manifest_url: { ...Url, description: "The address of its manifest." } }),
        response: {
          200: Type.Object({
            manifest_url: Type.String(),
            source_url: Type.String(),
            manifest: anyObjectAs("Manifest"),
            problems: Type.Array(Problem),
            readme: Type.Union([Type.String(), Type.Null()], {
              description: "Markdown; null when there is none or the connector does not serve it now.",
            }),
          }),
        },
      },
    },
    async ({ caller, query }) => {
      const found = await catalogue.find(caller.organization.id, query.manifest_url);
      if (!found) throw notInCatalogue(query.manifest_url);
      return found;
    },
  );

  app.post(
    "/catalogue",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Add the manifest of a connector to the catalogue, and list its problems",
        body: Type.Object({ url: Url }),
        response: {
          201: Type.Object({
            manifest_url: Type.String(),
            manifest: anyObjectAs("Manifest"),
            problems: Type.Array(Problem),
          }),
        },
      },
    },
    async ({ caller, body }, reply) => {
      const { manifestUrl, manifest, problems } = await catalogue.add(caller.organization.id, body.url);
      reply.status(201);
      return { manifest_url: manifestUrl, manifest, problems };
    },
  );

  app.delete(
    "/catalogue",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Remove a connector from the catalogue; installed ones stay",
        querystring: Type.Object({ manifest_url: { ...Url, description: "The address of its manifest." } }),
        response: { 200: Type.Object({ manifest_url: Type.String(), deleted: Type.Literal(true) }) },
      },
    },
    async ({ caller, query }) => {
      if (!(await catalogue.remove(caller.organization.id, query.manifest_url))) {
        throw notInCatalogue(query.manifest_url);
      }
      return { manifest_url: query.manifest_url, deleted: true as const };
    },
  );
}

function notInCatalogue(manifestUrl: string): Refusal {
  return new Refusal("not_found", `"${manifestUrl.slice(0, 200)}" is not in the catalogue.`);
}
