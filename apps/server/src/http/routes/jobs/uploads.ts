import { Refusal } from "@muster/protocol";
import { IMPORTS_API } from "@muster/protocol/api/imports";
import type { ImportFiles } from "../../../jobs/files/import-files.js";
import { uploadAddress } from "../../../jobs/parameters/import-parameters.js";
import type { App } from "../../app-type.js";

const PART_LIMIT_BYTES = 16 * 1024 * 1024;

/**
 * Uploads of files for imports. A file comes in parts: so a large file may take longer than one request, and an upload
 * that breaks off goes on with the next part.
 */
export function uploadRoutes(app: App, files: ImportFiles): void {
  app.addContentTypeParser(
    "application/octet-stream",
    { parseAs: "buffer", bodyLimit: PART_LIMIT_BYTES },
    (_request, body, done) => done(null, body),
  );

  app.post(
    "/uploads",
    {
      config: { access: "connector" },
      schema: {
        tags: ["jobs"],
        summary: "Begin to upload a file for an import",
        ...IMPORTS_API["POST /api/v1/uploads"],
      },
    },
    async ({ caller }, reply) => {
      const id = await files.createUpload(caller.organization.id);
      reply.status(201);
      return { id, url: uploadAddress(id), received: 0 };
    },
  );

  app.put(
    "/uploads/:id",
    {
      config: { access: "connector" },
      bodyLimit: PART_LIMIT_BYTES,
      schema: {
        tags: ["jobs"],
        summary: "Send the next part of an upload",
        ...IMPORTS_API["PUT /api/v1/uploads/{id}"],
      },
    },
    async ({ caller, params, query, body }) => {
      if (!Buffer.isBuffer(body)) {
        throw new Refusal("unsupported_media_type", "The content type of a part must be application/octet-stream.");
      }
      const received = await files.appendUpload(caller.organization.id, params.id, query.offset, body);
      return { id: params.id, url: uploadAddress(params.id), received };
    },
  );
}
