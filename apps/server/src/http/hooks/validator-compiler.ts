import { Ajv, type Options, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import type { FastifySchemaCompiler, FastifySchemaValidationError } from "fastify";
import { lazily } from "../../runtime/loops/lazily.js";

/**
 * Compiles the schemas of routes, each when the first request needs it: all of them at the start took half a second of
 * processor time. Values in a JSON body must have the type of the schema. Values in query strings and paths are always
 * text, so they are converted to the type of the schema.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const strict = lazily(() => createAjv({ coerceTypes: false }));
  const textual = lazily(() => createAjv({ coerceTypes: "array" }));
  return ({ schema, httpPart }) => {
    if (httpPart === "body") {
      const validate = lazily(() => strict().compile(schema));
      return (body) => validate()(body) || { error: errorsOf(validate(), body) };
    }
    const validate = lazily(() => textual().compile(schema));
    return (values) => validate()(values) || { error: validate().errors ?? [] };
  };
}

/** What is wrong with a body. One that is missing lacks every required parameter, so that the answer can name them. */
function errorsOf(validate: ValidateFunction, body: unknown): FastifySchemaValidationError[] {
  const errors = validate.errors ?? [];
  if (body !== null) return errors;
  return validate({}) ? errors : (validate.errors ?? []);
}

// The type covers all formats; this one is an object with a function.
const dateTime = formats.default.get("date-time") as { validate: (text: string) => boolean };

/** Without leap seconds, which the standard allows and `Date` does not have. */
function isTime(text: string): boolean {
  return dateTime.validate(text) && !Number.isNaN(Date.parse(text));
}

function createAjv(options: Options): Ajv {
  // All errors, so that one answer names every missing parameter. This is safe because the size of bodies is limited.
  const ajv = new Ajv({ allErrors: true, useDefaults: true, removeAdditional: false, strict: false, ...options });
  formats.default(ajv, ["uri"]);
  ajv.addFormat("date-time", isTime);
  return ajv;
}
