/** What a field can be filled with: values of the user, of the account and of the event. */
export function valueChoices(
  attributes: readonly string[],
  properties: readonly string[],
): { group: string; items: string[] }[] {
  const shown = new Set(["audience_name", "audience_key", "url", "revenue", ...properties]);
  return [
    {
      group: "The user",
      items: ["{{userId}}", "{{anonymousId}}", ...attributes.map((key) => `{{traits.${pathOfAttribute(key)}}}`)],
    },
    {
      group: "What happened",
      items: [
        "{{event}}",
        "{{timestamp}}",
        "{{messageId}}",
        "{{groupId}}",
        ...[...shown].map((name) => `{{properties.${name}}}`),
      ],
    },
  ];
}

/** @example pathOfAttribute("traits_crm/stage") // "crm.stage" */
export function pathOfAttribute(key: string): string {
  return key.replace(/^traits_/, "").replace("/", ".");
}

/** When a mapping runs, in the query language of the destinations. */
export function triggerChoices(events: readonly string[]): { group: string; items: string[] }[] {
  return [
    {
      group: "Users, accounts and segments",
      items: ['type = "identify"', 'type = "group"', 'event = "Audience Entered"', 'event = "Audience Exited"'],
    },
    {
      group: "Events",
      items: [
        'type = "track"',
        'type = "page"',
        'type = "screen"',
        ...events.map((name) => `event = ${JSON.stringify(name)}`),
      ],
    },
  ];
}
