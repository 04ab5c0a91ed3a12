import type { OpenAPIV3_1 } from "openapi-types";
import type { Operation } from "./operation.js";

type Schema = OpenAPIV3_1.SchemaObject;

/** What has a default may be left out of a request, so the document must not require it. */
export function withOptionalDefaults(operation: Operation): Operation {
  const { parameters, requestBody } = operation;
  const optional = parameters?.map((parameter) => {
    const hasDefault = "schema" in parameter && parameter.schema && "default" in parameter.schema;
    return hasDefault ? { ...parameter, required: false } : parameter;
  });
  const content = requestBody && "content" in requestBody ? Object.entries(requestBody.content) : [];
  const bodies = content.map(([type, media]) => [type, { ...media, schema: withoutRequiredDefaults(media.schema) }]);
  return {
    ...operation,
    ...(optional ? { parameters: optional } : {}),
    ...(requestBody ? { requestBody: { ...requestBody, content: Object.fromEntries(bodies) } } : {}),
  };
}

function withoutRequiredDefaults<Given extends Schema | OpenAPIV3_1.ReferenceObject | undefined>(schema: Given): Given {
  if (!schema || "$ref" in schema) return schema;
  const { properties = {}, required = [] } = schema;
  const inside = Object.entries(properties).map(([name, property]) => [name, withoutRequiredDefaults(property)]);
  return {
    ...schema,
    ...(schema.properties ? { properties: Object.fromEntries(inside) } : {}),
    ...(schema.required ? { required: required.filter((name) => !("default" in (properties[name] ?? {}))) } : {}),
    ...("items" in schema ? { items: withoutRequiredDefaults(schema.items) } : {}),
  };
}
