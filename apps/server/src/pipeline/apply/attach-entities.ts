import type { Outcome, Rejection } from "../../domain/apply/entry-application.js";
import type { EntityReference } from "../../domain/entities/entity-reference.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { ensureEntities, findVisible } from "../../storage/postgres/objects/entities.js";

interface WantedEntity {
  appId: string;
  uid: string;
  url: string | undefined;
}

/**
 * Adds to the events of a micro-batch the entities they act on. An entity that is named by its own id for the first
 * time is created; for end users only until the organization has half of `maxEntities`, so that they leave room for
 * connectors. An event whose entity cannot be found is kept without it, and its entry is listed as rejected.
 */
export async function attachEntities(
  tx: Transaction,
  organizationId: string,
  outcome: Outcome,
  maxEntities: number,
): Promise<void> {
  const acting = [...outcome.events.values()].filter(({ acts }) => acts);
  if (acting.length === 0) return;
  const byUid = new Map<string, WantedEntity>();
  const byUidOfEndUsers = new Map<string, WantedEntity>();
  const byId = new Map<string, { appId: string; id: string }>();
  for (const { acts } of acting) {
    if (!acts) continue;
    const appId = acts.entry.connectorId;
    if (acts.on.kind === "uid") {
      const wanted = acts.entry.byEndUser ? byUidOfEndUsers : byUid;
      wanted.set(`${appId} ${acts.on.uid}`, { appId, uid: acts.on.uid, url: acts.on.url });
    }
    if (acts.on.kind === "id") byId.set(`${appId} ${acts.on.id}`, { appId, id: acts.on.id });
  }
  const maxOfEndUsers = Math.floor(maxEntities / 2);
  const ensured = new Map([
    ...(await ensureEntities(tx, organizationId, [...byUid.values()], maxEntities)),
    ...(await ensureEntities(tx, organizationId, [...byUidOfEndUsers.values()], maxOfEndUsers)),
  ]);
  const visible = await findVisible(tx, organizationId, [...byId.values()]);

  for (const event of acting) {
    if (!event.acts) continue;
    const { on, entry } = event.acts;
    const id = on.kind === "uid" ? ensured.get(`${entry.connectorId} ${on.uid}`) : on.kind === "id" ? on.id : undefined;
    if (id !== undefined && (on.kind === "uid" || visible.has(`${entry.connectorId} ${id}`))) {
      event.entityId = id;
      continue;
    }
    const [code, reason] = whyMissing(
      on,
      entry.byEndUser
        ? `events of end users create none when the organization has ${maxOfEndUsers} or more`
        : `the organization may have no more than ${maxEntities}`,
    );
    outcome.rejections.push({ entry, code, message: `${reason} The event was kept without it.` });
  }
}

function whyMissing(on: EntityReference, limit: string): [Rejection["code"], string] {
  switch (on.kind) {
    case "unusable":
      return ["invalid_entry", on.reason];
    case "id":
      return ["not_found", `There is no entity "${on.id}".`];
    case "uid":
      return ["not_found", `There is no entity "${on.uid}", and ${limit}.`];
  }
}
