import type { OpenAPIV3_1 } from "openapi-types";
import type { Operation } from "./operation.js";
import { listRefusals } from "./refusal-meanings.js";

/** Adds the refusals that an operation can answer with. */
export function withRefusals(operation: Operation, method: string, path: string): Operation {
  const refusals = refusalStatusesOf(operation, method, path).map((status) => [
    status,
    { $ref: `#/components/responses/${responseName(status)}` },
  ]);
  return { ...operation, responses: { ...Object.fromEntries(refusals), ...operation.responses } };
}

function refusalStatusesOf(operation: Operation, method: string, path: string): number[] {
  const { "x-access": access, parameters = [], requestBody } = operation;
  const isOpen = access === "open";
  const isSignIn = isOpen && method === "post" && operation.tags?.includes("members");
  const takesInput = parameters.length > 0 || requestBody !== undefined;
  const hasPath = parameters.some((parameter) => "in" in parameter && parameter.in === "path");
  return [
    ...(takesInput ? [400] : []),
    ...(isOpen ? [] : [401, 402, 429, 504]),
    ...(isOpen || access === "anyone" ? [] : [403]),
    ...(isSignIn ? [401, 403, 429] : []),
    ...(hasPath ? [404] : []),
    ...(path.endsWith("/api/v1/{id}") ? [405] : []),
    ...(isOpen || method === "get" ? [] : [409]),
    ...(requestBody === undefined ? [] : [408, 413, 415]),
    500,
    503,
  ].sort();
}

/** An answer for each status that refusals have. */
export function refusalResponses(): Record<string, OpenAPIV3_1.ResponseObject> {
  const refusals = listRefusals();
  const statuses = [...new Set(refusals.map(({ status }) => status))];
  const described = statuses.map((status) => {
    const lines = refusals.filter((refusal) => refusal.status === status);
    const [first] = lines;
    const description = lines.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join("\n\n");
    const message = "What is wrong, and what to do about it.";
    const example = { error: { code: first?.code, message, details: [] }, message, status };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Refusal" }, example } };
    const headers = HEADERS[status];
    return [responseName(status), { description, content, ...(headers ? { headers } : {}) }];
  });
  return Object.fromEntries(described);
}

const HEADERS: Record<number, Record<string, OpenAPIV3_1.ReferenceObject>> = {
  405: { Allow: { $ref: "#/components/headers/Allow" } },
  429: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
  503: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
};

function responseName(status: number): string {
  return `Refusal${status}`;
}

export const REFUSAL_SCHEMA: OpenAPIV3_1.SchemaObject = {
  type: "object",
  description: [
    "The body of every refusal. These are the codes there are:",
    listRefusals()
      .map(({ code, status, meaning }) => `- ${status} \`${code}\`: ${meaning}`)
      .join("\n"),
  ].join("\n\n"),
  required: ["error", "message", "status"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message", "details"],
      properties: {
        code: { type: "string", enum: listRefusals().map(({ code }) => code) },
        message: { type: "string" },
        details: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "message"],
            properties: {
              path: { type: "string", description: "Where in the request, e.g. `body.batch.3.type`." },
              message: { type: "string" },
            },
          },
        },
      },
    },
    message: { type: "string" },
    status: { type: "integer" },
  },
};
