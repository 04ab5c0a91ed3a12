import { type Brand, Refusal } from "@muster/protocol";
import { CATALOGUE_API } from "@muster/protocol/api/catalogue";
import type { Catalogue } from "../../../connectors/catalogue.js";
import type { DestinationInstaller } from "../../../connectors/destination-installer.js";
import type { App } from "../../app-type.js";
import { pageOfAll } from "../pagination.js";

export interface CatalogueRoutesOptions {
  catalogue: Catalogue;
  destinationInstaller: DestinationInstaller;
  brand: Brand;
}

/** The connectors that can be installed. */
export function catalogueRoutes(app: App, { catalogue, destinationInstaller, brand }: CatalogueRoutesOptions): void {
  app.get(
    "/catalogue",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "Connectors that can be installed",
        ...CATALOGUE_API["GET /api/v1/catalogue"],
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
        ...CATALOGUE_API["GET /api/v1/catalogue/manifest"],
      },
    },
    async ({ caller, query }) => {
      const found = await catalogue.find(caller.organization.id, query.manifest_url);
      if (!found) throw notInCatalogue(query.manifest_url);
      return found;
    },
  );

  app.get(
    "/catalogue/image",
    {
      config: { access: "connector" },
      schema: {
        tags: ["connectors"],
        summary: "An image that the manifest or the readme of a connector in the catalogue names",
        ...CATALOGUE_API["GET /api/v1/catalogue/image"],
      },
    },
    async ({ caller, query: { manifest_url: manifestUrl, src } }) => {
      const found = await catalogue.findImage(caller.organization.id, manifestUrl, src);
      if (!found) throw notInCatalogue(manifestUrl);
      return found;
    },
  );

  app.get(
    "/catalogue/destinations",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["connectors"],
        summary: "Whether the package of destinations is installed on this server",
        ...CATALOGUE_API["GET /api/v1/catalogue/destinations"],
      },
    },
    () => destinationInstaller.state,
  );

  app.post(
    "/catalogue/destinations",
    {
      config: { access: "operator", serverWide: true },
      schema: {
        tags: ["connectors"],
        summary: "Install the package of destinations on this server, from npm's registry",
        description: "It takes half a minute. `GET` shows how far it is, and why it failed.",
        ...CATALOGUE_API["POST /api/v1/catalogue/destinations"],
      },
    },
    (_request, reply) => {
      reply.status(202);
      return destinationInstaller.start();
    },
  );

  app.post(
    "/catalogue",
    {
      config: { access: "operator" },
      schema: {
        tags: ["connectors"],
        summary: "Add the manifest of a connector to the catalogue, and list its problems",
        ...CATALOGUE_API["POST /api/v1/catalogue"],
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
        ...CATALOGUE_API["DELETE /api/v1/catalogue"],
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
