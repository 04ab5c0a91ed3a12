/** The test kit: a platform, a way to run a connector, and messages. */
export { type CallOptions, type ConnectorAnswer, callConnector, type Notice } from "./call-connector.js";
export { type FakePlatform, type FakePlatformOptions, startFakePlatform } from "./fake-platform.js";
export { accountMessage, segmentRecord, userMessage } from "./messages.js";
export type { ReceivedCall, ReceivedEntry } from "./platform-requests.js";
export { type RunningConnector, runConnector } from "./run-connector.js";
