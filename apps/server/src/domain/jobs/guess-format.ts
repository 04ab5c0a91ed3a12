import { type CsvFormat, DELIMITERS, readCsvRow } from "./csv.js";

const SAMPLED_LINES = 20;

/** Guesses from the beginning of a file how it is read: undefined for JSON, else the form of the CSV file. */
export function guessFormat(beginning: string): CsvFormat | undefined {
  if (/^\uFEFF?\s*[[{]/.test(beginning)) return undefined;
  const delimiter = guessDelimiter(beginning);
  return { delimiter, header: guessHeader(beginning, delimiter) };
}

/** The delimiter that cuts most lines into the same number of cells, and into more than one. */
export function guessDelimiter(beginning: string): string {
  const lines = beginning
    .split(/\r?\n/)
    .slice(0, SAMPLED_LINES)
    .filter((line) => line !== "");
  let best: { delimiter: string; score: number } = { delimiter: ",", score: 0 };
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => readCsvRow(line, delimiter).length);
    const [width = 1] = counts;
    const score = width < 2 ? 0 : counts.filter((count) => count === width).length * Math.min(width, 10);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

/** A first row with a number, an address or an empty cell is data; one with different words is a header. */
export function guessHeader(beginning: string, delimiter: string): boolean {
  const [first = ""] = beginning.replace(/^\uFEFF/, "").split(/\r?\n/);
  const cells = readCsvRow(first, delimiter).map((cell) => cell.trim());
  const looksLikeData = cells.some((cell) => /^[-+]?\d/.test(cell) || cell.includes("@"));
  const isFilled = cells.filter((cell) => cell !== "").length >= cells.length / 2;
  return isFilled && !looksLikeData && new Set(cells).size === cells.length;
}
