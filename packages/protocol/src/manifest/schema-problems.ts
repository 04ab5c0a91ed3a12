import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { ManifestProblem } from "./manifest-problem.js";

/** Every place where a value does not follow a schema. `at` is the path of the value itself. */
export function schemaProblems(schema: TSchema, value: unknown, at = ""): ManifestProblem[] {
  const problems = [...Value.Errors(schema, value)].map((error): ManifestProblem => {
    const path = join(at, error.instancePath.slice(1).replaceAll("/", "."));
    switch (error.keyword) {
      // The problem of a missing key is reported at the object that should have it.
      case "required":
        return {
          path: join(path, error.params.requiredProperties.join(", ")),
          message: "is required",
          severity: "error",
        };
      case "enum":
        return { path, message: `must be one of ${error.params.allowedValues.join(", ")}`, severity: "error" };
      default:
        return { path, message: error.message, severity: "error" };
    }
  });
  // Each part of an intersection reports the same problem.
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem])).values()];
}

function join(path: string, name: string): string {
  return [path, name].filter((part) => part !== "").join(".");
}
