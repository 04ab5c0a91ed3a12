import { STATUS_CODES } from "node:http";
import swagger, { type SwaggerTransform, type SwaggerTransformObject } from "@fastify/swagger";
import type { Brand } from "@muster/protocol";
import type { OpenAPIV3_1 } from "openapi-types";
import type { App } from "../app-type.js";
import type { Access } from "../auth/caller.js";
import { accessInWords, describeSecurity, securityOf } from "./openapi-security.js";
import { listRefusals } from "./refusal-meanings.js";

type Document = OpenAPIV3_1.Document;
type Operation = OpenAPIV3_1.OperationObject & { "x-access"?: Access };

const OPERATIONS: readonly string[] = ["get", "post", "put", "patch", "delete"];

export interface ApiDescription {
  version: string;
  brand: Brand;
}

/** Collects the schemas of the routes that are registered after this call into an OpenAPI document. */
export async function describeApi(app: App, { version, brand }: ApiDescription): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Muster",
        version,
        description: "Users, accounts, events, segments and connectors of an organization.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      components: { securitySchemes: describeSecurity(brand) },
    },
    transform: declareAccess,
    transformObject: declareRefusals,
  });
  app.get(
    "/api/v1/openapi.json",
    { config: { access: "open" }, schema: { tags: ["operations"], summary: "The API as an OpenAPI document" } },
    () => documentOf(app),
  );
}

/** The OpenAPI document of every route. */
export function documentOf(app: App): Document {
  // The plugin is configured for version 3.1; its types allow every version.
  return app.swagger() as Document;
}

/** Adds to every operation who may use it: as OpenAPI `security`, as `x-access` with the name of the access, and in words. */
const declareAccess: SwaggerTransform = ({ schema, url, route }) => {
  const { access = "open" } = route.config ?? {};
  const { description } = schema ?? {};
  const described = {
    ...schema,
    description: [...(description === undefined ? [] : [description]), accessInWords(access)].join("\n\n"),
    security: securityOf(access),
    "x-access": access,
  };
  return { schema: described, url };
};

/** Adds to every operation the refusals that it can answer with. */
const declareRefusals: SwaggerTransformObject = (documents) => {
  if (!("openapiObject" in documents)) return documents.swaggerObject;
  const document = documents.openapiObject as Document;
  const components = { ...document.components };
  components.schemas = { ...components.schemas, Refusal: REFUSAL_SCHEMA };
  components.responses = { ...components.responses, ...refusalResponses() };
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [path, mapOperations(item ?? {})]);
  return { ...document, components, paths: Object.fromEntries(paths) } as ReturnType<SwaggerTransformObject>;
};

function mapOperations(item: OpenAPIV3_1.PathItemObject): OpenAPIV3_1.PathItemObject {
  const parts = Object.entries(item).map(([name, part]) => [
    name,
    // A path item has an operation under the name of each method; its other keys are not operations.
    OPERATIONS.includes(name) ? withRefusals(part as Operation) : part,
  ]);
  return Object.fromEntries(parts);
}

function withRefusals(operation: Operation): Operation {
  const declared = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const named = "description" in response && response.description === "Default Response";
    return [status, named ? { ...response, description: STATUS_CODES[status] ?? "Answer" } : response];
  });
  const refusals = refusalStatusesOf(operation).map((status) => [
    status,
    { $ref: `#/components/responses/${responseName(status)}` },
  ]);
  return { ...operation, responses: { ...Object.fromEntries(refusals), ...Object.fromEntries(declared) } };
}

function refusalStatusesOf({ "x-access": access, parameters = [], requestBody }: Operation): number[] {
  const takesInput = parameters.length > 0 || requestBody !== undefined;
  const hasPath = parameters.some((parameter) => "in" in parameter && parameter.in === "path");
  return [
    ...(takesInput ? [400] : []),
    ...(access === "open" ? [] : [401, 402, 429]),
    ...(access === "open" || access === "anyone" ? [] : [403]),
    ...(hasPath ? [404] : []),
    ...(requestBody === undefined ? [] : [408, 413, 415]),
    500,
    503,
  ].sort();
}

function refusalResponses(): Record<string, OpenAPIV3_1.ResponseObject> {
  const refusals = listRefusals();
  const statuses = [...new Set(refusals.map(({ status }) => status))];
  const described = statuses.map((status) => {
    const lines = refusals.filter((refusal) => refusal.status === status);
    const description = lines.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join("\n\n");
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } };
    return [responseName(status), { description, content }];
  });
  return Object.fromEntries(described);
}

function responseName(status: number): string {
  return `Refusal${status}`;
}

const REFUSAL_SCHEMA: OpenAPIV3_1.SchemaObject = {
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
