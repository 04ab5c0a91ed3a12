import type { ASTNode } from "@marcbachmann/cel-js";

/** What a node gives that cannot end with an error. */
type Kind = "boolean" | "text" | "value";

/** The variable of a loop, and what it stands for. */
export interface LoopVariable {
  name: string;
  kind: Kind;
}

const OF_TEXTS: Readonly<Record<string, Kind>> = {
  startsWith: "boolean",
  endsWith: "boolean",
  contains: "boolean",
  lowerAscii: "text",
  upperAscii: "text",
  trim: "text",
};

/** How many operands of a node could end with an error that the node forgets, because another operand can decide. */
export function forgottenErrors(node: ASTNode, variable?: LoopVariable): number {
  if (!isChoice(node)) return 0;
  // The operands of a choice within a choice are counted there.
  return node.args.filter((operand) => !isChoice(operand) && !isCertain(operand, variable)).length;
}

function isChoice(node: ASTNode): node is ASTNode & { op: "&&" | "||" } {
  return node.op === "&&" || node.op === "||";
}

/** Whether a node certainly gives true or false. */
export function isCertain(node: ASTNode, variable?: LoopVariable): boolean {
  return kindOf(node, variable) === "boolean";
}

/** What a node gives; undefined when it could end with an error. */
function kindOf(node: ASTNode, variable: LoopVariable | undefined): Kind | undefined {
  const of = (inner: ASTNode) => kindOf(inner, variable);
  switch (node.op) {
    case "value":
      return typeof node.args === "boolean" ? "boolean" : typeof node.args === "string" ? "text" : "value";
    case "id":
      return node.args === variable?.name ? variable.kind : "value";
    case "==":
    case "!=":
      return node.args.every(of) ? "boolean" : undefined;
    case "&&":
    case "||":
      return node.args.every((operand) => of(operand) === "boolean") ? "boolean" : undefined;
    case "!_":
      return of(node.args) === "boolean" ? "boolean" : undefined;
    case "in":
      return node.args[1].op === "list" && [node.args[0], ...node.args[1].args].every(of) ? "boolean" : undefined;
    case "rcall": {
      const [name, receiver, args] = node.args;
      return [receiver, ...args].every((part) => of(part) === "text") ? OF_TEXTS[name] : undefined;
    }
    default:
      return undefined;
  }
}
