import { useUrlState } from "../../ui/state/use-url-state.js";

/** What the panel at the side can show. */
export type PanelKind = "attribute" | "item" | "identity" | "why";

export interface Panel {
  kind: PanelKind;
  /** What it is about: the name of an attribute, the id of an item or of a segment. */
  about: string;
}

const KINDS: readonly string[] = ["attribute", "item", "identity", "why"] satisfies PanelKind[];

/** The open panel, which is in the address. */
export function usePanel(): [Panel | undefined, (panel: Panel | undefined) => void] {
  const [text, setText] = useUrlState("panel");
  const colon = text.indexOf(":");
  const kind = colon === -1 ? text : text.slice(0, colon);
  // The list above has all kinds.
  const panel = KINDS.includes(kind)
    ? { kind: kind as PanelKind, about: colon === -1 ? "" : text.slice(colon + 1) }
    : undefined;
  return [panel, (next) => setText(next && (next.about === "" ? next.kind : `${next.kind}:${next.about}`))];
}
