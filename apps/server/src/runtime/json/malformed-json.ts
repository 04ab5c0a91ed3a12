import { describeJsonFault, Refusal } from "@muster/protocol";

/** The refusal of a body that is not valid JSON, with the place of the first fault. */
export function malformedJson(body: string): Refusal {
  return new Refusal("malformed_json", `The body ${notValidJson(body)}.`);
}

/** @example notValidJson("[1 2]") // "is not valid JSON: line 1, column 4" */
export function notValidJson(text: string): string {
  const place = describeJsonFault(text);
  return place === undefined ? "is not valid JSON" : `is not valid JSON: ${place}`;
}
