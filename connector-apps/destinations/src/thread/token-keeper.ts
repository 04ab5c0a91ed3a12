import type { OAuthTokens, RefreshedTokens, RunnableDestination } from "../package/definition.js";

type Refresh = RunnableDestination["refreshAccessToken"];

interface Kept {
  access_token: string;
  refresh_token: string | undefined;
  /** The access tokens that these ones replace. */
  replaced: ReadonlySet<string>;
}

/** The newest tokens of each connector, and the refresh that runs. */
export class TokenKeeper {
  readonly #newest = new Map<string, Kept>();
  readonly #running = new Map<string, Promise<RefreshedTokens | undefined>>();
  readonly #tell: (connectorId: string, tokens: OAuthTokens) => void;

  /** `tell` is called with new tokens, before anything uses them. */
  constructor(tell: (connectorId: string, tokens: OAuthTokens) => void) {
    this.#tell = tell;
  }

  /** The tokens to begin with. Those that a person got by signing in again replace those that were refreshed before. */
  tokensFor(connectorId: string, given: OAuthTokens | undefined): OAuthTokens | undefined {
    if (given === undefined) return undefined;
    const newest = this.#newest.get(connectorId);
    if (!newest?.replaced.has(given.access_token ?? "")) return { ...given };
    return { ...given, ...tokensOf(newest) };
  }

  /**
   * Makes a destination refresh once for all calls of a connector: a service takes a refresh token only once, and a call that
   * started with an older access token gets the newest one.
   */
  refreshOnce(connectorId: string, given: OAuthTokens, refresh: Refresh): Refresh {
    return async (settings, used, synchronize) => {
      const newest = this.#newest.get(connectorId);
      if (newest?.replaced.has(used.accessToken ?? "")) {
        const { access_token: accessToken, refresh_token: refreshToken } = newest;
        return { accessToken, ...(refreshToken === undefined ? {} : { refreshToken }) };
      }
      const running = this.#running.get(connectorId);
      if (running) return running;
      const started = refresh(settings, used, synchronize).then((refreshed) => {
        if (refreshed) this.#keep(connectorId, given, used.accessToken, refreshed);
        return refreshed;
      });
      this.#running.set(connectorId, started);
      try {
        return await started;
      } finally {
        this.#running.delete(connectorId);
      }
    };
  }

  #keep(connectorId: string, given: OAuthTokens, usedToken: string | undefined, refreshed: RefreshedTokens): void {
    const before = this.#newest.get(connectorId);
    const kept: Kept = {
      access_token: refreshed.accessToken,
      refresh_token: refreshed.refreshToken ?? before?.refresh_token ?? given.refresh_token,
      replaced: new Set([...(before?.replaced ?? []), usedToken ?? ""]),
    };
    this.#newest.set(connectorId, kept);
    this.#tell(connectorId, tokensOf(kept));
  }
}

function tokensOf({ access_token, refresh_token }: Kept): OAuthTokens {
  return { access_token, ...(refresh_token === undefined ? {} : { refresh_token }) };
}
