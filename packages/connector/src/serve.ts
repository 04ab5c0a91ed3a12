import type { Server } from "node:http";
import express, { type Express } from "express";
import type { Connector } from "./connector.js";

/**
 * Runs a connector as a process: listens, runs the jobs of its queue, and shuts down cleanly on a signal.
 *
 * @example
 * await serve(new Connector({ handlers }));
 */
export async function serve(connector: Connector, addRoutes: (app: Express) => void = () => {}): Promise<Server> {
  const app = express();
  connector.setupApp(app);
  addRoutes(app);
  const server = connector.startApp(app);
  await connector.startWorker();
  const stop = () => void connector.close();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  server.once("listening", () => process.stdout.write(`Listening on ${addressText(server.address())}\n`));
  return server;
}

function addressText(address: ReturnType<Server["address"]>): string {
  if (address === null || typeof address === "string") return address ?? "-";
  return `http://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
}
