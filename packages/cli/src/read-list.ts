import type { Api } from "./api.js";

// The largest page that the API gives.
const LARGEST_PAGE = 1_000;

/** All items of a list, or the first ones up to the limit, fetched page by page. */
export async function readList<Item>(api: Api, path: string, limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const perPage = Math.min(limit, LARGEST_PAGE);
  const items: Item[] = [];
  for (let page = 1; items.length < limit; page += 1) {
    const separator = path.includes("?") ? "&" : "?";
    const { body, headers } = await api.request<Item[]>("GET", `${path}${separator}page=${page}&per_page=${perPage}`);
    items.push(...body);
    if (body.length === 0 || !hasMore(headers, items.length, api.brand.headers.totalCount)) break;
  }
  return items.slice(0, limit);
}

/**
 * Whether there is another page. Only the header tells, because a list without pages has no such header and returns all
 * items for any page. The address in `Link` is not used, because the admin token may only be sent to the known server.
 */
function hasMore(headers: Headers, read: number, totalCount: string): boolean {
  const total = Number(headers.get(totalCount) ?? Number.NaN);
  if (!Number.isNaN(total)) return read < total;
  return /;\s*rel="?next"?/.test(headers.get("link") ?? "");
}
