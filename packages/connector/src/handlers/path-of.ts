/** The path of a route for an address in a manifest, which need not begin with a slash and may have a query. */
export function pathOf(url: string): string {
  return `/${url.replace(/^\/+/, "").replace(/[?#].*$/, "")}`;
}
