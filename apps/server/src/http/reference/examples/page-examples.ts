import type { Examples } from "./example.js";
import { EXAMPLE } from "./example-values.js";

const VISITOR = { bid: "0f8fad5b-d9cb-469f-a165-70867728950e", sid: "7c9e6679-7425-40de-944b-e07fc1f90ae7" };
const PARAMETERS = { id: EXAMPLE.platform };

/** What the browser library, the old one and the pages with them call. */
export const PAGE_EXAMPLES: Examples = {
  "GET /js/{version}/muster.js": [{ parameters: { version: "latest" } }],
  "GET /analytics.js/v1/{key}/analytics.min.js": [{ parameters: { key: "page_7f3c" } }],
  "GET /api/v1/{id}/snippet": [{ parameters: PARAMETERS }],
  "GET /api/v1/{id}/page": [{ as: "nobody", parameters: PARAMETERS }],
  "POST /api/v1/{id}/me": [
    { title: "An anonymous visitor", as: "nobody", parameters: PARAMETERS, body: VISITOR, answer: false },
    {
      title: "A visitor who is signed in",
      as: "nobody",
      parameters: PARAMETERS,
      body: { ...VISITOR, access_token: EXAMPLE.token },
    },
  ],
  "POST /api/v1/{id}/login": [
    {
      as: "nobody",
      parameters: PARAMETERS,
      body: { ...VISITOR, access_token: EXAMPLE.token, url: "https://www.example.com/sign-in" },
    },
  ],
  "POST /api/v1/{id}/records": [
    {
      as: "nobody",
      parameters: PARAMETERS,
      body: {
        ...VISITOR,
        timestamp: "2024-05-06T12:00:00.000Z",
        sentAt: "2024-05-06T12:00:00.000Z",
        batch: [
          {
            id: "1",
            type: "track",
            timestamp: "2024-05-06T11:59:59.000Z",
            body: { event: "Added to cart", properties: { tea: "green" }, url: "https://www.example.com/tea" },
          },
          { id: "2", type: "traits", timestamp: "2024-05-06T11:59:59.500Z", body: { favourite_tea: "green" } },
        ],
      },
      answer: { position: EXAMPLE.position, accepted: 2, rejected: [], refused_attributes: [] },
    },
  ],
  "POST /api/v1/{id}/carry": [
    {
      as: "nobody",
      parameters: PARAMETERS,
      headers: { origin: "https://shop.example.org" },
      body: { bid: VISITOR.bid, to: "blog.example.org" },
      answer: { carried: EXAMPLE.carried, expires_in: 120 },
    },
  ],
  "POST /api/v1/{id}/arrive": [
    {
      as: "nobody",
      parameters: PARAMETERS,
      headers: { origin: "https://blog.example.org" },
      body: { carried: EXAMPLE.carried, from: "shop.example.org" },
      answer: { bid: VISITOR.bid },
    },
  ],
  "GET /api/v1/{id}/remote.json": [{ as: "nobody", parameters: PARAMETERS }],
  "GET /api/v1/{id}/remote.html": [
    { as: "nobody", parameters: { ...PARAMETERS, js: "/js/latest/muster.js", url: "https://www.example.com/tea" } },
  ],
  "GET /api/v1/app/settings": [{ as: "connector" }],
};
