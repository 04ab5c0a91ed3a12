/** A namespace for a name. @example namespaceOf("Café Zoë & Co.") // "cafe-zoe-co" */
export function namespaceOf(name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
}
