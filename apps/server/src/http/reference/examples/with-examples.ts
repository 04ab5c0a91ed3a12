import type { OpenAPIV3_1 } from "openapi-types";
import type { Operation } from "../operation.js";
import type { Example } from "./example.js";

/** Adds examples to an operation: to its parameters, its body and its answers. */
export function withExamples(operation: Operation, examples: Example[] = []): Operation {
  const { parameters = [], requestBody, responses = {} } = operation;
  const bodies = examples.filter(({ body }) => body !== undefined);
  const answers = examples.filter(({ answer }) => answer !== undefined);
  const shownParameters = parameters.map((parameter) => {
    if (!("name" in parameter)) return parameter;
    const { name } = parameter;
    const example = examples.find(({ parameters: given }) => given?.[name] !== undefined)?.parameters?.[name];
    return example === undefined ? parameter : { ...parameter, example };
  });
  const shownResponses = Object.entries(responses).map(([status, response]) => {
    if (!status.startsWith("2") || "$ref" in response || !response.content) return [status, response];
    const own = answers.filter(({ status: given }) => given === undefined || String(given) === status);
    return [status, { ...response, content: shown(response.content, own, "answer") }];
  });
  return {
    ...operation,
    ...(parameters.length > 0 ? { parameters: shownParameters } : {}),
    ...(requestBody && "content" in requestBody
      ? { requestBody: { ...requestBody, content: shown(requestBody.content, bodies, "body") } }
      : {}),
    responses: Object.fromEntries(shownResponses),
  };
}

function shown(
  content: Record<string, OpenAPIV3_1.MediaTypeObject>,
  examples: Example[],
  part: "body" | "answer",
): Record<string, OpenAPIV3_1.MediaTypeObject> {
  if (examples.length === 0) return content;
  const named = examples.map(({ title, [part]: value }, index) => [
    title ?? `example${index + 1}`,
    { ...(title === undefined ? {} : { summary: title }), value },
  ]);
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => [type, { ...media, examples: Object.fromEntries(named) }]),
  );
}
