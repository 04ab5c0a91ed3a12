import { Ajv, type Options } from "ajv";
import formats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";

/**
 * Compiles the schemas of routes. Values in a JSON body must have the type of the schema. Values in query strings and
 * paths are always text, so they are converted to the type of the schema.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const strict = createAjv({ coerceTypes: false });
  const textual = createAjv({ coerceTypes: "array" });
  return ({ schema, httpPart }) => (httpPart === "body" ? strict : textual).compile(schema);
}

function createAjv(options: Options): Ajv {
  // All errors, so that one answer names every missing parameter. This is safe because the size of bodies is limited.
  const ajv = new Ajv({ allErrors: true, useDefaults: true, removeAdditional: false, strict: false, ...options });
  formats.default(ajv, ["date-time", "uri"]);
  return ajv;
}
