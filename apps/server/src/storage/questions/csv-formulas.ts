/**
 * Spreadsheets run a cell of CSV as a formula when it begins with one of these characters, and people send us such texts
 * as attributes. A quote in front makes the cell a text. Texts that begin with quotes before such a character get one more
 * quote, so that removing one quote always gives the text back.
 */
export const FORMULA = "^'*[-=+@\\t\\r\\n]";

/** A number is not a formula, even when it is negative. */
export const NUMBER = "^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$";

/** The text of a cell, with a quote in front if it would be a formula. */
export function withoutFormula(text: string): string {
  return new RegExp(FORMULA).test(text) && !new RegExp(NUMBER).test(text) ? `'${text}` : text;
}
