import type { Deployment } from "./embed/embedder.js";

/** What the server says about a platform. It is the same for every visitor. */
export interface PageConfig {
  org: { id: string; namespace: string; name: string };
  app: {
    id: string;
    name: string;
    /** Hosts whose pages may use the platform. */
    domains: string[];
    settings: {
      /** `required`: nothing is stored or sent before the visitor has agreed. */
      consent?: "required" | "not_required";
      /** Whether the browser's wish not to be tracked is followed. */
      respect_dnt?: boolean;
      [name: string]: unknown;
    };
  };
  /** The domains of all platforms of the organization. Settings that an older version has cached have none. */
  carries_to?: string[];
  deployments: Deployment[];
  services: { settings: object; types: object };
}

/** The user record of SPEC, as the server shows it to its user. */
export interface User {
  id: string;
  access_token?: string | null;
  /** The attributes that SPEC does not name, by name. */
  extra?: Record<string, unknown>;
  [field: string]: unknown;
}
