import { Refusal, type RefusalCode, type RefusalDetail, refusalBody } from "@muster/protocol";
import { QueryError } from "@muster/query";
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from "fastify";

/**
 * Answers every error with the same JSON shape. An error that is not a refusal is a bug in the server: it is logged and
 * answered with 500.
 */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = isBrokenBody(error, request) ? brokenBodyRefusal() : asRefusal(error);
  // A refusal because the server is busy is no failure and is logged only when it has a cause.
  if (refusal.code === "internal") request.log.error({ err: refusal.cause ?? error }, "request failed");
  else if (refusal.status >= 500 && refusal.cause) request.log.warn({ err: refusal.cause }, refusal.message);
  else if (refusal.code === "question_timeout") request.log.warn({ err: refusal }, refusal.message);
  if (refusal.retryAfter !== undefined) reply.header("retry-after", String(refusal.retryAfter));
  if (refusal.status === 401) reply.header("www-authenticate", "Muster");
  reply
    .status(refusal.status)
    .type("application/json; charset=utf-8")
    .send(JSON.stringify(refusalBody(refusal)));
}

/** Our refusals for Fastify's own errors, by Fastify's error code. */
const FRAMEWORK_REFUSALS: Record<string, [RefusalCode, string]> = {
  FST_ERR_CTP_INVALID_JSON_BODY: ["malformed_json", "The body is not valid JSON."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["malformed_json", "The body is empty, but its content type is application/json."],
  FST_ERR_CTP_BODY_TOO_LARGE: ["payload_too_large", "The body is larger than this server accepts."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "The content type must be application/json."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["bad_request", "The body's size does not match its Content-Length header."],
  FST_ERR_BAD_URL: ["bad_request", "The URL is not valid."],
  FST_ERR_MAX_PARAM_LENGTH: ["uri_too_long", "A part of the path is too long."],
  FST_ERR_ROUTE_REWRITE_NOT_STR: ["bad_request", "The URL is not valid."],
  FST_ERR_ASYNC_CONSTRAINT: ["bad_request", "The request cannot be routed."],
};

/** Whether reading the body failed because the connection ended. The answer reaches nobody, and nothing is wrong here. */
function isBrokenBody(error: unknown, { raw }: FastifyRequest): boolean {
  return error instanceof Error && error === raw.errored;
}

function brokenBodyRefusal(): Refusal {
  return new Refusal("bad_request", "The connection ended before the whole body had arrived.");
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof QueryError) {
    return new Refusal("invalid_query", error.message, { details: [{ path: error.path, message: error.reason }] });
  }
  return (isFastifyError(error) && refusalOfFastify(error)) || internalRefusal(error);
}

/** Whether Fastify itself made an error. The text of any other error is not for the caller, whatever status it has. */
function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("FST_");
}

function refusalOfFastify(error: FastifyError): Refusal | undefined {
  if (error.validation) return validationRefusal(error.validation, error.validationContext ?? "body");
  const known = FRAMEWORK_REFUSALS[error.code];
  if (known) return new Refusal(...known);
  const { statusCode = 500 } = error;
  return statusCode >= 400 && statusCode < 500 ? new Refusal("bad_request", error.message) : undefined;
}

function internalRefusal(error: unknown): Refusal {
  return new Refusal(
    "internal",
    "An error happened in the server. Its log has a line with the id from the X-Request-Id header.",
    {
      cause: error,
    },
  );
}

function validationRefusal(errors: FastifySchemaValidationError[], context: string): Refusal {
  const details = errors.map((error): RefusalDetail => {
    const at = [context, ...error.instancePath.split("/").slice(1)];
    if (error.keyword === "required") {
      return { path: [...at, String(error.params.missingProperty)].join("."), message: "is required" };
    }
    if (error.keyword === "additionalProperties") {
      return { path: [...at, String(error.params.additionalProperty)].join("."), message: "is not known here" };
    }
    if (error.keyword === "enum") {
      return { path: at.join("."), message: `must be one of ${(error.params.allowedValues as unknown[]).join(", ")}` };
    }
    return { path: at.join("."), message: error.message ?? "is not valid" };
  });
  const missing = errors.filter(({ keyword }) => keyword === "required").map(({ params }) => params.missingProperty);
  if (missing.length > 0) {
    return new Refusal("missing_parameters", `Required parameters are missing: ${missing.join(", ")}.`, { details });
  }
  const first = details[0];
  return new Refusal("invalid_parameter", `${first?.path ?? context} ${first?.message ?? "is not valid"}.`, {
    details,
  });
}
