import type { ViewDefinition } from "@muster/protocol/api/views";

export type View = ViewDefinition & { id: number; createdAt: Date; updatedAt: Date };
