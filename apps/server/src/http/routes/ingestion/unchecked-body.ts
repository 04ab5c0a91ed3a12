import type { FastifySchemaCompiler } from "fastify";
import type { App } from "../../app-type.js";

/** For routes whose body the intake checks, on another thread. Its schema is for the reference of the API. */
export function checkAllButBody(app: App): FastifySchemaCompiler<object> {
  const compile = app.validatorCompiler as FastifySchemaCompiler<object>;
  return (part) => (part.httpPart === "body" ? () => true : compile(part));
}
