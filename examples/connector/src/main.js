import express from "express";
import { createConnector } from "./create-connector.js";

const connector = createConnector({ port: process.env.PORT ?? 8082, sendErrorLogs: true });
const app = express();
connector.setupApp(app);
connector.startApp(app).once("listening", () => console.log(`Listening on port ${process.env.PORT ?? 8082}.`));

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => connector.close());
