import { parseAst } from "rolldown/parseAst";

/** The names of the properties of a record, an interface or a type. */
export interface Shape {
  name: string;
  /** Where it is: the file and the place in it. */
  file: string;
  line: number;
  properties: ReadonlySet<string>;
}

/** Shapes with fewer properties are alike by chance. */
const MIN_PROPERTIES = 5;
/** How much of all properties of two shapes both must have. */
const LIKENESS = 0.8;

type Node = { type: string; start: number } & Record<string, unknown>;

/** The records of the API in one file: every schema of an object that has a name. */
export function recordsIn(file: string, source: string): Shape[] {
  return shapesIn(file, source).filter(({ isSchema, name }) => isSchema && /^[A-Z]/.test(name));
}

/** The shapes of a file that are nearly those of a record of the API. */
export function copiesIn(file: string, source: string, records: readonly Shape[]): { copy: Shape; record: Shape }[] {
  return shapesIn(file, source).flatMap((copy) => {
    const record = records.find(({ properties }) => areAlike(copy.properties, properties));
    return record ? [{ copy, record }] : [];
  });
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...one].filter((name) => other.has(name)).length;
  const all = one.size + other.size - common;
  return common >= MIN_PROPERTIES && common / all >= LIKENESS;
}

/** Interfaces, object types and schemas of objects, with at least as many properties as count. */
function shapesIn(file: string, source: string): (Shape & { isSchema: boolean })[] {
  const program = parseAst(source, { lang: file.endsWith(".tsx") ? "tsx" : "ts" }, file) as unknown as Node;
  const constants = new Map<string, Node>();
  const found: (Shape & { isSchema: boolean })[] = [];
  const note = (name: string, node: Node, names: Iterable<string>, isSchema: boolean) => {
    const properties = new Set(names);
    if (properties.size < MIN_PROPERTIES) return;
    found.push({ name, file, line: source.slice(0, node.start).split("\n").length, properties, isSchema });
  };
  const visit = (node: Node, name: string): void => {
    const own = nameOf(node) ?? name;
    if (node.type === "VariableDeclarator" && isNode(node.init)) constants.set(own, node.init);
    if (node.type === "TSInterfaceBody") note(own, node, memberNames(node.body), false);
    if (node.type === "TSTypeLiteral") note(own, node, memberNames(node.members), false);
    if (isSchemaOfObject(node)) note(own, node, schemaNames((node.arguments as Node[])[0], constants), true);
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, own);
  };
  visit(program, "");
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

/** The name that a declaration or a property gives to what is inside. */
function nameOf({ type, id, key }: Node): string | undefined {
  const named = type === "VariableDeclarator" || type.startsWith("TS") ? id : type === "Property" ? key : undefined;
  return isNode(named) && typeof named.name === "string" ? named.name : undefined;
}

function memberNames(members: unknown): string[] {
  return ((members as Node[]) ?? []).flatMap(({ key }) => keyName(key) ?? []);
}

function keyName(key: unknown): string | undefined {
  if (!isNode(key)) return undefined;
  const name = key.name ?? key.value;
  return typeof name === "string" ? name : undefined;
}

/** Whether it is a call of `Type.Object`. */
function isSchemaOfObject({ type, callee }: Node): boolean {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return false;
  return keyName(callee.object) === "Type" && keyName(callee.property) === "Object";
}

/** The names of the properties of a schema, with those that it takes from a constant of the same file. */
function schemaNames(properties: Node | undefined, constants: ReadonlyMap<string, Node>): string[] {
  if (properties?.type === "Identifier") return schemaNames(constants.get(String(properties.name)), constants);
  if (properties?.type === "MemberExpression") return schemaNames(properties.object as Node, constants);
  if (properties && isSchemaOfObject(properties)) return schemaNames((properties.arguments as Node[])[0], constants);
  if (properties?.type !== "ObjectExpression") return [];
  return (properties.properties as Node[]).flatMap((property) =>
    property.type === "SpreadElement"
      ? schemaNames(property.argument as Node, constants)
      : (keyName(property.key) ?? []),
  );
}
