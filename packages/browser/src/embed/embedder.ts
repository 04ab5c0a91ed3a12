import { ownValue } from "../own-value.js";
import { type Placement, place } from "./placement.js";

/** A connector with client-side code that is deployed on a platform. */
export interface Deployment {
  id: string;
  settings: { _selector?: string; _placement?: Placement; _multi?: boolean; [name: string]: unknown };
  ship: { id: string; name: string; index: string | null; purposes?: string[]; [field: string]: unknown };
  [field: string]: unknown;
}

export interface EmbedderOptions<Client> {
  document: Document;
  /** The attribute that names the connector on its script and on its nodes, for example `data-svc-ship`. */
  attribute: string;
  /** A client that acts for one connector. */
  clientFor(deployment: Deployment): Client;
  /** Whether the visitor has agreed to what the connector serves. */
  mayEmbed(deployment: Deployment): boolean;
  onProblem(message: string, error?: unknown): void;
}

const MAX_ATTEMPTS = 5;

export type EmbedCallback<Client> = (rootNode: Element, deployment: Deployment, client: Client) => unknown;

/**
 * Puts connectors in the page. A mutation observer notices elements that are added later, also when a single-page app
 * navigates. A connector whose node was removed is embedded again when its element is back.
 */
export class Embedder<Client> {
  readonly #options: EmbedderOptions<Client>;
  readonly #deployments = new Map<string, Deployment>();
  /** The nodes of each deployment, by the element that they are placed at. */
  readonly #placed = new Map<string, Map<Element, Element>>();
  /** How often a deployment was put at an element. Attempts are limited, because another script may remove it each time. */
  readonly #attempts = new Map<string, WeakMap<Element, number>>();
  /** The callbacks that the script of each connector has registered. */
  readonly #callbacks = new Map<string, EmbedCallback<Client>[]>();
  readonly #scripts = new Map<string, Promise<void>>();
  #observer: MutationObserver | undefined;

  constructor(options: EmbedderOptions<Client>) {
    this.#options = options;
  }

  /** Resolves when the scripts of all connectors that have an element in the page are loaded. */
  async embed(deployments: readonly Deployment[], { reset = false } = {}): Promise<void> {
    if (reset) this.reset();
    for (const deployment of deployments) this.#deployments.set(deployment.id, deployment);
    this.#observe();
    await this.#placeAll();
  }

  /** Places the connectors that may be embedded now, and takes the others out: the visitor may have agreed or withdrawn. */
  update(): void {
    this.#placeAll().catch((error: unknown) => this.#options.onProblem("Connectors were not embedded.", error));
  }

  /** Takes all connectors out of the page. Their scripts stay loaded. */
  reset(): void {
    this.#observer?.disconnect();
    this.#observer = undefined;
    for (const id of this.#deployments.keys()) this.#takeOut(id);
    this.#deployments.clear();
  }

  #takeOut(deploymentId: string): void {
    for (const node of this.#placed.get(deploymentId)?.values() ?? []) node.remove();
    this.#placed.delete(deploymentId);
    this.#attempts.delete(deploymentId);
  }

  /** Called by the script of a connector. `document.currentScript` tells which connector the callback belongs to. */
  onEmbed(callback: EmbedCallback<Client>): void {
    const { document, attribute } = this.#options;
    const shipId = document.currentScript?.getAttribute(attribute);
    if (!shipId) {
      this.#options.onProblem("Call onEmbed while the script of a connector first runs.");
      return;
    }
    this.#callbacks.set(shipId, [...(this.#callbacks.get(shipId) ?? []), callback]);
    for (const deployment of this.#deployments.values()) {
      if (deployment.ship.id !== shipId) continue;
      for (const node of this.#placed.get(deployment.id)?.values() ?? []) this.#call(callback, node, deployment);
    }
  }

  #observe(): void {
    if (this.#observer || this.#deployments.size === 0) return;
    let isDue = false;
    this.#observer = new MutationObserver(() => {
      if (isDue) return;
      isDue = true;
      // Mutations come in bursts: one check in the next frame covers all of them.
      requestAnimationFrame(() => {
        isDue = false;
        this.update();
      });
    });
    this.#observer.observe(this.#options.document.documentElement, { childList: true, subtree: true });
  }

  async #placeAll(): Promise<void> {
    const loading: Promise<void>[] = [];
    for (const deployment of this.#deployments.values()) {
      if (!this.#options.mayEmbed(deployment)) this.#takeOut(deployment.id);
      else if (this.#placeOne(deployment)) loading.push(this.#load(deployment));
    }
    await Promise.all(loading);
  }

  /** Whether the connector has a node in the page. */
  #placeOne(deployment: Deployment): boolean {
    const { settings } = deployment;
    const selector = ownValue(settings, "_selector") ?? "body";
    const placement = ownValue(settings, "_placement") ?? "bottom";
    const isMulti = ownValue(settings, "_multi") === true;
    const placed = this.#placed.get(deployment.id) ?? new Map<Element, Element>();
    this.#placed.set(deployment.id, placed);
    for (const [element, node] of placed) if (!node.isConnected) placed.delete(element);
    if (placed.size > 0 && !isMulti) return true;
    for (const element of this.#find(selector, isMulti)) {
      if (placed.has(element) || !this.#mayPlace(deployment.id, element)) continue;
      const node = this.#options.document.createElement("div");
      node.setAttribute(this.#options.attribute, deployment.ship.id);
      place(node, element, placement);
      placed.set(element, node);
      for (const callback of this.#callbacks.get(deployment.ship.id) ?? []) this.#call(callback, node, deployment);
    }
    return placed.size > 0;
  }

  #mayPlace(deploymentId: string, element: Element): boolean {
    const attempts = this.#attempts.get(deploymentId) ?? new WeakMap<Element, number>();
    this.#attempts.set(deploymentId, attempts);
    const made = attempts.get(element) ?? 0;
    attempts.set(element, made + 1);
    return made < MAX_ATTEMPTS;
  }

  #find(selector: string, isMulti: boolean): Element[] {
    const { document, onProblem } = this.#options;
    try {
      const found = [...document.querySelectorAll(selector)];
      return isMulti ? found : found.slice(0, 1);
    } catch {
      onProblem(`"${selector}" is not a selector.`);
      return [];
    }
  }

  /** Adds the script of a connector to the page, once. */
  #load({ ship }: Deployment): Promise<void> {
    const { document, attribute, onProblem } = this.#options;
    const { index } = ship;
    if (!index) return Promise.resolve();
    const loaded =
      this.#scripts.get(ship.id) ??
      new Promise<void>((resolve) => {
        const script = document.createElement("script");
        script.async = true;
        script.src = index;
        script.setAttribute(attribute, ship.id);
        script.addEventListener("load", () => resolve());
        script.addEventListener("error", () => {
          onProblem(`The script of the connector "${ship.name}" could not be loaded.`);
          resolve();
        });
        document.head.append(script);
      });
    this.#scripts.set(ship.id, loaded);
    return loaded;
  }

  #call(callback: EmbedCallback<Client>, node: Element, deployment: Deployment): void {
    try {
      callback(node, deployment, this.#options.clientFor(deployment));
    } catch (error) {
      this.#options.onProblem(`The connector "${deployment.ship.name}" failed on this page.`, error);
    }
  }
}
