import { userMessage } from "@muster/connector/testing";
import { expect, it } from "vitest";
import { itRefusesStrangers } from "../../testing/refuses-strangers.js";
import { setUpConnector } from "../../testing/set-up-connector.js";
import { createConnector } from "./create-connector.js";

const connector = setUpConnector(createConnector);

it("takes most users, skips those without an address and refuses some, each with its answer", async () => {
  const users = [
    { email: "ada@example.com", traits_country: "France", traits_name: "Ada" },
    { email: "bob@example.com", traits_country: "Italy" },
    { email: "cid@example.com", traits_name: "Bartholomew Fitzgerald" },
    { traits_name: "Dan" },
  ];
  const messages = users.map((user, n) =>
    userMessage({ message_id: `message-${n}`, user: { id: `0198c2a4f1d010a1b2c3d4e${n}`, ...user } }),
  );
  const { body } = await connector.notify("user:update", ...messages);
  expect(body).toMatchObject({
    results: [
      { message_id: "message-0", result: "accepted", status: 201 },
      { result: "refused", status: 422, body: expect.stringContaining("Italy") },
      { result: "refused", status: 400, body: expect.stringContaining("too long") },
      { result: "skipped" },
    ],
  });
});

itRefusesStrangers(connector);
