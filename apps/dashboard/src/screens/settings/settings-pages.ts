/** The pages of the settings, each in the address as `?tab=`, with other words that find them. */
export const SETTINGS_PAGES = [
  { tab: "organization", name: "Organization", keywords: "rename delete namespace id" },
  { tab: "members", name: "Members", keywords: "invite people roles team" },
  { tab: "account", name: "Your account", keywords: "password sessions profile e-mail" },
  { tab: "credentials", name: "Credentials", keywords: "api key token secret" },
  { tab: "purposes", name: "Purposes", keywords: "consent marketing analytics privacy withheld" },
  { tab: "apart", name: "Not merged", keywords: "do not merge again duplicates identity undo apart" },
  { tab: "retention", name: "Retention", keywords: "keep delete events age" },
  { tab: "health", name: "Health", keywords: "checks status backup" },
  { tab: "audit", name: "Audit log", keywords: "changes history who" },
  { tab: "api", name: "API", keywords: "reference developers address" },
] as const;

export type SettingsTab = (typeof SETTINGS_PAGES)[number]["tab"];
