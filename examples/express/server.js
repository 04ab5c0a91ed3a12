// A shop on Express that tells Muster about its customers and orders, and takes webhooks about them.
//
//   eval "$(npx muster connector credentials API --env)"
//   WEBHOOK_SECRET=… node examples/express/server.js

import express from "express";
import { createMuster } from "./muster.js";
import { readWebhook } from "./read-webhook.js";

const { PORT = "8082", WEBHOOK_SECRET = "" } = process.env;
const muster = createMuster();
const app = express();

app.post("/signup", express.json(), async (request, response) => {
  const { id, email, name, plan } = request.body;
  // Resolves when Muster has the record on disk. Answer your own customer without waiting where that is enough.
  await muster.asUser({ external_id: id, email }).traits({ name, plan, signed_up_at: new Date() });
  response.status(201).json({ id });
});

app.post("/orders", express.json(), async (request, response) => {
  const { id, customer, total } = request.body;
  const user = muster.asUser({ external_id: customer });
  // With the id of the order as `event_id`, an order that is sent twice is stored once.
  await user.track("Order placed", { order: id, total }, { event_id: `order-${id}`, source: "shop" });
  await user.traits({ orders: { operation: "inc", value: 1 } });
  response.status(201).json({ id });
});

// The signature is about the bytes of the body, so the body is not parsed before.
app.post("/webhooks", express.raw({ type: "*/*", limit: "5mb" }), (request, response) => {
  const webhook = readWebhook(request.body, request.get("x-signature"), WEBHOOK_SECRET);
  if (!webhook) {
    response.status(401).json({ error: "The signature is missing or wrong." });
    return;
  }
  console.log(`webhook ${webhook.kind} ${webhook.segment?.name ?? ""} ${webhook.user?.email ?? ""}`);
  response.status(204).end();
});

const server = app.listen(Number(PORT), "127.0.0.1", () => console.log(`The shop is at http://127.0.0.1:${PORT}`));

process.on("SIGTERM", async () => {
  server.close();
  // What is queued is sent before the process ends.
  await muster.flush();
});
