import { DOCUMENTED_AS } from "@muster/protocol/api/schema";
import { Type } from "typebox";

/** Any object to the validator and the serializer, and the schema of that name (schemas/) to readers of the document. */
export function anyObjectAs(name: string) {
  return Type.Object({}, { additionalProperties: true, [DOCUMENTED_AS]: name });
}
