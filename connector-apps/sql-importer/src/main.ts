import { bullmqQueue, serve } from "@muster/connector";
import { createConnector, IMPORTS_AT_ONCE } from "./create-connector.js";

const { PORT = "8094", REDIS_URL } = process.env;
const queue = REDIS_URL ? { queue: bullmqQueue({ connection: { url: REDIS_URL }, concurrency: IMPORTS_AT_ONCE }) } : {};

await serve(createConnector({ port: PORT, sendErrorLogs: true, ...queue }));
