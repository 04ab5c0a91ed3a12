/** A text that stands in a template row for a value of the row, and the SQL of that value for any row. */
export interface Marker {
  text: string;
  sql: string;
}

export interface Column {
  name: string;
  /** The type, as SQL writes it. */
  type: string;
}

/** The values of one row, as text, by column. */
export type TemplateRow = Readonly<Record<string, string | null>>;

// PostgreSQL has functions of at most 100 arguments.
const MOST_ARGUMENTS = 50;

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * The SQL of a column, learned from rows that the server has written: each marker becomes the value that it stands for,
 * and everything else stays as it is. So a change of the stored form needs no change here. There is a template row for
 * each shape; the relation that the SQL reads has the number of the shape in the column `shape`.
 */
export function columnSql(column: Column, templates: readonly TemplateRow[], markers: readonly Marker[][]): string {
  const found = templates.map((row, shape) => valueSql(row[column.name] ?? null, markers[shape] ?? []));
  const [first = "null"] = found;
  const value = found.every((sql) => sql === first)
    ? first
    : `case shape ${found.map((sql, shape) => `when ${shape} then ${asText(sql)}`).join(" ")} end`;
  return `cast(${value} as ${column.type})`;
}

/** Values of one shape may be numbers and those of another texts, and `case` wants one type. */
function asText(sql: string): string {
  return `cast(${sql} as varchar)`;
}

/** A stored value with the markers in it replaced. A value that is a marker and nothing else keeps the marker's type. */
export function valueSql(text: string | null, markers: readonly Marker[]): string {
  if (text === null) return "null";
  const known = new Map(markers.map((marker) => [marker.text, marker.sql]));
  const whole = known.get(text) ?? known.get(text.replace(/\.0$/, ""));
  if (whole !== undefined) return whole;
  const pieces = piecesOf(text, known);
  return pieces.length === 1 ? (pieces[0] ?? "''") : concat(pieces);
}

function piecesOf(text: string, known: ReadonlyMap<string, string>): string[] {
  if (known.size === 0) return [quote(text)];
  // A marker may contain another one, so the longest is looked for first.
  const longestFirst = [...known.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(
    `(${longestFirst.map((marker) => marker.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`,
  );
  const pieces = text.split(pattern).filter((piece) => piece !== "");
  return pieces.length === 0 ? ["''"] : pieces.map((piece) => known.get(piece) ?? quote(piece));
}

function concat(pieces: readonly string[]): string {
  if (pieces.length <= MOST_ARGUMENTS) return `concat(${pieces.join(", ")})`;
  const groups: string[] = [];
  for (let start = 0; start < pieces.length; start += MOST_ARGUMENTS) {
    groups.push(concat(pieces.slice(start, start + MOST_ARGUMENTS)));
  }
  return concat(groups);
}
