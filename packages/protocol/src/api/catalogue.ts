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

export const DestinationInstallation = Type.Object(
  {
    state: Type.Enum(["none", "installing", "installed", "failed"]),
    version: nullable(Type.String({ description: "Of the package that is installed." })),
    destinations: Type.Integer({ description: "How many there are." }),
    is_current: Type.Boolean({ description: "It is the version that comes with this server." }),
    step: nullable(Type.String(), { description: "What the installation does now." }),
    problem: nullable(Type.String(), { description: "Why the last installation failed." }),
    refusal: nullable(Type.String(), { description: "Why this server cannot install it; null when it can." }),
    command: Type.String({ description: "What installs it on a machine of the server." }),
  },
  { component: "DestinationInstallation", description: "The package of destinations on this server." },
);
export type DestinationInstallation = Static<typeof DestinationInstallation>;

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
  "GET /api/v1/catalogue/destinations": { response: { 200: DestinationInstallation } },
  "POST /api/v1/catalogue/destinations": { response: { 202: DestinationInstallation } },
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
