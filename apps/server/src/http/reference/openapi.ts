import { STATUS_CODES } from "node:http";
import swagger, { type SwaggerTransform } from "@fastify/swagger";
import type { Brand } from "@muster/protocol";
import type { App } from "../app-type.js";
import { takesSession } from "../auth/session-cookie.js";
import { examplesOf } from "./examples/examples.js";
import { withExamples } from "./examples/with-examples.js";
import { introductionOf } from "./introduction.js";
import { nameSchemas } from "./name-schemas.js";
import { answerHeaders, headerParameters, withHeaders } from "./openapi-headers.js";
import { REFUSAL_SCHEMA, refusalResponses, withRefusals } from "./openapi-refusals.js";
import { accessInWords, describeSecurity, securityOf } from "./openapi-security.js";
import { type Document, mapOperations, type Operation } from "./operation.js";
import { operationIdOf } from "./operation-id.js";
import { withOptionalDefaults } from "./optional-defaults.js";

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
        description: introductionOf(brand),
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      externalDocs: { url: "/guide", description: "Guides" },
      components: { securitySchemes: describeSecurity(brand) },
    },
    transform: declareAccess,
    transformObject: (documents) => {
      if (!("openapiObject" in documents)) return documents.swaggerObject;
      // The plugin is configured for version 3.1; its types allow every version.
      const completed = completeDocument(documents.openapiObject as Document, brand);
      return completed as typeof documents.openapiObject;
    },
  });
}

/** The OpenAPI document of every route. */
export function documentOf(app: App): Document {
  // The plugin is configured for version 3.1; its types allow every version.
  return app.swagger() as Document;
}

/** Adds to every operation who may use it: as OpenAPI `security`, as `x-access` with the name of the access, and in words. */
const declareAccess: SwaggerTransform = ({ schema, url, route }) => {
  const { access = "open", reads, serverWide } = route.config ?? {};
  const method = String([route.method].flat()[0]);
  const { description } = schema ?? {};
  const described = {
    ...schema,
    description: [
      ...(description === undefined ? [] : [description]),
      accessInWords({ access, method, reads, serverWide }, takesSession(url)),
    ].join("\n\n"),
    security: securityOf(access, takesSession(url)),
    "x-access": access,
  };
  return { schema: described, url };
};

/** Adds what routes do not declare themselves: names of operations and schemas, refusals, headers, examples. */
function completeDocument(collected: Document, brand: Brand): Document {
  const document = nameSchemas(collected, brand);
  const components = {
    ...document.components,
    schemas: { ...document.components?.schemas, Refusal: REFUSAL_SCHEMA },
    parameters: headerParameters(brand),
    headers: answerHeaders(),
    responses: refusalResponses(),
  };
  const examples = examplesOf(brand);
  const completed = mapOperations(document, (operation, method, path) => {
    const declared = withOptionalDefaults(nameAnswers(operation));
    const complete = withHeaders(withRefusals(declared, method, path), method, brand, document);
    const named = { ...complete, operationId: operationIdOf(method, path) };
    return withExamples(named, examples[`${method.toUpperCase()} ${path}`]);
  });
  return { ...completed, components };
}

/** Gives answers without a description the name of their status. */
function nameAnswers(operation: Operation): Operation {
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
    const isUnnamed = "description" in response && response.description === "Default Response";
    return [status, isUnnamed ? { ...response, description: STATUS_CODES[status] ?? "Answer" } : response];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}
