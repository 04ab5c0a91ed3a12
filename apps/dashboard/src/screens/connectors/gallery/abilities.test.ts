import { expect, test } from "vitest";
import { abilities } from "./abilities.js";

test("a connector that subscribes to users of segments is told to get them", () => {
  const said = abilities({
    tags: ["batch"],
    private_settings: [{ name: "sign_in", format: "oauth", options: { name: "Birds" } }],
    subscriptions: [
      {
        url: "/n",
        conditions: { segments: { "user:update": "private_settings.segments" } },
        channels: [{ channel: "user:update" }],
      },
    ],
  });
  expect(said).toContain(
    "It is sent users with their attributes and events when they change, if they are in the segments that you choose.",
  );
  expect(said).toContain("You can send it whole segments at once.");
  expect(said).toContain("It asks you to sign in to Birds.");
  expect(said.join()).not.toContain("sent accounts");
});

test("a subscription without channels gets users and accounts", () => {
  expect(abilities({ subscriptions: [{ url: "/n" }] })).toHaveLength(3);
});

test("every connector can use the API", () => {
  expect(abilities({})).toHaveLength(1);
});
