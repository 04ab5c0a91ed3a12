import { type Static, Type } from "typebox";
import { ManifestProblem } from "../manifest/manifest-problem.js";
import { ImageAnswer, ImageSource } from "./connectors.js";
import { PageQuery } from "./paging.js";
import { anyObjectAs, nullable } from "./schema.js";
import { Manifest } from "./settings.js";
import { Time } from "./values.js";

const CatalogueEntry = Type.Object({
  manifest_url: Type.String(),
  source_url: Type.String(),
  name: Type.String(),
  version: nullable(Type.String()),
  description: nullable(Type.String()),
  picture: nullable(Type.String(), { description: "An absolute address." }),
  image: nullable(Type.String(), { description: "Its picture or logo, as the manifest gives it." }),
  tags: Type.Array(Type.String()),
  categories: Type.Array(Type.String(), { description: "Groups of the gallery." }),
  bundled: Type.Boolean({ description: "It comes with Muster: the server runs it itself." }),
  updated_at: Time,
});
export type CatalogueEntry = Static<typeof CatalogueEntry>;

const CatalogueDetails = Type.Object({
  manifest_url: Type.String(),
  source_url: Type.String(),
  manifest: anyObjectAs(Manifest),
  problems: Type.Array(ManifestProblem),
  readme: nullable(Type.String(), {
    description: "Markdown; null when there is none or the connector does not serve it now.",
  }),
});
export type CatalogueDetails = Static<typeof CatalogueDetails>;

const address = { minLength: 1, maxLength: 2_048 };
const entry = Type.Object({ manifest_url: Type.String({ ...address, description: "The address of its manifest." }) });

/** The connectors that can be installed. */
export const CATALOGUE_API = {
  "GET /api/v1/catalogue": { querystring: PageQuery, response: { 200: Type.Array(CatalogueEntry) } },
  "GET /api/v1/catalogue/manifest": { querystring: entry, response: { 200: CatalogueDetails } },
  "GET /api/v1/catalogue/image": {
    querystring: Type.Object({ ...entry.properties, src: ImageSource }),
    response: { 200: ImageAnswer },
  },
  "POST /api/v1/catalogue": {
    body: Type.Object({ url: Type.String(address) }),
    response: {
      201: Type.Object({
        manifest_url: Type.String(),
        manifest: anyObjectAs(Manifest),
        problems: Type.Array(ManifestProblem),
      }),
    },
  },
  "DELETE /api/v1/catalogue": {
    querystring: entry,
    response: { 200: Type.Object({ manifest_url: Type.String(), deleted: Type.Literal(true) }) },
  },
};
