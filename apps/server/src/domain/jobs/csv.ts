/** How the cells of a CSV file are told apart. */
export interface CsvFormat {
  delimiter: string;
  /** Whether the first row has the names of the columns. */
  header: boolean;
  /** Whether the quotes stay that an extract has put in front of cells which a spreadsheet would run as a formula. */
  formulas?: boolean | undefined;
}

const QUOTED_FORMULA = /^'+[-=+@\t\r\n]/;

/** A cell without the quote that an extract has put in front of a formula. */
export function withoutFormulaQuote(cell: string): string {
  return QUOTED_FORMULA.test(cell) ? cell.slice(1) : cell;
}

export const DELIMITERS = [",", ";", "\t", "|"] as const;

/**
 * The cells of one row. A quote opens a quoted cell only at its beginning, and two quotes in it stand for one. The splitter
 * of files follows the same rule, so both agree about where a row ends.
 */
export function readCsvRow(text: string, delimiter: string): string[] {
  const cells: string[] = [];
  for (let at = 0; ; ) {
    let cell = "";
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end === -1) {
          cell += text.slice(at);
          at = text.length;
          break;
        }
        cell += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        cell += '"';
        at += 1;
      }
    }
    const end = text.indexOf(delimiter, at);
    cells.push(cell + text.slice(at, end === -1 ? undefined : end));
    if (end === -1) return cells;
    at = end + delimiter.length;
  }
}

/** The names of the columns: those of the header, or numbers. A name that comes twice gets a number too. */
export function columnNames(firstRow: readonly string[], hasHeader: boolean): string[] {
  const names: string[] = [];
  const used = new Set<string>();
  // The next free number for each repeated name. Without this map, a header of equal names would take hours.
  const copies = new Map<string, number>();
  for (const [index, cell] of firstRow.entries()) {
    const given = (hasHeader && cell.trim()) || `Column ${index + 1}`;
    let name = given;
    let copy = copies.get(given) ?? 2;
    for (; used.has(name); copy++) name = `${given} ${copy}`;
    copies.set(given, copy);
    used.add(name);
    names.push(name);
  }
  return names;
}

/** A cell of a CSV file; quoted when it must be. */
export function csvCell(text: string, delimiter: string): string {
  const needsQuotes = text.includes(delimiter) || /["\r\n]/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
