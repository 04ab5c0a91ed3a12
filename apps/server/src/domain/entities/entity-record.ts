import type { EntityChange, Entity as EntityRecord } from "@muster/protocol/api/entities";

/** The values of an entity that clients have set. */
export type OwnValues = { [Name in keyof EntityChange]?: NonNullable<EntityChange[Name]> };

/** The meta tags of the page at an entity's url. */
export interface MetaTags {
  title?: string;
  description?: string;
  image?: string;
  site_name?: string;
  type?: string;
  url?: string;
}

export interface EntityDocument extends OwnValues {
  meta_tags?: MetaTags;
}

export interface Entity {
  id: string;
  /** The connector that the entity belongs to; empty when it belongs to the organization. */
  appId: string;
  uid: string;
  document: EntityDocument;
  createdAt: Date;
  updatedAt: Date;
}

/** The number of events with an entity, by name, and the number of users who like it now. */
export type EntityStats = EntityRecord["stats"];

/** An entity as the API shows it. A value that clients have not set is taken from the meta tags of its page. */
export function entityRecord(
  { id, appId, uid, document, createdAt, updatedAt }: Entity,
  stats: EntityStats,
): EntityRecord {
  const { meta_tags: metaTags = {}, ...own } = document;
  return {
    id,
    uid,
    name: own.name ?? metaTags.title ?? null,
    description: own.description ?? metaTags.description ?? null,
    picture: own.picture ?? metaTags.image ?? null,
    type: own.type ?? "entity",
    url: own.url ?? null,
    tags: own.tags ?? [],
    extra: own.extra ?? {},
    meta_tags: { ...metaTags },
    ...(appId === "" ? {} : { app_id: appId }),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    stats,
  };
}
