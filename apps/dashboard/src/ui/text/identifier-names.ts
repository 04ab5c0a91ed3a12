/** What people call the kinds of identifiers. */
export const IDENTIFIER_NAMES: Readonly<Record<string, string>> = {
  id: "id",
  external_id: "external id",
  email: "email",
  domain: "domain",
  anonymous_id: "anonymous id",
};
