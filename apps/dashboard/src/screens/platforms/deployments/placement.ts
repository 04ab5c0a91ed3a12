import type { Settings } from "@muster/protocol/api/settings";

export const PLACEMENTS = [
  { value: "bottom", label: "At the end of the element" },
  { value: "top", label: "At the start of the element" },
  { value: "before", label: "Before the element" },
  { value: "after", label: "After the element" },
  { value: "replace", label: "Instead of the element" },
] as const;

/** Where the code of a connector goes on a page. */
export interface Placement {
  placement: string;
  selector: string;
  isMultiple: boolean;
}

export function readPlacement({ _placement, _selector, _multi }: Settings): Placement {
  return {
    placement: typeof _placement === "string" ? _placement : "bottom",
    selector: typeof _selector === "string" ? _selector : "body",
    isMultiple: _multi === true,
  };
}

export function writePlacement({ placement, selector, isMultiple }: Placement): Settings {
  return { _placement: placement, _selector: selector, _multi: isMultiple };
}

/** @example placementSentence(readPlacement({})) // "At the end of the first element that matches body" */
export function placementSentence({ placement, selector, isMultiple }: Placement): string {
  const where = PLACEMENTS.find(({ value }) => value === placement)?.label ?? "At the end of the element";
  const which = isMultiple ? `every element that matches ${selector}` : `the first element that matches ${selector}`;
  return where.replace("the element", which);
}
