import { Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { ImportFiles } from "../../../jobs/import/import-files.js";
import { uploadAddress } from "../../../jobs/import/import-parameters.js";
import type { App } from "../../app-type.js";
import { anyValueAs } from "../../reference/named-schema.js";

const PART_LIMIT_BYTES = 16 * 1024 * 1024;

const Upload = Type.Object({
  id: Type.String(),
  url: Type.String({ description: "The `url` of an import of this file." }),
  received: Type.Integer({ description: "Bytes so far: where the next part begins." }),
});

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
      schema: { tags: ["jobs"], summary: "Begin to upload a file for an import", response: { 201: Upload } },
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
        params: Type.Object({ id: Type.String({ description: "The id of the upload." }) }),
        querystring: Type.Object({ offset: Type.Integer({ minimum: 0, description: "Where the part begins." }) }),
        body: {
          content: { "application/octet-stream": { schema: anyValueAs("Bytes", { description: "16 MB at most." }) } },
        },
        response: { 200: Upload },
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
