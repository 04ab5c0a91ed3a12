import { AsyncLocalStorage } from "node:async_hooks";
import type { Mapping } from "../mapping/mapping.js";
import type {
  Core,
  Definition,
  OAuthTokens,
  RunnableDestination,
  ServiceResponse,
  Triggers,
} from "../package/definition.js";
import type { DestinationPackage } from "../package/destination-package.js";
import type { Account } from "./calls.js";
import { payloadOf } from "./payload-of.js";
import { TokenKeeper } from "./token-keeper.js";

/** Runs one destination: the code of the package, with what it needs for each call. */
export class DestinationRunner {
  readonly definition: Definition;
  readonly core: Core;
  readonly triggers: Triggers;
  /** The last answer of the service in the work that runs. */
  readonly answers = new AsyncLocalStorage<{ last?: ServiceResponse }>();
  readonly #tokens: TokenKeeper;
  readonly #checker: RunnableDestination;

  constructor(
    installed: DestinationPackage,
    name: string,
    tellTokens: (connectorId: string, tokens: OAuthTokens) => void,
  ) {
    this.core = installed.core;
    this.triggers = installed.triggers;
    this.definition = installed.load(name);
    this.#tokens = new TokenKeeper(tellTokens);
    this.#checker = new this.core.Destination(this.definition);
  }

  /** The destination with the settings of a connector. Each call has one of its own, since the package collects answers in it. */
  open({ connectorId, settings, tokens: given }: Account): {
    destination: RunnableDestination;
    settings: Record<string, unknown>;
  } {
    const destination = new this.core.Destination(this.definition);
    for (const action of Object.values(destination.actions)) {
      action.on("response", (response) => {
        const store = this.answers.getStore();
        if (store && response) store.last = response;
      });
    }
    const tokens = this.#tokens.tokensFor(connectorId, given);
    if (!tokens) return { destination, settings: { ...settings } };
    const refresh = destination.refreshAccessToken.bind(destination);
    destination.refreshAccessToken = this.#tokens.refreshOnce(connectorId, tokens, refresh);
    return { destination, settings: { ...settings, oauth: { ...tokens } } };
  }

  isTriggered({ trigger }: Mapping, event: object): boolean {
    const parsed = this.triggers.parseFql(trigger);
    return parsed.error === undefined && this.triggers.validate(parsed, event);
  }

  payload(mapping: Mapping, event: Parameters<typeof payloadOf>[4]): ReturnType<typeof payloadOf> {
    return payloadOf(this.core, this.definition, this.#checker, mapping, event);
  }
}
