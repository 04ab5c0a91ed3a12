import type { AttentionItem } from "@muster/protocol/api/overview";

export interface AttentionAction {
  label: string;
  /** The address below that of the organization. */
  to:
    | "/o/$org/settings"
    | "/o/$org/connectors"
    | "/o/$org/connectors/$id"
    | "/o/$org/segments/$id"
    | "/o/$org/events"
    | "/o/$org/attributes"
    | "/o/$org/import";
  id?: string;
  tab?: string;
}

/** Where somebody does something about an item. */
export function actionOf({ kind, ids: [id = ""] }: Pick<AttentionItem, "kind" | "ids">): AttentionAction {
  switch (kind) {
    case "setup":
      return { label: "Set up", to: "/o/$org/connectors/$id", id, tab: "settings" };
    case "dead_letters":
      return { label: "Look at messages", to: "/o/$org/connectors/$id", id, tab: "deliveries" };
    case "connector":
    case "delivery":
      return { label: "Open connector", to: "/o/$org/connectors/$id", id };
    case "segment":
      return { label: "Fix segment", to: "/o/$org/segments/$id", id };
    case "rejected":
      return { label: "Look at records", to: "/o/$org/events", tab: "refused" };
    case "new_names":
      return id === "events"
        ? { label: "Look at events", to: "/o/$org/events" }
        : { label: "Look at attributes", to: "/o/$org/attributes" };
    case "job":
      return { label: "Look at jobs", to: "/o/$org/import" };
    case "stage":
    case "engine":
      return { label: "Look at health", to: "/o/$org/settings", tab: "health" };
  }
}
