import type { Brand } from "@muster/protocol";
import type { OpenAPIV3_1 } from "openapi-types";
import { INCOMPLETE } from "../hooks/incomplete-answers.js";
import type { Document, Operation } from "./operation.js";

type Response = OpenAPIV3_1.ResponseObject;

/** The headers of requests, as parameters that operations refer to. */
export function headerParameters({ headers }: Brand): Record<string, OpenAPIV3_1.ParameterObject> {
  const header = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
    in: "header",
    name,
    description,
    schema: { type: "string" },
  });
  return {
    Organization: header(
      headers.organization,
      "The organization: its id, its namespace or its host. Default: the host of the request.",
    ),
    UserId: header(headers.userId, "With a connector's secret: the id of the user to act for, whom `me` then means."),
    WaitFor: header(
      headers.waitFor,
      "A position that a write answered. The answer then waits until that write is searchable, 30 seconds at most.",
    ),
  };
}

/** The headers of answers, which operations refer to. */
export function answerHeaders(): Record<string, OpenAPIV3_1.HeaderObject> {
  const header = (description: string, type: "string" | "integer" = "string"): OpenAPIV3_1.HeaderObject => ({
    description,
    schema: { type },
  });
  return {
    Link: header("The addresses of other pages: `first`, `prev`, `next` and `last`."),
    TotalCount: header("The number of all items, on all pages.", "integer"),
    Position: header("Where the write is in the ingestion log. A later read can wait for it."),
    Incomplete: header("`true` when the answer can be incomplete, because the question engine is being filled again."),
    RetryAfter: header("After how many seconds to try again.", "integer"),
    Allow: header("The methods that are possible here."),
  };
}

/** Adds the headers that an operation takes and answers with. */
export function withHeaders(operation: Operation, method: string, brand: Brand, document: Document): Operation {
  const { parameters = [], responses = {}, description = "", "x-access": access } = operation;
  const taken =
    access === "open" || access === "member"
      ? []
      : ["Organization", ...(access === "operator" ? [] : ["UserId"]), "WaitFor"].map(parameterRef);
  const answered = Object.entries(responses).map(([status, response]) => {
    if (!status.startsWith("2") || "$ref" in response) return [status, response];
    const { totalCount, position, incomplete } = brand.headers;
    const headers = {
      ...(method === "get" && isList(response)
        ? { Link: headerRef("Link"), [totalCount]: headerRef("TotalCount") }
        : {}),
      ...(status === "204" || hasPosition(response, document) ? { [position]: headerRef("Position") } : {}),
      ...(description.includes(INCOMPLETE) ? { [incomplete]: headerRef("Incomplete") } : {}),
    };
    return [status, Object.keys(headers).length === 0 ? response : { ...response, headers }];
  });
  return { ...operation, parameters: [...parameters, ...taken], responses: Object.fromEntries(answered) };
}

function parameterRef(name: string): OpenAPIV3_1.ReferenceObject {
  return { $ref: `#/components/parameters/${name}` };
}

function headerRef(name: string): OpenAPIV3_1.ReferenceObject {
  return { $ref: `#/components/headers/${name}` };
}

function isList({ content }: Response): boolean {
  const schema = content?.["application/json"]?.schema;
  return schema !== undefined && "type" in schema && schema.type === "array";
}

/** Whether an answer has the position of a write, perhaps only for some objects. */
function hasPosition({ content }: Response, document: Document): boolean {
  const has = (schema: object | undefined): boolean => {
    if (!schema) return false;
    if ("$ref" in schema) {
      const name = String(schema.$ref).split("/").at(-1) ?? "";
      return has(document.components?.schemas?.[name]);
    }
    const { properties, anyOf = [] } = schema as OpenAPIV3_1.SchemaObject;
    return properties?.position !== undefined || anyOf.some(has);
  };
  return has(content?.["application/json"]?.schema);
}
