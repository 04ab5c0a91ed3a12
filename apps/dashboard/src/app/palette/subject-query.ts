const FIELDS = {
  user: ["name", "email", "external_id", "first_name", "last_name"],
  account: ["name", "domain", "external_id"],
};

/** The query that finds users or accounts by what somebody has typed so far: an id, an e-mail, a domain or words. */
export function subjectQuery(subjectType: "user" | "account", text: string): Record<string, unknown> {
  if (/^[0-9a-f]{24}$/i.test(text)) return { ids: { values: [text.toLowerCase()] } };
  const exact = subjectType === "user" ? { email: text.toLowerCase() } : { domain: text.toLowerCase() };
  return {
    bool: {
      should: [
        { multi_match: { query: text, type: "phrase_prefix", fields: FIELDS[subjectType] } },
        { prefix: exact },
        { term: { external_id: text } },
      ],
      minimum_should_match: 1,
    },
  };
}
