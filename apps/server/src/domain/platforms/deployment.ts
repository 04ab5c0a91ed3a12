/** A connector on a platform, with the settings it has there. */
export interface Deployment {
  id: string;
  platformId: string;
  connectorId: string;
  settings: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}
