/** The first of the values that is a text. */
export function firstText(values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}
