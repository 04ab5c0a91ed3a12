import { Refusal, type SubjectType } from "@muster/protocol";
import type { Compute } from "@muster/protocol/api/computed-attributes";
import { type AttributeTypes, checkQuery, reportKey, resolveField } from "@muster/query";
import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import {
  type Computation,
  ORDERED_TYPES,
  readComputation,
  typeOfComputation,
} from "../../domain/computed/computation.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { propertyType } from "./property-type.js";

interface GivenComputation {
  target: SubjectType;
  compute: Compute;
  type: AttributeType | undefined;
}

/** Reads a definition and refuses what cannot be computed: queries that do not fit the types, values without an order. */
export async function checkComputation(
  database: Queryable,
  organizationId: string,
  { target, compute, type: given }: GivenComputation,
): Promise<{ computation: Computation; type: AttributeType }> {
  const attributeTypes = await loadAttributeTypes(database, organizationId);
  const typeOf = (name: string) => resolveField(attributeTypes, target, reportKey(target, name))?.type;
  const computation = readComputation(target, compute, { typeOf });
  requireFitting(computation, attributeTypes);
  const user = (name: string) => resolveField(attributeTypes, "user", reportKey("user", name))?.type;
  const type = typeOfComputation(computation, given, {
    user,
    property: await typeOfProperty(database, organizationId, computation),
  });
  if (computation.kind !== "formula" && !ORDERED_TYPES.includes(type)) {
    throw new Refusal("invalid_parameter", `Values of the type ${type} cannot be computed.`, {
      details: [{ path: "body.type", message: `expected one of ${ORDERED_TYPES.join(", ")}` }],
    });
  }
  return { computation, type };
}

async function typeOfProperty(
  database: Queryable,
  organizationId: string,
  computation: Computation,
): Promise<AttributeType | undefined> {
  if (computation.kind !== "events") return undefined;
  const { event, property } = computation;
  return property === undefined ? undefined : propertyType(database, organizationId, { event, property });
}

/** Throws a QueryError, or a Refusal, when a query or an aggregate does not fit the types of the attributes. */
export function requireFitting(computation: Computation, attributeTypes: AttributeTypes): void {
  if (computation.kind === "formula") return;
  const now = new Date();
  if (computation.where) {
    checkQuery(computation.where, { target: computation.kind === "users" ? "user" : "event", attributeTypes, now });
  }
  if (computation.kind !== "users" || computation.attribute === undefined) return;
  const { aggregate, attribute } = computation;
  const type = resolveField(attributeTypes, "user", reportKey("user", attribute))?.type;
  const isNumeric = type === undefined || type === "numeric";
  if ((aggregate === "sum" || aggregate === "average") && !isNumeric) {
    refuseAttribute(`${aggregate} needs numbers, and the type of "${attribute}" is ${type}`);
  }
  if ((aggregate === "min" || aggregate === "max") && type !== undefined && !ORDERED_TYPES.includes(type)) {
    refuseAttribute(`values of the type ${type} have no order`);
  }
}

function refuseAttribute(message: string): never {
  throw new Refusal("invalid_parameter", `compute.over_users: ${message}.`, {
    details: [{ path: "body.compute.over_users", message }],
  });
}
