import type { Brand } from "@muster/protocol";
import { ACCESS_TOKEN_HEADER } from "@muster/protocol/api/entries";
import { COMPONENT, DOCUMENTED_AS } from "@muster/protocol/api/schema";
import type { OpenAPIV3_1 } from "openapi-types";

/** Moves schemas that have a name under `components`, and refers to them where they were. */
export function nameSchemas(document: OpenAPIV3_1.Document, brand: Brand): OpenAPIV3_1.Document {
  const schemas: Record<string, OpenAPIV3_1.SchemaObject> = {};

  const named = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(named);
    if (part === ACCESS_TOKEN_HEADER) return brand.headers.accessToken;
    if (typeof part !== "object" || part === null) return part;
    const { [COMPONENT]: component, [DOCUMENTED_AS]: documentedAs, description } = part as Record<string, unknown>;
    if (documentedAs !== undefined) {
      return { ...(named(documentedAs) as object), ...(typeof description === "string" ? { description } : {}) };
    }
    if (typeof component === "string" && Object.hasOwn(schemas, component)) return refTo(component);
    const walked = Object.entries(part).map(([key, value]) => [named(key), named(value)]);
    if (typeof component !== "string") return Object.fromEntries(walked);
    schemas[component] = Object.fromEntries(walked.filter(([key]) => key !== COMPONENT));
    return refTo(component);
  };

  // The walk changes schemas alone, so paths stay paths.
  const paths = named(document.paths) as OpenAPIV3_1.PathsObject;
  return { ...document, paths, components: { ...document.components, schemas } };
}

function refTo(component: string): OpenAPIV3_1.ReferenceObject {
  return { $ref: `#/components/schemas/${component}` };
}
