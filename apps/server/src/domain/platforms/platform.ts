/** A site, or several, that the browser library runs on. */
export interface Platform {
  id: string;
  name: string;
  /** Hosts whose pages may use it; `*.example.com` stands for all hosts under it. */
  domains: string[];
  settings: Record<string, unknown>;
  /** When the last record came from one of its pages, to within some seconds. */
  lastRecordAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** What can be changed on a platform: settings are merged, the rest is replaced; what is left out stays. */
export type PlatformFields = Partial<Pick<Platform, "name" | "domains" | "settings">>;

/** Why settings of a platform cannot be used; undefined when they can. Settings that the library does not know are kept. */
export function platformSettingsProblem(settings: Record<string, unknown>): string | undefined {
  const { consent, respect_dnt: respectDnt, track_page_inits: trackPageInits } = settings;
  if (consent !== undefined && consent !== "required" && consent !== "not_required") {
    return 'settings.consent must be "required" or "not_required"';
  }
  if (respectDnt !== undefined && typeof respectDnt !== "boolean") return "settings.respect_dnt must be true or false";
  if (trackPageInits !== undefined && typeof trackPageInits !== "boolean") {
    return "settings.track_page_inits must be true or false";
  }
  return undefined;
}

const NAME = "[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*";
const DOMAIN = new RegExp(`^(?:\\*\\.${NAME}|(?:${NAME}|\\[[0-9a-f:.]+\\])(?::\\d{1,5})?)$`, "i");

/** Why the domains of a platform cannot be used; undefined when they can. */
export function platformDomainsProblem(domains: readonly string[]): string | undefined {
  const wrong = domains.find((domain) => !DOMAIN.test(domain));
  return wrong === undefined
    ? undefined
    : `"${wrong.slice(0, 200)}" is no host; give one like shop.example.com, or *.example.com for all hosts under it`;
}
