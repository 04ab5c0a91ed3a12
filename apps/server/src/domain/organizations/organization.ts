export interface Organization {
  id: string;
  namespace: string;
  name: string;
  enabled: boolean;
  createdAt: Date;
}

/** The organization of hosts that name none. */
export const DEFAULT_NAMESPACE = "default";
