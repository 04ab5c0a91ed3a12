/** A site, or several, that the browser library runs on. */
export interface Platform {
  id: string;
  name: string;
  /** Hosts whose pages may use it; `*.example.com` stands for all hosts under it. */
  domains: string[];
  settings: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

/** What can be changed on a platform: settings are merged, the rest is replaced; what is left out stays. */
export type PlatformFields = Partial<Pick<Platform, "name" | "domains" | "settings">>;
