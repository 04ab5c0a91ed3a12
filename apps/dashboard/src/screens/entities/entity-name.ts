import type { Entity } from "@muster/protocol/api/entities";

/** What people call an entity. */
export function entityName({ name, uid, id }: Pick<Entity, "name" | "uid" | "id">): string {
  return [name, uid].find((text) => text) ?? id;
}
