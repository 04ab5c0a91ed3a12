import { fileURLToPath } from "node:url";
import { Connector, type ConnectorOptions, type Context } from "@muster/connector";
import type { AccountUpdateMessage, UserUpdateMessage } from "@muster/protocol";
import { readRecord } from "../catalogue.js";
import { accountEvents } from "../events/account-events.js";
import { userEvents } from "../events/user-events.js";
import { manifestOf } from "../manifest/manifest-of.js";
import { SETTING } from "../manifest/setting-names.js";
import { SignInStrategy } from "../oauth/sign-in-strategy.js";
import { deliver } from "./deliver.js";
import type { DestinationHost } from "./destination-host.js";
import { destinationEndpoints } from "./endpoints.js";
import { findAudiences } from "./find-audiences.js";
import { readAccount, readAudienceSettings } from "./read-account.js";
import { statusOf } from "./status-of.js";

const VIEWS = { login: "sign-in.html", home: "sign-in.html", failure: "sign-in.html", success: "sign-in.html" };

/** The connector of one destination. */
export function createDestination(host: DestinationHost, name: string, options: ConnectorOptions = {}): Connector {
  const record = readRecord(host.folder, name);
  if (!record) throw new Error(`The destination "${name}" is not installed.`);

  async function userUpdate(ctx: Context, messages: UserUpdateMessage[]): Promise<void> {
    const account = open(ctx);
    const audiences = await findAudiences(ctx, host, record!, account);
    const audienceSettings = readAudienceSettings(ctx.connector, record!);
    const settings = { audiences, audienceSettings, isBatch: ctx.isBatch, now: new Date() };
    const said = messages.map((message) => ({
      message,
      subject: message.user.id,
      events: userEvents(message, settings),
    }));
    await deliver(ctx, host, record!, account, said);
  }

  async function accountUpdate(ctx: Context, messages: AccountUpdateMessage[]): Promise<void> {
    const said = messages.map((message) => ({
      message,
      subject: message.account.id,
      events: accountEvents(message, { isBatch: ctx.isBatch, now: new Date() }),
    }));
    await deliver(ctx, host, record!, open(ctx), said);
  }

  /** The settings of the authentication. Tokens that are refreshed meanwhile are stored. */
  function open(ctx: Context) {
    host.threads.onTokens(ctx.connector.id, (tokens) => void saveTokens(ctx, tokens));
    return readAccount(ctx.connector, record!);
  }

  return new Connector({
    manifest: manifestOf(record),
    directory: fileURLToPath(new URL("../../", import.meta.url)),
    handlers: {
      subscriptions: {
        userUpdate,
        accountUpdate,
        // The subscription makes new settings take effect at once. There is nothing else to do.
        shipUpdate: () => {},
      },
      json: destinationEndpoints(host, record),
      statuses: { status: (ctx) => statusOf(ctx, host, record) },
      ...(record.scheme === "oauth2"
        ? {
            oauth: {
              oauth: {
                Strategy: SignInStrategy as never,
                options: {},
                views: VIEWS,
                tokenInUrl: false,
                isSetup: async ({ ctx }) => ({
                  isSignedIn: ctx.connector.private_settings[SETTING.oauthTokens] != null,
                }),
                onAuthorize: async ({ ctx, account }) =>
                  saveTokens(ctx, { access_token: account?.accessToken, refresh_token: account?.refreshToken }),
              },
            },
          }
        : {}),
    },
    ...options,
  });
}

async function saveTokens(ctx: Context, tokens: object): Promise<void> {
  await ctx.helpers.updateSettings({ [SETTING.oauthTokens]: tokens });
}
