/** @example counted(1, "users") // "1 user" */
export function counted(count: number, plural: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? plural.replace(/s$/, "") : plural}`;
}
