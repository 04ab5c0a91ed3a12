/** Values that generated users, the records of the ingest load and the queries of segments have in common. */
export const PLANS = ["free", "starter", "pro", "enterprise"];
export const COUNTRIES = ["FR", "DE", "US", "JP", "BR", "IN", "GB"];
export const INDUSTRIES = ["retail", "finance", "health", "energy"];

/** The events of the ingest load. */
export const LOAD_EVENTS = [
  "Page viewed",
  "Signed in",
  "Added to cart",
  "Invoice paid",
  "Feature used",
  "Report exported",
];
