import type { ASTNode } from "@marcbachmann/cel-js";
import { forgottenErrors, isCertain, type LoopVariable } from "./formula-errors.js";
import { FUNCTIONS, LOOPS, METHODS } from "./formula-functions.js";
import { isReserved } from "./formula-language.js";

/** What the text of a formula says about its cost, before any value is known. */
export interface FormulaShape {
  /** The attributes that it reads, each once, in the order of the text. */
  readonly reads: readonly string[];
  readonly nodes: number;
  /** How many operations make a value that is longer than what they were given. */
  readonly growth: number;
  readonly loops: readonly Loop[];
  readonly searches: readonly Search[];
  /** How many errors outside of loops could be forgotten. */
  readonly errors: number;
}

/** `contains` or `indexOf`: searches for a text that these parts make, at most `nodes` times each. */
export interface Search {
  readonly nodes: number;
  readonly literals: number;
  readonly reads: readonly string[];
  readonly inLoop: boolean;
}

/** `exists`, `all`, `exists_one`, `filter` or `map`: evaluates its body for each element of a list. */
export interface Loop {
  /** How many nodes the list is made by. Each could be the longest list that there is. */
  readonly rangeNodes: number;
  /** The list is written out, so an element can be a whole value. */
  readonly hasLiteral: boolean;
  readonly bodyGrowth: number;
  readonly bodyReads: readonly string[];
  /** How many errors each element could end with, after which the evaluation goes on. */
  readonly errors: { ofText: number; ofOther: number };
}

/** What is wrong with a formula, and where: characters from the beginning of its text. */
export class FormulaProblemAt extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const MAX_READS = 50;
const MAX_LITERAL = 20;

/** Functions of which a value decides how long they take or how much they make. A text in the formula is short. */
const SHORT_TEXT_ONLY: ReadonlySet<string> = new Set(["duration", "join"]);
const SEARCHES: ReadonlySet<string> = new Set(["contains", "indexOf"]);

/** An error of one element does not end these: another element may decide. */
const GOES_ON: ReadonlySet<string> = new Set(["all", "exists"]);

interface Scope {
  /** The variables of loops around. */
  readonly variables: ReadonlySet<string>;
  readonly inLoop: boolean;
}

/**
 * Looks at each node of a formula. Only what is named here may be used: anything else of the library is refused, also what
 * a later version of it adds.
 *
 * @throws FormulaProblemAt
 */
export function shapeOf(root: ASTNode): FormulaShape {
  const reads = new Set<string>();
  const loops: Loop[] = [];
  const searches: Search[] = [];
  let nodes = 0;
  let growth = 0;
  let errors = 0;

  const visit = (node: ASTNode, scope: Scope): void => {
    nodes += 1;
    if (!scope.inLoop) errors += forgottenErrors(node);
    switch (node.op) {
      case "value":
        visitLiteral(node);
        break;
      case "id":
        visitName(node.args, node, scope);
        break;
      case "call":
        visitCall(node.args[0], node.args[1], node, scope);
        break;
      case "rcall":
        visitMethod(node.args, node, scope);
        break;
      case ".":
        visit(node.args[0], scope);
        break;
      case "list":
        for (const element of node.args) visit(element, scope);
        growth += 1;
        break;
      case "map":
        for (const [key, value] of node.args) {
          visit(key, scope);
          visit(value, scope);
        }
        growth += 1;
        break;
      case "!_":
      case "-_":
        visit(node.args, scope);
        break;
      case ".?":
      case "[?]":
        throw new FormulaProblemAt("There are no optional values: compare with null.", node.pos);
      default:
        if (node.op === "+") growth += 1;
        for (const operand of node.args) visit(operand, scope);
    }
  };

  const visitLiteral = (node: ASTNode & { op: "value" }): void => {
    if (typeof node.args === "object" && node.args !== null) {
      throw new FormulaProblemAt("There are no bytes and no unsigned numbers.", node.pos);
    }
  };

  const read = (name: string, node: ASTNode): void => {
    reads.add(name);
    if (reads.size > MAX_READS)
      throw new FormulaProblemAt(`A formula reads at most ${MAX_READS} attributes.`, node.pos);
  };

  const visitName = (name: string, node: ASTNode, scope: Scope): void => {
    if (scope.variables.has(name)) return;
    if (isReserved(name)) {
      throw new FormulaProblemAt(
        `"${name}" is a word of the language. The attribute of that name is attribute("${name}").`,
        node.pos,
      );
    }
    read(name, node);
  };

  const visitCall = (name: string, args: ASTNode[], node: ASTNode, scope: Scope): void => {
    mustBeKnown(name, FUNCTIONS, args, node);
    if (name === "attribute") {
      const [given] = args;
      if (given?.op !== "value" || typeof given.args !== "string") {
        throw new FormulaProblemAt(`attribute(…) takes the name in quotes, as attribute("crm/stage").`, node.pos);
      }
      nodes += 1;
      read(given.args, node);
      return;
    }
    mustBeShort(name, args);
    for (const arg of args) visit(arg, scope);
  };

  const visitMethod = ([name, receiver, args]: [string, ASTNode, ASTNode[]], node: ASTNode, scope: Scope): void => {
    if (name in LOOPS) {
      visitLoop(name, receiver, args, node, scope);
      return;
    }
    mustBeKnown(name, METHODS, args, node);
    mustBeShort(name, args);
    if (name === "join") growth += 1;
    visit(receiver, scope);
    const before = nodes;
    for (const arg of args) visit(arg, scope);
    if (!SEARCHES.has(name)) return;
    const names = namesIn(args);
    const literals = names.reduce((sum, text) => sum + text.length, 0);
    searches.push({
      nodes: nodes - before,
      literals,
      reads: names.filter((read) => reads.has(read)),
      inLoop: scope.inLoop,
    });
  };

  const visitLoop = (name: string, receiver: ASTNode, args: ASTNode[], node: ASTNode, scope: Scope): void => {
    mustBeKnown(name, LOOPS, args, node);
    // Loops in loops, and loops over what `map` has made, would multiply: the cost would have no bound.
    if (scope.inLoop) throw new FormulaProblemAt(`"${name}" cannot be used inside another loop.`, node.pos);
    const [variable, ...bodies] = args;
    if (variable?.op !== "id") throw new FormulaProblemAt(`"${name}" takes a variable first.`, node.pos);
    const before = nodes;
    const range = { hasMap: false, hasLiteral: false };
    visit(receiver, scope);
    look(receiver, (inner) => {
      if (inner.op === "rcall" && inner.args[0] === "map") range.hasMap = true;
      if (inner.op === "list" || inner.op === "map") range.hasLiteral = true;
    });
    if (range.hasMap) throw new FormulaProblemAt(`"${name}" cannot be asked of the result of "map".`, node.pos);
    const rangeNodes = nodes - before;
    const growthBefore = growth;
    const inBody = namesIn(bodies);
    for (const body of bodies) visit(body, { variables: new Set([...scope.variables, variable.args]), inLoop: true });
    loops.push({
      rangeNodes,
      hasLiteral: range.hasLiteral,
      bodyGrowth: growth - growthBefore,
      bodyReads: inBody.filter((read) => reads.has(read)),
      errors: {
        ofText: errorsOfElement(name, bodies, { name: variable.args, kind: "text" }),
        ofOther: errorsOfElement(name, bodies, { name: variable.args, kind: "value" }),
      },
    });
  };

  visit(root, { variables: new Set(), inLoop: false });
  return { reads: [...reads], nodes, growth, loops, searches, errors };
}

function errorsOfElement(loop: string, bodies: readonly ASTNode[], variable: LoopVariable): number {
  let count = GOES_ON.has(loop) ? bodies.filter((body) => !isCertain(body, variable)).length : 0;
  for (const body of bodies) {
    look(body, (node) => {
      count += forgottenErrors(node, variable);
    });
  }
  return count;
}

function mustBeKnown(
  name: string,
  known: Readonly<Record<string, readonly number[]>>,
  args: readonly ASTNode[],
  node: ASTNode,
): void {
  if (name === "matches") {
    throw new FormulaProblemAt("There are no regular expressions: use contains, startsWith or endsWith.", node.pos);
  }
  const arities = Object.hasOwn(known, name) ? known[name] : undefined;
  if (arities === undefined) throw new FormulaProblemAt(`There is no function "${name}".`, node.pos);
  if (arities.includes(args.length)) return;
  throw new FormulaProblemAt(`"${name}" takes ${arities.join(" or ")} arguments, not ${args.length}.`, node.pos);
}

function mustBeShort(name: string, args: readonly ASTNode[]): void {
  if (!SHORT_TEXT_ONLY.has(name)) return;
  for (const arg of args) {
    if (arg.op === "value" && typeof arg.args === "string" && arg.args.length <= MAX_LITERAL) continue;
    throw new FormulaProblemAt(`"${name}" takes a text of at most ${MAX_LITERAL} characters in quotes.`, arg.pos);
  }
}

/** The names in nodes, also those of variables. */
function namesIn(nodes: readonly ASTNode[]): string[] {
  const names: string[] = [];
  for (const node of nodes) {
    look(node, (inner) => {
      if (inner.op === "id") names.push(inner.args);
      if (inner.op === "value" && typeof inner.args === "string") names.push(inner.args);
    });
  }
  return names;
}

/** Calls `see` for a node and all nodes below it. */
function look(node: ASTNode, see: (node: ASTNode) => void): void {
  see(node);
  for (const child of childrenOf(node)) look(child, see);
}

function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case ".":
    case ".?":
      return [node.args[0]];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    default:
      return node.args;
  }
}

/**
 * Whole numbers in the text become decimal ones, as attributes are: otherwise `7 / 2` would be 3, and `seats > 10 ? seats : 1`
 * would have two types. Positions in texts and lists stay whole.
 */
export function useDecimalNumbers(root: ASTNode): void {
  look(root, (node) => {
    if (node.op === "[]" || (node.op === "rcall" && node.args[0] === "substring")) return;
    for (const child of childrenOf(node)) makeDecimal(child);
  });
  makeDecimal(root);
}

function makeDecimal(node: ASTNode): void {
  if (node.op !== "value" || typeof node.args !== "bigint") return;
  // The types of the library call its tree read-only, and its checks and its evaluation read this field.
  (node as { args: unknown }).args = Number(node.args);
}
