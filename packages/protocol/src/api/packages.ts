import { type Static, Type } from "typebox";

export const ServedPackage = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    bytes: Type.Integer(),
    integrity: Type.String({ description: "The checksum that npm writes into lock files." }),
    url: Type.String({ description: "Where npm gets it." }),
    install: Type.String({ description: "The command that installs it." }),
  },
  { component: "ServedPackage", description: "A package of Muster that npm installs from this server." },
);
export type ServedPackage = Static<typeof ServedPackage>;

/** The libraries and the command, in the version of the server. */
export const PACKAGES_API = {
  "GET /packages": { response: { 200: Type.Object({ packages: Type.Array(ServedPackage) }) } },
  "GET /packages/{file}": {
    params: Type.Object({ file: Type.String({ description: "Such as `client.tgz`." }) }),
    response: {
      200: {
        description: "The archive.",
        content: { "application/octet-stream": { schema: Type.String({ description: "Bytes." }) } },
      },
    },
  },
};
