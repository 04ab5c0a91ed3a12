/** The report of a user or account, as searches and previews give it. */
export interface SampledReport {
  id: string;
  [key: string]: unknown;
}

/** The first of the values that is a text. */
export function firstText(values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}
