import type { Connector, ConnectorOptions } from "@muster/connector";
import {
  type CallOptions,
  type ConnectorAnswer,
  type FakePlatform,
  type FakePlatformOptions,
  type RunningConnector,
  runConnector,
  startFakePlatform,
} from "@muster/connector/testing";
import { afterEach, beforeEach } from "vitest";

export interface ConnectorUnderTest {
  readonly platform: FakePlatform;
  /** The address that the connector listens on. */
  readonly url: string;
  /** The connector's settings as Muster stores them. */
  readonly settings: Record<string, unknown>;
  /** Sends a signed notification to the connector. */
  notify(channel: string, ...messages: object[]): Promise<ConnectorAnswer>;
  /** Calls a path of the connector with the credentials in the query. */
  call(path: string, options?: CallOptions): Promise<ConnectorAnswer>;
  /** What the connector answers to a status check. */
  status(): Promise<unknown>;
  /** The answer to a status check once the connector has these settings and no others. */
  statusWith(settings: Record<string, unknown>): Promise<unknown>;
}

const OPTIONS: ConnectorOptions = {
  port: 0,
  hostSecret: "the host secret of the tests",
  clientConfig: { onLog: () => {} },
  sendErrorLogs: true,
};

/**
 * Starts a fake platform and the connector before each test of the file, and closes both after it. `platformOptions` is
 * called before each test, so that it can use what earlier `beforeEach` hooks have prepared.
 */
export function setUpConnector(
  createConnector: (options: ConnectorOptions) => Connector,
  platformOptions: () => FakePlatformOptions = () => ({}),
): ConnectorUnderTest {
  let platform: FakePlatform;
  let running: RunningConnector;
  beforeEach(async () => {
    platform = await startFakePlatform(platformOptions());
    const connector = createConnector({ ...OPTIONS, organizations: [platform.url] });
    running = await runConnector(connector);
    await connector.startWorker();
    await platform.install(running.url);
  });
  afterEach(async () => {
    await running.close();
    await platform.close();
  });

  const connector: ConnectorUnderTest = {
    get platform() {
      return platform;
    },
    get url() {
      return running.url;
    },
    get settings() {
      return platform.connector.private_settings;
    },
    notify: (channel, ...messages) => platform.notify(`${running.url}/smart-notifier`, { channel, messages }),
    call: (path, options) => platform.call(running.url + path, options),
    status: async () => (await connector.call("/status", { body: {} })).body,
    async statusWith(settings) {
      platform.connector.private_settings = settings;
      await connector.notify("ship:update");
      return connector.status();
    },
  };
  return connector;
}
