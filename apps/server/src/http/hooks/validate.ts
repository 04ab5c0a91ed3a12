import { Ajv, type Options } from "ajv";
import formats from "ajv-formats";
import type { FastifySchemaCompiler } from "fastify";

/**
 * Bodies say what type a value has and are taken at their word; query strings and paths are text, so there types are
 * read from the text.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const strict = createAjv({ coerceTypes: false });
  const textual = createAjv({ coerceTypes: "array" });
  return ({ schema, httpPart }) => (httpPart === "body" ? strict : textual).compile(schema);
}

function createAjv(options: Options): Ajv {
  // One answer names everything that is missing; the size of what is checked is bounded before we get here.
  const ajv = new Ajv({ allErrors: true, useDefaults: true, removeAdditional: false, strict: false, ...options });
  formats.default(ajv, ["date-time", "uri"]);
  return ajv;
}
