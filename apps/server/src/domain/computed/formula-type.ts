import type { ASTNode } from "@marcbachmann/cel-js";
import type { AttributeType } from "../attributes/attribute-definitions.js";

/**
 * The type that a formula gives whatever its attributes are, as far as its outermost operation says it. The checks of the
 * library know less: the sum of an attribute that nobody has seen and a number could be anything to them.
 */
export function typeOfNode(node: ASTNode): AttributeType | undefined {
  switch (node.op) {
    case "value":
      return typeOfLiteral(node.args);
    case "*":
    case "/":
    case "%":
    case "-_":
      return "numeric";
    case "-":
    case "+":
      return both(typeOfNode(node.args[0]), typeOfNode(node.args[1]), ["numeric", "string"]);
    case "?:":
      return both(typeOfNode(node.args[1]), typeOfNode(node.args[2]));
    case "call":
      return typeOfCall(node.args[0], node.args[1]);
    default:
      return undefined;
  }
}

function typeOfCall(name: string, args: readonly ASTNode[]): AttributeType | undefined {
  const [first, second] = args;
  if (name === "round" || name === "min" || name === "max") return "numeric";
  if (name === "dyn") return first && typeOfNode(first);
  if (name === "coalesce") return both(first && typeOfNode(first), second && typeOfNode(second));
  if (name === "string") return "string";
  return name === "size" || name === "int" || name === "double" ? "numeric" : undefined;
}

function typeOfLiteral(value: unknown): AttributeType | undefined {
  if (typeof value === "string") return "string";
  if (typeof value === "number" || typeof value === "bigint") return "numeric";
  return typeof value === "boolean" ? "boolean" : undefined;
}

/** The type that both sides have, or the one whose type is known. */
function both(
  one: AttributeType | undefined,
  other: AttributeType | undefined,
  possible?: readonly AttributeType[],
): AttributeType | undefined {
  const type = one ?? other;
  if (one !== undefined && other !== undefined && one !== other) return undefined;
  return type === undefined || possible === undefined || possible.includes(type) ? type : undefined;
}
