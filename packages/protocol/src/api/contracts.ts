import { ANALYTICS_API } from "./analytics.js";
import { ATTRIBUTES_API } from "./attributes.js";
import { CATALOGUE_API } from "./catalogue.js";
import { CHARTS_API } from "./charts.js";
import { COMMENTS_API } from "./comments.js";
import { COMPUTED_ATTRIBUTES_API } from "./computed-attributes.js";
import { CONNECTOR_LOGS_API } from "./connector-logs.js";
import { CONNECTOR_METRICS_API } from "./connector-metrics.js";
import { CONNECTORS_API } from "./connectors.js";
import { DEAD_LETTERS_API } from "./dead-letters.js";
import { DELIVERIES_API } from "./deliveries.js";
import { ENTITIES_API } from "./entities.js";
import { ERASURES_API } from "./erasures.js";
import { EVENTS_API } from "./events.js";
import { HISTORY_API } from "./history.js";
import { IMPORTS_API } from "./imports.js";
import { INGESTION_API } from "./ingestion.js";
import { INSIGHTS_API } from "./insights.js";
import { JOBS_API } from "./jobs.js";
import { MEMBERS_API } from "./members.js";
import { MERGES_API } from "./merges.js";
import { OBJECTS_API } from "./objects.js";
import { OPERATIONS_API } from "./operations.js";
import { ORGANIZATIONS_API } from "./organizations.js";
import { OVERVIEW_API } from "./overview.js";
import { PACKAGES_API } from "./packages.js";
import { PAGES_API } from "./pages.js";
import { PLATFORMS_API } from "./platforms.js";
import { PURPOSES_API } from "./purposes.js";
import { REVERTS_API } from "./reverts.js";
import { SEARCH_API } from "./search.js";
import { SEGMENT_HISTORY_API } from "./segment-history.js";
import { SEGMENTS_API } from "./segments.js";
import { STATUS_API } from "./status.js";
import { SUBJECTS_API } from "./subjects.js";
import { VIEWS_API } from "./views.js";
import { WRITE_KEYS_API } from "./write-keys.js";

/**
 * What every operation of the REST API takes and answers, by its method and path as the OpenAPI document has them. It is
 * written here once. The server's routes take their schemas from it, the compiler infers every type from it, and the
 * OpenAPI document shows it.
 *
 * A noun has a file in this folder, without imports of Node's modules:
 *
 *     export const Job = Type.Object({ id: Type.String(), … }, { component: "Job", description: "…" });
 *     export type Job = Static<typeof Job>;
 *
 *     export const JOBS_API = {
 *       "GET /api/v1/jobs": { querystring: Type.Object({ ...PageQuery.properties, … }), response: { 200: Type.Array(Job) } },
 *     };
 *
 * - A record that has a name of its own has a `component`, which the document uses, and a type of the same name.
 * - `withDefault(30, Type.Integer())`: callers may leave the value out, and the route always has it.
 * - `anyObjectAs(Query)`, `anyValueAs(AttributeValue)`: readers and the compiler see the schema, but the server checks
 *   only that it is an object, or nothing. It is for bodies that a service checks with refusals of its own, and for
 *   answers that are passed on unchanged.
 * - `freeObject("…")`: an object with keys that nobody knows beforehand.
 *
 * The route takes its schema from here and adds what only the server knows:
 *
 *     schema: { tags: ["jobs"], summary: "List jobs", ...JOBS_API["GET /api/v1/jobs"] }
 *
 * Services, commands and screens use the types: `import type { Job } from "@muster/protocol/api/jobs"`. The calls of the
 * dashboard are typed by `Paths` (paths.ts). The test `http/reference/contracts.test.ts` of the server compares this map
 * with the routes, and `scripts/record-copies.test.ts` refuses a second copy of a record.
 */
export const CONTRACTS: Contracts = {
  ...ANALYTICS_API,
  ...ATTRIBUTES_API,
  ...CATALOGUE_API,
  ...CHARTS_API,
  ...COMMENTS_API,
  ...COMPUTED_ATTRIBUTES_API,
  ...CONNECTORS_API,
  ...CONNECTOR_LOGS_API,
  ...CONNECTOR_METRICS_API,
  ...DEAD_LETTERS_API,
  ...DELIVERIES_API,
  ...ENTITIES_API,
  ...ERASURES_API,
  ...EVENTS_API,
  ...HISTORY_API,
  ...IMPORTS_API,
  ...INGESTION_API,
  ...INSIGHTS_API,
  ...JOBS_API,
  ...MEMBERS_API,
  ...MERGES_API,
  ...OBJECTS_API,
  ...OPERATIONS_API,
  ...ORGANIZATIONS_API,
  ...OVERVIEW_API,
  ...PACKAGES_API,
  ...PAGES_API,
  ...PLATFORMS_API,
  ...SEARCH_API,
  ...SEGMENT_HISTORY_API,
  ...SEGMENTS_API,
  ...STATUS_API,
  ...SUBJECTS_API,
  ...PURPOSES_API,
  ...REVERTS_API,
  ...VIEWS_API,
  ...WRITE_KEYS_API,
};

/** Named, so that the declarations of this package refer to the nouns instead of repeating them. */
export type Contracts = typeof ANALYTICS_API &
  typeof ATTRIBUTES_API &
  typeof CATALOGUE_API &
  typeof CHARTS_API &
  typeof COMMENTS_API &
  typeof COMPUTED_ATTRIBUTES_API &
  typeof CONNECTORS_API &
  typeof CONNECTOR_LOGS_API &
  typeof CONNECTOR_METRICS_API &
  typeof DEAD_LETTERS_API &
  typeof DELIVERIES_API &
  typeof ENTITIES_API &
  typeof ERASURES_API &
  typeof EVENTS_API &
  typeof HISTORY_API &
  typeof IMPORTS_API &
  typeof INGESTION_API &
  typeof INSIGHTS_API &
  typeof JOBS_API &
  typeof MEMBERS_API &
  typeof MERGES_API &
  typeof OBJECTS_API &
  typeof OPERATIONS_API &
  typeof ORGANIZATIONS_API &
  typeof OVERVIEW_API &
  typeof PACKAGES_API &
  typeof PAGES_API &
  typeof PLATFORMS_API &
  typeof SEARCH_API &
  typeof SEGMENT_HISTORY_API &
  typeof SEGMENTS_API &
  typeof STATUS_API &
  typeof SUBJECTS_API &
  typeof PURPOSES_API &
  typeof REVERTS_API &
  typeof VIEWS_API &
  typeof WRITE_KEYS_API;
