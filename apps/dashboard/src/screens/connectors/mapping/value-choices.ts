/** What a field can be filled with: values of the user, of the account and of the event. */
export function valueChoices(attributes: readonly string[]): { group: string; items: string[] }[] {
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
        "{{properties.audience_name}}",
        "{{properties.audience_key}}",
        "{{properties.url}}",
        "{{properties.revenue}}",
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
