import type { AttributeType } from "./attribute-definitions.js";
import { isoText } from "./iso-text.js";
import { readDate } from "./read-date.js";

/** A value that a client gives an attribute. */
export type AttributeValue = string | number | boolean | unknown[] | Record<string, unknown> | null;

/** Whether a value is missing, or a list without elements, which counts as missing. */
export function isEmptyValue(value: AttributeValue): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

const DATE_NAME = /_(?:at|date)$/;

/** The type that a new attribute gets from its first value. */
export function inferType(name: string, value: NonNullable<AttributeValue>): AttributeType {
  if (typeof value === "number") return "numeric";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return DATE_NAME.test(name) ? "date" : "string";
  return Array.isArray(value) ? "array" : "json";
}

export type Reading = { ok: true; value: AttributeValue } | { ok: false; reason: string };

/** Reads a value as its attribute's type. No record changes the type of an attribute, so another type is refused. */
export function readValue(type: AttributeType, value: NonNullable<AttributeValue>): Reading {
  switch (type) {
    case "string":
      return typeof value === "string" ? accept(value) : refuse(type, value);
    case "numeric":
      return typeof value === "number" && Number.isFinite(value) ? accept(value) : refuse(type, value);
    case "boolean":
      return typeof value === "boolean" ? accept(value) : refuse(type, value);
    case "array":
      return Array.isArray(value) ? accept(value) : refuse(type, value);
    case "json":
      return typeof value === "object" ? accept(value) : refuse(type, value);
    case "date": {
      if (typeof value !== "string") return refuse(type, value);
      const time = readDate(value);
      return time === undefined
        ? { ok: false, reason: `"${value.slice(0, 100)}" cannot be read as a date` }
        : accept(isoText(time));
    }
  }
}

/** Whether two stored values are equal. Arrays and objects are equal when their JSON is. */
export function sameValue(one: AttributeValue, other: AttributeValue): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

function accept(value: AttributeValue): Reading {
  return { ok: true, value };
}

function refuse(type: AttributeType, value: unknown): Reading {
  const given = Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
  return { ok: false, reason: `the attribute's type is ${type}, and ${given} was given` };
}
