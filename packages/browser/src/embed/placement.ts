export type Placement = "bottom" | "top" | "before" | "after" | "replace";

/** How the node of a connector is put in a page: inside an element, beside it or in place of its content. */
const PUT: Record<Placement, (node: Element, element: Element) => void> = {
  bottom: (node, element) => element.append(node),
  top: (node, element) => element.prepend(node),
  before: (node, element) => element.before(node),
  after: (node, element) => element.after(node),
  replace: (node, element) => element.replaceChildren(node),
};

export function place(node: Element, element: Element, placement: Placement): void {
  (PUT[placement] ?? PUT.bottom)(node, element);
}
