import { createId } from "@muster/protocol";
import type { Entity, EntityDocument, MetaTags } from "../../../domain/entities/entity-record.js";
import type { Database, Queryable, Transaction } from "../database.js";
import { type Page, readPage } from "../read-page.js";
import { compileEntityFilter } from "./entity-filter.js";

const COLUMNS = `id, app_id as "appId", uid, document, created_at as "createdAt", updated_at as "updatedAt"`;

/** The channel that notifies of entities whose page must be read. */
export const ENTITIES_CHANNEL = "muster_entities";

// The second parameter is the connector that reads: it sees its own entities and those of the organization. The operator
// reads without a connector (null) and sees all.
const VISIBLE = "($2::text is null or app_id in ('', $2))";

/** Stores an entity. Returns undefined when the connector already has one with this uid. */
export async function createEntity(
  database: Database,
  organizationId: string,
  { appId, uid, document }: { appId: string; uid: string | undefined; document: EntityDocument },
): Promise<Entity | undefined> {
  const id = createId("entity");
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<Entity>(
      `insert into entities (organization_id, id, app_id, uid, document, fetch_at)
       values ($1, $2, $3, $4, $5::text::jsonb, case when $6 then now() end)
       on conflict (organization_id, uid, app_id) do nothing
       returning ${COLUMNS}`,
      [organizationId, id, appId, uid ?? id, JSON.stringify(document), document.url !== undefined],
    );
    if (document.url !== undefined) await announce(tx);
    return rows[0];
  });
}

export async function findEntity(
  database: Queryable,
  organizationId: string,
  readerConnectorId: string | undefined,
  id: string,
): Promise<Entity | undefined> {
  const { rows } = await database.query<Entity>(
    `select ${COLUMNS} from entities where organization_id = $1 and ${VISIBLE} and id = $3`,
    [organizationId, readerConnectorId, id],
  );
  return rows[0];
}

/** A page of the entities that match a `where`, the oldest first. */
export async function listEntities(
  database: Queryable,
  organizationId: string,
  readerConnectorId: string | undefined,
  where: unknown,
  page: Page,
): Promise<{ total: number; entities: Entity[] }> {
  const values: unknown[] = [organizationId, readerConnectorId];
  const condition = compileEntityFilter(where, (value) => `$${values.push(value)}`);
  const from = `entities where organization_id = $1 and ${VISIBLE} and ${condition}`;
  const { total, rows } = await readPage<Entity>(database, { columns: COLUMNS, from, orderBy: "id", values }, page);
  return { total, entities: rows };
}

/** Stores a new document. If the address has changed (`isMoved`), its page is read again. */
export async function updateEntity(
  database: Database,
  organizationId: string,
  id: string,
  document: EntityDocument,
  isMoved: boolean,
): Promise<Entity | undefined> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<Entity>(
      `update entities
       set document = $3::text::jsonb, updated_at = now(),
           fetch_at = case when $4 then case when $5 then now() end else fetch_at end,
           fetch_attempts = case when $4 then 0 else fetch_attempts end
       where organization_id = $1 and id = $2
       returning ${COLUMNS}`,
      [organizationId, id, JSON.stringify(document), isMoved, document.url !== undefined],
    );
    if (isMoved && document.url !== undefined) await announce(tx);
    return rows[0];
  });
}

export async function removeEntity(
  database: Queryable,
  organizationId: string,
  readerConnectorId: string | undefined,
  id: string,
): Promise<boolean> {
  const { rowCount } = await database.query(
    `delete from entities where organization_id = $1 and ${VISIBLE} and id = $3`,
    [organizationId, readerConnectorId, id],
  );
  return rowCount === 1;
}

/** Which of the given entities their connectors can see, each as the text `connectorId entityId`. */
export async function findVisible(
  tx: Queryable,
  organizationId: string,
  wanted: readonly { appId: string; id: string }[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set();
  const { rows } = await tx.query<{ key: string }>(
    `select r.app_id || ' ' || e.id as key
     from unnest($2::text[], $3::text[]) as r (app_id, id)
     join entities e on e.organization_id = $1 and e.id = r.id and e.app_id in ('', r.app_id)`,
    [organizationId, wanted.map(({ appId }) => appId), wanted.map(({ id }) => id)],
  );
  return new Set(rows.map(({ key }) => key));
}

/**
 * Finds or creates entities by uid. Returns their ids by the text `connectorId uid`. The connector's own entity is
 * preferred, then that of the organization; if there is neither, one is created for the connector, unless the
 * organization has `maxEntities`.
 */
export async function ensureEntities(
  tx: Transaction,
  organizationId: string,
  wanted: readonly { appId: string; uid: string; url: string | undefined }[],
  maxEntities: number,
): Promise<Map<string, string>> {
  if (wanted.length === 0) return new Map();
  const apps = wanted.map(({ appId }) => appId);
  const uids = wanted.map(({ uid }) => uid);
  const { rowCount } = await tx.query(
    `insert into entities (organization_id, id, app_id, uid, document, fetch_at)
     select $1, id, app_id, uid, document::jsonb, case when document <> '{}' then now() end
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as r (id, app_id, uid, document)
     where not exists (
       select from entities e
       where e.organization_id = $1 and e.uid = r.uid and e.app_id in ('', r.app_id)
     )
     limit greatest($6 - (select coalesce(max(count), 0) from object_counts where organization_id = $1 and kind = 'entity'), 0)
     on conflict (organization_id, uid, app_id) do nothing`,
    [
      organizationId,
      wanted.map(() => createId("entity")),
      apps,
      uids,
      wanted.map(({ url }) => JSON.stringify(url === undefined ? {} : { url })),
      maxEntities,
    ],
  );
  if (rowCount) await announce(tx);
  const { rows } = await tx.query<{ key: string; id: string }>(
    `select r.app_id || ' ' || r.uid as key, e.id
     from unnest($2::text[], $3::text[]) as r (app_id, uid)
     join entities e on e.organization_id = $1 and e.uid = r.uid and e.app_id in ('', r.app_id)
     order by e.app_id`,
    [organizationId, apps, uids],
  );
  // The organization's entity has an empty `app_id` and comes first, so the connector's own overwrites it.
  return new Map(rows.map(({ key, id }) => [key, id]));
}

/** An entity whose page must be read. */
export interface UnreadEntity {
  organizationId: string;
  id: string;
  url: string;
  attempts: number;
}

/** Takes the entity whose page is due first, but none of these organizations. After five minutes another process may take it. */
export async function takeUnread(
  database: Queryable,
  withoutOrganizations: readonly string[],
): Promise<UnreadEntity | undefined> {
  const { rows } = await database.query<UnreadEntity>(
    `update entities
     set fetch_at = now() + interval '5 minutes', fetch_attempts = fetch_attempts + 1
     where (organization_id, id) = (
       select organization_id, id
       from entities
       where fetch_at <= now() and organization_id <> all($1::text[])
         and exists (select from organizations o where o.id = entities.organization_id and o.enabled)
       order by fetch_at
       limit 1
       for update skip locked
     )
     returning organization_id as "organizationId", id, document ->> 'url' as url, fetch_attempts as attempts`,
    [withoutOrganizations],
  );
  return rows[0];
}

/** Stores the meta tags of a page, unless the address of the entity has changed meanwhile. */
export async function saveMetaTags(
  database: Queryable,
  { organizationId, id, url }: UnreadEntity,
  metaTags: MetaTags,
): Promise<void> {
  await database.query(
    `update entities
     set document = document || jsonb_build_object('meta_tags', $4::text::jsonb), fetch_at = null, updated_at = now()
     where organization_id = $1 and id = $2 and document ->> 'url' = $3`,
    [organizationId, id, url, JSON.stringify(metaTags)],
  );
}

/** Postpones reading a page, or cancels it when `seconds` is undefined. */
export async function postponeUnread(
  database: Queryable,
  { organizationId, id, url }: UnreadEntity,
  seconds: number | undefined,
): Promise<void> {
  await database.query(
    `update entities
     set fetch_at = now() + make_interval(secs => $4)
     where organization_id = $1 and id = $2 and document ->> 'url' = $3`,
    [organizationId, id, url, seconds ?? null],
  );
}

async function announce(tx: Transaction): Promise<void> {
  await tx.query(`notify ${ENTITIES_CHANNEL}`);
}
