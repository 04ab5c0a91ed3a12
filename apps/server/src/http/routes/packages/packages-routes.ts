import { PACKAGES_API, type ServedPackage } from "@muster/protocol/api/packages";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import { VERSION } from "../../../runtime/version.js";
import type { App } from "../../app-type.js";
import { wantsPage } from "../../hooks/wants-page.js";
import { PACKAGES_PAGE_POLICY, packagesPage } from "./packages-page.js";
import type { Archive, ServedPackages } from "./served-packages.js";

export interface PackagesRoutesOptions {
  packages: ServedPackages;
  addresses: Addresses;
}

/** The libraries and the command of this version, for `npm install ADDRESS`. */
export function packagesRoutes(app: App, { packages, addresses }: PackagesRoutesOptions): void {
  app.get(
    "/packages",
    {
      config: { access: "open" },
      schema: {
        tags: ["operations"],
        summary: "The packages that npm installs from this server",
        description: "The libraries and the command, in the version of the server. A browser gets a page.",
        ...PACKAGES_API["GET /packages"],
      },
    },
    async (request, reply) => {
      const described = (await packages.all()).map((archive) => describe(archive, addresses));
      reply.header("cache-control", "no-cache").header("vary", "accept");
      return wantsPage(request) ? sendPage(reply, packagesPage(described)) : { packages: described };
    },
  );

  app.get(
    "/packages/:file",
    {
      config: { access: "open" },
      schema: {
        tags: ["operations"],
        summary: "A package of this version",
        description: "An archive for npm: `npm install ADDRESS`. Its bytes are the same for every caller.",
        ...PACKAGES_API["GET /packages/{file}"],
      },
    },
    async (request, reply) => sendArchive(request, reply, await packages.find(request.params.file)),
  );
}

/** Addresses begin with PUBLIC_URL. The host of the request is a word of the caller, and others may read this answer from a cache. */
function describe({ file, name, content, integrity }: Archive, { publicUrl }: Addresses): ServedPackage {
  const url = `${publicUrl}/packages/${file}`;
  const install = name === "@muster/cli" ? `npm install --global ${url}` : `npm install ${url}`;
  return { name, version: VERSION, bytes: content.length, integrity, url, install };
}

function sendArchive(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, content, integrity }: Archive,
): FastifyReply {
  const tag = `"${integrity}"`;
  // The next version of the server has other packages at the same addresses.
  reply.header("etag", tag).header("cache-control", "public, no-cache, no-transform");
  if (isKnown(request, tag)) return reply.status(304).send();
  return reply
    .type("application/octet-stream")
    .header("content-disposition", `attachment; filename="muster-${file.replace(".tgz", "")}-${VERSION}.tgz"`)
    .send(content);
}

function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  const known = (headers["if-none-match"] ?? "").split(",").map((each) => each.trim().replace(/^W\//, ""));
  return known.includes(tag) || known.includes("*");
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.type("text/html; charset=utf-8").header("content-security-policy", PACKAGES_PAGE_POLICY).send(html);
}
