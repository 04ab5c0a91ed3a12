import { carryId, isHostOf } from "./carried-id.js";

export interface CarryOptions {
  document: Document;
  /** The query parameter that carries the id. */
  parameter: string;
  /** The domains of the platform. Other sites must not learn the id. */
  domains: readonly string[];
  /** The id of the visitor; undefined when the visitor may not be recorded. */
  visitorId(): string | undefined;
  now(): number;
}

/** Adds the id of the visitor to links to the other domains of the platform, at the moment when one is followed. */
export function carryOnLinks({ document, parameter, domains, visitorId, now }: CarryOptions): void {
  const carry = (event: Event) => {
    const link = linkOf(event);
    if (!link || link.hostname === document.location.hostname || !isHostOf(domains, link.hostname)) return;
    const id = visitorId();
    if (id === undefined) return;
    const address = new URL(link.href);
    address.searchParams.set(parameter, carryId(id, now()));
    link.href = address.href;
  };
  // Before the handlers of the page, which may stop the event. `auxclick` is the middle button.
  for (const name of ["click", "auxclick"]) document.addEventListener(name, carry, { capture: true, passive: true });
}

/** The link that was clicked, also inside a shadow DOM. */
function linkOf(event: Event): HTMLAnchorElement | undefined {
  const found = event.composedPath().find((target) => target instanceof HTMLAnchorElement && target.href !== "");
  const link = found as HTMLAnchorElement | undefined;
  return link && /^https?:$/.test(link.protocol) ? link : undefined;
}

/** Removes a parameter from the address of the page, so that a copied address does not carry the visitor's id. */
export function dropParameter(page: Window, name: string): void {
  const address = new URL(page.location.href);
  if (!address.searchParams.has(name)) return;
  address.searchParams.delete(name);
  try {
    page.history.replaceState(page.history.state, "", address.href);
  } catch {
    // A page in a sandbox may not change its address.
  }
}
