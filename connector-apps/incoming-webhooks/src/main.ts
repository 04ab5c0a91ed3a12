import { randomBytes } from "node:crypto";
import { serve } from "@muster/connector";
import { closeSandbox } from "@muster/sandbox";
import { createConnector } from "./create-connector.js";

const { PORT = "8092", HOST_SECRET } = process.env;
if (HOST_SECRET === undefined)
  process.emitWarning("HOST_SECRET is not set: the addresses of webhooks stop working when this process ends.");
const hostSecret = HOST_SECRET ?? randomBytes(32).toString("hex");

await serve(createConnector({ port: PORT, hostSecret, sendErrorLogs: true }));
// Requests whose scripts run or wait are answered with 503, so that the process ends soon. Their senders may send them again.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void closeSandbox());
