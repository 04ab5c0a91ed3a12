import type { SubjectType } from "@muster/protocol";
import { attributeName } from "@muster/query";
import type { AttributeDefinitions, AttributeType } from "../attributes/attribute-definitions.js";
import { type AttributeValue, inferType, readValue } from "../attributes/attribute-values.js";
import { nameProblem } from "../attributes/name-problem.js";
import { readOperation } from "../attributes/read-operation.js";
import { settableFieldType } from "../attributes/standard-fields.js";
import type { Entry } from "../entries/entry.js";
import type { NameSender } from "./name-sender.js";
import type { NewNames } from "./new-names.js";

/** The end user who defines an attribute, and what end users may still define. */
export interface DefiningEndUser {
  newNames: NewNames;
  sender(): NameSender;
}

export interface DefineContext {
  subjectType: SubjectType;
  definitions: AttributeDefinitions;
  /** The connector that wrote the value, with `/` and the job's id when a job did. */
  source: string;
  endUser?: DefiningEndUser | undefined;
}

/** Defines a new attribute and returns its type, or why it cannot be defined. */
export function defineAttribute(
  name: string,
  value: NonNullable<AttributeValue>,
  { subjectType, definitions, source, endUser }: DefineContext,
): AttributeType | { refused: string } {
  const type = inferType(name, value);
  if (definitions.isFull) return { refused: "the organization has as many attributes as it may have" };
  if (endUser) {
    if (definitions.isFullForEndUsers) {
      return {
        refused: refusedAsNew("end users have defined half of all attributes that there may be (MAX_ATTRIBUTES)"),
      };
    }
    const why = endUser.newNames.take({ kind: subjectType, name, type }, endUser.sender());
    if (why) return { refused: refusedAsNew(why) };
  }
  definitions.define(name, { type, source, byEndUser: endUser !== undefined });
  return type;
}

function refusedAsNew(why: string): string {
  return `the attribute is new, and ${why}; a connector or a member can define it, and then the record can be tried again`;
}

/** The attributes of an entry that are not defined yet, and that its values would define. */
export function newAttributesOf(
  { subject, type, body }: Pick<Entry, "subject" | "type" | "body">,
  definitions: AttributeDefinitions,
): { given: string; name: string; value: NonNullable<AttributeValue> }[] {
  if (type !== "traits") return [];
  return Object.keys(body).flatMap((given) => {
    const name = attributeName(subject, given);
    const isKnown = definitions.get(name) !== undefined || settableFieldType(subject, name) !== undefined;
    if (isKnown || nameProblem(subject, name) || definitions.isServerOnly(name)) return [];
    const { value } = readOperation(body[given]);
    if (value === null || value === undefined || !readValue(inferType(name, value), value).ok) return [];
    return [{ given, name, value }];
  });
}
