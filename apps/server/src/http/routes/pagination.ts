import type { Brand } from "@muster/protocol";
import type { PageQuery } from "@muster/protocol/api/paging";
import type { FastifyReply, FastifyRequest } from "fastify";

export function limitsOf({ page, per_page }: PageQuery): { limit: number; offset: number } {
  return { limit: per_page, offset: (page - 1) * per_page };
}

/** The page that is requested; undefined when all items are. */
export function wantedPage({ page, per_page }: Partial<PageQuery>): PageQuery | undefined {
  return page === undefined && per_page === undefined ? undefined : { page: page ?? 1, per_page: per_page ?? 30 };
}

/** The requested page of a small collection, or all items when none is requested. Sets the headers of the page. */
export function pageOfAll<Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  brand: Brand,
  query: Partial<PageQuery>,
  items: Item[],
): Item[] {
  const { page, per_page } = wantedPage(query) ?? { page: 1, per_page: Math.max(1, items.length) };
  describePage(request, reply, brand, { page, per_page }, items.length);
  return items.slice((page - 1) * per_page, page * per_page);
}

/** Sets the `Link` header and the header with the total count. */
export function describePage(
  request: FastifyRequest,
  reply: FastifyReply,
  brand: Brand,
  { page, per_page }: PageQuery,
  total: number,
): void {
  const pages = Math.max(1, Math.ceil(total / per_page));
  const targets = { first: 1, prev: page - 1, next: page + 1, last: pages };
  const links = Object.entries(targets)
    .filter(([, target]) => target >= 1 && target <= pages)
    .map(([relation, target]) => `<${pageUrl(request, target, per_page)}>; rel="${relation}"`);
  reply.header("link", links.join(", "));
  reply.header(brand.headers.totalCount, String(total));
}

/** The URL of another page, without credentials from the query string. */
function pageUrl(request: FastifyRequest, page: number, perPage: number): string {
  const url = new URL(request.url, `${request.protocol}://${request.host}`);
  for (const name of ["id", "secret", "app_id", "access_token", "ship"]) url.searchParams.delete(name);
  url.searchParams.set("page", String(page));
  url.searchParams.set("per_page", String(perPage));
  return url.href;
}
