import type { OpenAPIV3_1 } from "openapi-types";
import type { App } from "../http/app-type.js";
import type { Access } from "../http/auth/caller.js";
import { documentOf } from "../http/reference/openapi.js";

export interface TestOperation {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  access: Access;
  operation: OpenAPIV3_1.OperationObject;
}

const METHODS = { get: "GET", post: "POST", put: "PUT", patch: "PATCH", delete: "DELETE" } as const;

/** Every documented operation of the server, with the access it declares. */
export async function listOperations(app: App): Promise<TestOperation[]> {
  await app.ready();
  return Object.entries(documentOf(app).paths ?? {}).flatMap(([path, item]) =>
    Object.entries(METHODS).flatMap(([name, method]) => {
      const operation = item?.[name as keyof typeof METHODS] as
        | (OpenAPIV3_1.OperationObject & { "x-access"?: Access })
        | undefined;
      if (!operation) return [];
      const access = operation["x-access"];
      if (!access) throw new Error(`${method} ${path} is documented without its access.`);
      return [{ method, path, access, operation }];
    }),
  );
}

/** A body for an operation, with those of the `fields` that its schema has; undefined when the operation has no body. */
export function bodyFor({ operation }: TestOperation, fields: Record<string, unknown>) {
  const { requestBody } = operation;
  if (!requestBody || "$ref" in requestBody) return undefined;
  const [type = "application/json", { schema } = {}] = Object.entries(requestBody.content)[0] ?? [];
  if (type !== "application/json") return { payload: Buffer.from("x"), type };
  const properties = schema && "properties" in schema ? Object.keys(schema.properties ?? {}) : [];
  const known = Object.entries(fields).filter(([name]) => properties.length === 0 || properties.includes(name));
  return { payload: JSON.stringify(Object.fromEntries(known)), type };
}
