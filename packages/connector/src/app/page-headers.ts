/**
 * Headers of every page. Its address contains credentials: no other site may learn it, and no cache may keep what the page
 * shows.
 */
export const PAGE_HEADERS = {
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;
