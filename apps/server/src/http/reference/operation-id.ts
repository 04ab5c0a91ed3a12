/**
 * The `operationId` of an operation, which generators of clients make a method of. It is a verb and the nouns of the path.
 *
 * @example operationIdOf("get", "/api/v1/dead_letters/{id}") // "getDeadLetter"
 */
export function operationIdOf(method: string, path: string): string {
  const chosen = CHOSEN[`${method.toUpperCase()} ${path}`];
  if (chosen !== undefined) return chosen;
  const parts = withOwner(path.split("/").filter((part) => part !== "" && !PREFIXES.has(part)));
  const nouns = parts.filter((part) => !isParameter(part));
  const last = nouns.at(-1) ?? "";
  const isOne = isParameter(parts.at(-1) ?? "");
  if (ACTIONS.has(last)) return nameOf(last, nouns.slice(0, -1).map(singular));
  const leading = LEADING_ACTIONS[nouns[0] ?? ""];
  if (leading !== undefined) return nameOf(leading, isOne ? nouns.slice(1).map(singular) : nouns.slice(1));
  const verb = method === "get" && !isOne && isPlural(last) ? "list" : (VERBS[method] ?? method);
  const end = isOne || verb === "create" ? singular(last) : last;
  return nameOf(verb, [...nouns.slice(0, -1).map(singular), end]);
}

const PREFIXES: ReadonlySet<string> = new Set(["api", "v1", "settings"]);

const VERBS: Partial<Record<string, string>> = { get: "get", post: "create", put: "update", delete: "delete" };

/** Last parts of paths that say what is done with the object before them. */
const ACTIONS: ReadonlySet<string> = new Set([
  ...["accept", "call", "convert", "delete", "discard", "explain", "inspect", "install", "merge", "move"],
  ...["preview", "refresh", "renew", "restore", "resume", "retry", "roll", "test"],
]);

/** First parts of paths that say what is done with the objects after them. */
const LEADING_ACTIONS: Partial<Record<string, string>> = {
  charts: "chart",
  extract: "extract",
  import: "import",
  search: "search",
};

/** What the `{id}` at the beginning of a path is the id of, by the part of the path after it. Otherwise it is an object. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  connector: [
    ...["call", "delivery", "frames", "image", "logs", "metrics", "options", "pages", "readme", "refresh"],
    ...["schedules", "secret", "status", "write_keys"],
  ],
  platform: ["deployments", "page", "snippet"],
  segment: ["as_of", "moves", "uses", "versions"],
  subject: ["attributes", "identity", "merges", "segments", "timeline", "traces"],
};

/** Names that the rule would make unclear, or that it would give to two operations. */
const CHOSEN: Partial<Record<string, string>> = {
  "GET /api/v1/openapi.json": "getApiDescription",
  "GET /healthz": "getHealth",
  "GET /readyz": "getReadiness",
  "GET /metrics": "getMetrics",
  "POST /firehose": "sendBatch",
  "POST /v1/identify": "callIdentify",
  "POST /v1/track": "callTrack",
  "POST /v1/page": "callPage",
  "POST /v1/screen": "callScreen",
  "POST /v1/group": "callGroup",
  "POST /v1/alias": "callAlias",
  "POST /v1/batch": "sendCalls",
  "POST /v1/import": "importCalls",
  "GET /v1/projects/{key}/settings": "getSourceSettings",
  "GET /keys/{id}": "getPublicKey",
  "POST /keys/{id}": "postForPublicKey",
  "POST /api/v1/keys": "renewSigningKey",
  "GET /js/{version}/muster.js": "getBrowserScript",
  "GET /analytics.js/v1/{key}/analytics.min.js": "getAnalyticsScript",
  "POST /api/v1/{id}/delivery/results": "reportResults",
  "GET /api/v1/app/settings": "getPublicSettings",
  "POST /api/v1/session": "signIn",
  "DELETE /api/v1/session": "signOut",
  "GET /api/v1/session/options": "getSignInOptions",
  "POST /api/v1/session/link/preview": "previewSignInLink",
  "POST /api/v1/session/link": "signInWithLink",
  "POST /api/v1/session/mail": "mailSignInLink",
  "PUT /api/v1/session/me": "updateOwnProfile",
  "DELETE /api/v1/sessions": "signOutEverywhere",
  "GET /api/v1/audit": "listAuditedChanges",
  "GET /api/v1/catalogue": "listCatalogue",
  "GET /api/v1/catalogue/destinations": "getDestinationInstallation",
  "POST /api/v1/catalogue/destinations": "installDestinations",
  "POST /api/v1/catalogue": "addToCatalogue",
  "DELETE /api/v1/catalogue": "removeFromCatalogue",
  "POST /api/v1/{id}/logs": "sendConnectorLogs",
  "GET /api/v1/{id}/logs/tail": "tailConnectorLogs",
  "POST /api/v1/{id}/metrics": "countServiceCalls",
  "GET /api/v1/{id}/metrics": "getServiceCalls",
  "POST /api/v1/{id}/options": "loadSettingOptions",
  "POST /api/v1/{id}/secret": "rotateConnectorSecret",
  "GET /api/v1/frames/{ticket}": "showFrame",
  "GET /api/v1/segments/uses": "listUsesOfSegments",
  "GET /api/v1/{id}/uses": "getSegmentUses",
  "GET /api/v1/{id}/delivery/figures": "getConnectorDeliveryFigures",
  "POST /api/v1/dead_letters/retry": "retryDeadLetters",
  "POST /api/v1/dead_letters/discard": "discardDeadLetters",
  "POST /api/v1/deliveries/resume": "resumeDeliveries",
  "GET /api/v1/{id}/remote.json": "getOldPlatform",
  "GET /api/v1/{id}/remote.html": "getOldPlatformFrame",
  "POST /api/v1/users/login": "signUserIn",
  "GET /api/v1/logout": "signUserOut",
  "POST /api/v1/{id}/export": "exportToConnector",
  "POST /api/v1/{id}/send": "sendToConnector",
  "POST /api/v1/{id}/entities": "createEntity",
  "POST /api/v1/imports/inspect": "inspectImportFile",
  "POST /api/v1/attributes/preview": "previewAttributeConversion",
  "POST /api/v1/events/merge": "mergeEventNames",
  "POST /api/v1/events/unmerge": "unmergeEventName",
  "POST /api/v1/t": "trackWithoutAnswer",
  "POST /api/v1/me/track": "track",
  "PUT /api/v1/me/traits": "setTraits",
  "POST /api/v1/me/traits": "postTraits",
  "POST /api/v1/me/alias": "addOwnAlias",
  "DELETE /api/v1/me/alias": "removeOwnAlias",
  "POST /api/v1/{id}/alias": "addAlias",
  "POST /api/v1/{id}/unalias": "removeAlias",
  "POST /api/v1/{id}/unmerge": "undoMerge",
  "GET /api/v1/do_not_merge": "listDoNotMerge",
  "DELETE /api/v1/do_not_merge/{id}": "allowMergeAgain",
  "GET /api/v1/ingestion/recent": "listRecentEntries",
  "GET /api/v1/ingestion/rejected": "listRejectedEntries",
  "GET /api/v1/ingestion/rejected/reasons": "listRejectionReasons",
  "POST /api/v1/ingestion/rejected/retry": "retryRejectedEntries",
  "POST /api/v1/ingestion/rejected/{id}/retry": "retryEditedEntry",
  "POST /api/v1/ingestion/rejected/discard": "discardRejectedEntries",
  "GET /api/v1/overview/segments": "listMovingSegments",
  "POST /api/v1/rebuild": "startRebuild",
  "GET /api/v1/{id}/user_report": "getUserReport",
  "GET /api/v1/me/user_report": "getOwnUserReport",
  "GET /api/v1/{id}/account_report": "getAccountReport",
  "POST /api/v1/search/user_reports": "searchUsers",
  "GET /api/v1/search/user_reports": "searchUsersByUrl",
  "GET /api/v1/search/user_reports/bootstrap": "getUserReportKeyTree",
  "POST /api/v1/search/account_reports": "searchAccounts",
  "GET /api/v1/search/account_reports": "searchAccountsByUrl",
  "GET /api/v1/search/account_reports/bootstrap": "getAccountReportKeyTree",
  "GET /api/v1/search/events": "searchEventsByUrl",
  "GET /api/v1/search/event/bootstrap": "getEventBootstrap",
  "GET /api/v1/search/events/bootstrap": "getEventsBootstrap",
  "GET /api/v1/users/schema": "listUserReportKeys",
  "GET /api/v1/accounts/schema": "listAccountReportKeys",
  "GET /api/v1/users_segments": "listUserSegments",
  "POST /api/v1/users_segments": "createSegment",
  "GET /api/v1/accounts_segments": "listAccountSegments",
  "POST /api/v1/accounts_segments": "createAccountSegment",
  "POST /api/v1/segments/count": "countQuery",
  "POST /api/v1/segments/clauses": "countClauses",
  "POST /api/v1/segments/overlap": "countOverlap",
  "POST /api/v1/segments/preview": "previewQuery",
  "POST /api/v1/segments/convert": "convertQuery",
  "POST /api/v1/segments/impact": "predictSegmentImpact",
  "POST /api/v1/insights/trend": "askTrend",
  "POST /api/v1/insights/funnel": "askFunnel",
  "POST /api/v1/insights/retention": "askRetention",
  "POST /api/v1/insights/users": "listUsersBehindNumber",
  "POST /api/v1/insights/segment": "createSegmentFromInsight",
  "POST /api/v1/insights/csv": "writeInsightAsCsv",
  "PUT /api/v1/insights/home": "arrangeHome",
  "POST /api/v1/{id}": "postObject",
  "POST /api/v1/{id}/carry": "carryVisitor",
  "POST /api/v1/{id}/arrive": "receiveVisitor",
  "POST /api/v1/{id}/me": "getVisitor",
  "POST /api/v1/{id}/login": "signVisitorIn",
  "POST /api/v1/{id}/records": "sendVisitorRecords",
  "PUT /api/v1/uploads/{id}": "sendUploadPart",
  "GET /api/v1/downloads/{organization}/{job}/{file}": "downloadFile",
  "POST /api/v1/downloads/{organization}/{job}/{file}": "postForDownload",
};

/** The parts of a path, with the owner in place of an `{id}` at the beginning. */
function withOwner(parts: string[]): string[] {
  const [first = "", second = "", ...rest] = parts;
  if (first !== "{id}") return parts;
  if (second === "") return ["object", first];
  const owner = Object.keys(OWNERS).find((name) => OWNERS[name]?.includes(second)) ?? "object";
  return [owner, second, ...rest];
}

function isParameter(part: string): boolean {
  return part.startsWith("{");
}

function isPlural(noun: string): boolean {
  return noun.endsWith("s") && !noun.endsWith("status") && !noun.endsWith("ss");
}

function singular(noun: string): string {
  if (!isPlural(noun)) return noun;
  return noun.endsWith("ies") ? `${noun.slice(0, -3)}y` : noun.slice(0, -1);
}

/** @example nameOf("list", ["dead_letter", "groups"]) // "listDeadLetterGroups" */
function nameOf(verb: string, nouns: readonly string[]): string {
  const words = nouns.flatMap((noun) => noun.split(/[^a-z0-9]+/i)).filter((word) => word !== "");
  return verb + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
