import { serve } from "@muster/connector";
import { createConnector } from "./create-connector.js";

await serve(createConnector({ port: process.env.PORT ?? 8096, sendErrorLogs: true }));
