import { ConfigurationError, type ConnectorRecord, type OAuthRequest } from "@muster/connector";
import { isObject, nonEmptyText, parseJson } from "@muster/protocol";
import { SETTING } from "../manifest/setting-names.js";
import { postForm } from "./post-form.js";

type Verify = (
  request: OAuthRequest,
  accessToken: string,
  refreshToken: string | undefined,
  params: Record<string, unknown>,
  profile: unknown,
  done: (error: unknown, account?: unknown) => void,
) => void;

interface AuthorizeOptions {
  state?: string;
  callbackURL?: string;
}

interface App {
  clientId: string;
  clientSecret: string;
  authorizationUrl: string;
  tokenUrl: string;
  scope: string | undefined;
}

/**
 * A strategy of Passport whose app is not fixed: each connector has its own client id, secret and addresses in its settings.
 * The published strategies are made for one app. Passport calls `authenticate` on an object that inherits from this one, so
 * there are no private fields.
 */
export class SignInStrategy {
  readonly name = "destination";
  protected readonly verify: Verify;
  // Passport gives each request these functions.
  declare readonly success: (account: unknown) => void;
  declare readonly fail: (challenge: unknown) => void;
  declare readonly redirect: (url: string) => void;
  declare readonly error: (error: unknown) => void;

  constructor(_options: object, verify: Verify) {
    this.verify = verify;
  }

  authenticate(request: OAuthRequest, { state, callbackURL = "" }: AuthorizeOptions = {}): void {
    // TikTok calls the code by another name.
    const code = nonEmptyText(request.query.code) ?? nonEmptyText(request.query.auth_code);
    const refusal = nonEmptyText(request.query.error_description) ?? nonEmptyText(request.query.error);
    try {
      const app = readApp(request.ctx.connector);
      if (refusal !== undefined) throw new Error(`The service refused: ${refusal}`);
      if (code === undefined) this.redirect(agreementUrl(app, callbackURL, state));
      else
        exchange(app, code, callbackURL).then(
          (tokens) =>
            passOn(this.verify, request, tokens, (error, account) => {
              if (error) this.error(error);
              else this.success(account);
            }),
          (error: unknown) => this.error(error),
        );
    } catch (error) {
      this.error(error);
    }
  }
}

function readApp({ private_settings: stored }: ConnectorRecord): App {
  const text = (name: string, title: string): string => {
    const value = nonEmptyText(stored[name]);
    if (value === undefined) throw new ConfigurationError(`Give the setting "${title}" first, and save it.`);
    return value;
  };
  return {
    clientId: text(SETTING.clientId, "Client id"),
    clientSecret: text(SETTING.clientSecret, "Client secret"),
    authorizationUrl: text(SETTING.authorizationUrl, "Address where people agree"),
    tokenUrl: text(SETTING.tokenUrl, "Address that gives tokens"),
    scope: nonEmptyText(stored[SETTING.scope]),
  };
}

/** Where the person is sent. The address of the settings may have parameters of its own. */
function agreementUrl({ authorizationUrl, clientId, scope }: App, callbackUrl: string, state = ""): string {
  const url = new URL(authorizationUrl);
  const parameters = { response_type: "code", client_id: clientId, redirect_uri: callbackUrl, state };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (scope !== undefined) url.searchParams.set("scope", scope);
  return url.href;
}

/** Services take the app's secret in the body, and most of them in the header too. */
async function exchange(
  { tokenUrl, clientId, clientSecret }: App,
  code: string,
  callbackUrl: string,
): Promise<Record<string, unknown>> {
  const { status, text } = await postForm(tokenUrl, {
    grant_type: "authorization_code",
    code,
    redirect_uri: callbackUrl,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const body = parseJson(text);
  const isDone = status >= 200 && status < 300;
  if (!isDone || !isObject(body)) throw new Error(`The service gave no token: it answered with status ${status}.`);
  return isObject(body.data) ? body.data : body;
}

function passOn(
  verify: Verify,
  request: OAuthRequest,
  tokens: Record<string, unknown>,
  done: (error: unknown, account?: unknown) => void,
): void {
  const accessToken = nonEmptyText(tokens.access_token) ?? nonEmptyText(tokens.token);
  if (accessToken === undefined) done(new Error("The answer of the service has no access token."));
  else verify(request, accessToken, nonEmptyText(tokens.refresh_token), tokens, undefined, done);
}
