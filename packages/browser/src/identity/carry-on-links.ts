import { guarded } from "../guarded.js";
import type { CarriedIds } from "./carried-ids.js";
import { isHostOf } from "./host-of-platform.js";

export interface CarryOptions {
  document: Document;
  /** The query parameter that carries the id. */
  parameter: string;
  /** The domains of the platform. Other sites must not learn the id. */
  domains: readonly string[];
  carried: CarriedIds;
  /** The id of the visitor; undefined when the visitor may not be recorded. */
  browserId(): string | undefined;
  /** Whether pages of a host have the ids of this browser anyway. */
  hasSameIds(hostname: string): boolean;
}

/** The event of a navigation, as far as it is used here. The types of some browsers do not have it yet. */
interface Navigation extends Event {
  navigationType: string;
  destination: { url: string };
  formData: FormData | null;
}

/** A navigation that a script has started waits no longer for the server. */
const HOLD_MS = 300;

/** The visitor is about to follow a link or to submit a form. */
const REACHED = ["pointerover", "pointerdown", "touchstart", "focusin"];
// `auxclick` is the middle button.
const FOLLOWED = ["click", "auxclick"];

/**
 * Adds the id of the visitor to links and forms that lead to other domains of the platform, at the moment when they are
 * followed, if the server has given one by then. Otherwise they stay as they are, and the visitor is new there.
 */
export function carryOnLinks(options: CarryOptions): void {
  const { document, parameter, carried } = options;

  /** An address, if it is on another domain of the platform. */
  const otherDomain = (address: string): URL | undefined => {
    const target = parsed(address, document);
    const isOther = target && target.host !== document.location.host && isHostOf(options.domains, target);
    return isOther ? target : undefined;
  };

  /** Where a link leads to. What it carries already was not put there by this library: somebody may have written it. */
  const targetOf = (link: HTMLAnchorElement): URL | undefined => {
    const target = otherDomain(link.href);
    if (target?.searchParams.has(parameter)) {
      target.searchParams.delete(parameter);
      link.href = target.href;
    }
    return target;
  };

  /** What this library has put into an address last. */
  let taken: string | undefined;
  const take = (browserId: string, host: string): string | undefined => {
    const value = carried.take(browserId, host);
    taken = value ?? taken;
    return value;
  };

  /** Calls back with the id of the visitor, if pages of the target do not have it anyway. */
  const forVisitor = (target: URL | undefined, use: (browserId: string, target: URL) => void) => {
    if (!target) return;
    const id = options.browserId();
    if (id !== undefined && !options.hasSameIds(target.hostname)) use(id, target);
  };

  const reach = (event: Event) => {
    const found = event.composedPath().find((node) => isLink(node) || leadsAway(node));
    const target = found && (isLink(found) ? targetOf(found) : otherDomain(actionOf(found as Element)));
    forVisitor(target, (id, { host }) => void carried.prepare(id, host));
  };

  const follow = (event: Event) => {
    const link = event.composedPath().find(isLink);
    if (!link) return;
    forVisitor(targetOf(link), (id, target) => {
      const value = take(id, target.host);
      if (value !== undefined) changeBriefly(link, "href", withParameter(target, parameter, value));
    });
  };

  const submit = (event: Event) => {
    const { target: form, submitter } = event as SubmitEvent;
    // When the default is prevented, a script of the page sends the form itself.
    if (!(form instanceof HTMLFormElement) || event.defaultPrevented) return;
    const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method") ?? "get";
    const isPost = method.toLowerCase() === "post";
    const element = submitter?.hasAttribute("formaction") ? submitter : form;
    forVisitor(otherDomain(actionOf(element)), (id, target) => {
      const value = take(id, target.host);
      if (value === undefined) return;
      if (isPost) changeBriefly(element, actionName(element), withParameter(target, parameter, value));
      else addBriefly(form, parameter, value);
    });
  };

  /**
   * A navigation by a script, or by a link that was followed before the server had answered. It waits for the answer, but not
   * long. Browsers without this event go on without the id.
   */
  const navigate = (event: Navigation) => {
    const { destination, cancelable, formData, navigationType } = event;
    if (!cancelable || formData || !/^(push|replace)$/.test(navigationType)) return;
    const target = otherDomain(destination.url);
    const carries = target?.searchParams.get(parameter);
    if (destination.url === passed || (carries != null && carries === taken)) return;
    if (target && carries != null) {
      // A script follows an address that somebody may have written. Without the parameter it comes here again.
      event.preventDefault();
      target.searchParams.delete(parameter);
      document.location.assign(target.href);
      return;
    }
    forVisitor(target, (id, to) => {
      event.preventDefault();
      const go = () => {
        const value = take(id, to.host);
        passed = destination.url;
        const address = value === undefined ? passed : withParameter(to, parameter, value);
        document.location[navigationType === "replace" ? "replace" : "assign"](address);
      };
      void Promise.race([carried.prepare(id, to.host), new Promise((resolve) => setTimeout(resolve, HOLD_MS))]).then(
        go,
      );
    });
  };
  /** The address of a navigation that waited and now goes on without an id. */
  let passed: string | undefined;

  const listen = (names: readonly string[], capture: boolean, listener: (event: Event) => void) => {
    // Guarded, because a field of a form may have the name of a method of the form.
    const safely = (event: Event) => guarded(() => listener(event));
    for (const name of names) document.addEventListener(name, safely, { capture, passive: true });
  };
  // Before the handlers of the page, which may stop the event.
  listen(REACHED, true, reach);
  listen(FOLLOWED, true, follow);
  // After the handlers of the page, which may send the form themselves.
  listen(["submit"], false, submit);
  const { navigation } = window as { navigation?: EventTarget };
  navigation?.addEventListener("navigate", (event) => guarded(() => navigate(event as Navigation)));
}

/** Removes a parameter from the address of the page, so that nobody copies it. Returns its value. */
export function takeParameter(page: Window, name: string): string | undefined {
  const address = new URL(page.location.href);
  const value = address.searchParams.get(name);
  if (value === null) return undefined;
  address.searchParams.delete(name);
  try {
    page.history.replaceState(page.history.state, "", address.href);
  } catch {
    // A page in a sandbox may not change its address.
  }
  return value;
}

/** Whether an element is a form, or a button that submits one to an address of its own. */
function leadsAway(node: EventTarget): boolean {
  return node instanceof HTMLFormElement || (node instanceof Element && node.hasAttribute("formaction"));
}

function actionName(element: Element): string {
  return element instanceof HTMLFormElement ? "action" : "formaction";
}

function actionOf(element: Element): string {
  return element.getAttribute(actionName(element)) ?? "";
}

function isLink(node: EventTarget): node is HTMLAnchorElement {
  return node instanceof HTMLAnchorElement && node.href !== "";
}

function parsed(address: string, { baseURI }: Document): URL | undefined {
  try {
    const url = new URL(address, baseURI);
    return /^https?:$/.test(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** As text, because `searchParams` would also write the other parameters in another way. */
function withParameter(target: URL, name: string, value: string): string {
  const address = new URL(target);
  address.search += `${address.search === "" ? "?" : "&"}${name}=${value}`;
  return address.href;
}

/** Changes an attribute until the browser has read it, so that an address which is copied later carries nothing. */
function changeBriefly(element: Element, name: string, value: string): void {
  const before = element.getAttribute(name) ?? "";
  element.setAttribute(name, value);
  setTimeout(() => {
    if (element.getAttribute(name) === value) element.setAttribute(name, before);
  });
}

/** A form with the method GET replaces the query string of its address. */
function addBriefly(form: HTMLFormElement, name: string, value: string): void {
  const field = Object.assign(form.ownerDocument.createElement("input"), { type: "hidden", name, value });
  form.append(field);
  setTimeout(() => field.remove());
}
