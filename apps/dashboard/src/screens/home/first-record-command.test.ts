import { expect, test } from "vitest";
import { firstRecordCommand } from "./first-record-command.js";

const place = { url: "http://127.0.0.1:8080", namespace: "acme" };
const commandWith = (...connectorIds: string[]) => firstRecordCommand({ ...place, connectorIds }).split("\n");

test("an organization without connectors gets one first", () => {
  expect(commandWith().slice(0, 2)).toEqual([
    "npx muster connector create Terminal --url http://127.0.0.1:8080 --org acme",
    'eval "$(npx muster connector credentials Terminal --env --url http://127.0.0.1:8080 --org acme)"',
  ]);
});

test("otherwise the key of the first connector is used", () => {
  const first = 'eval "$(npx muster connector credentials 1 --env --url http://127.0.0.1:8080 --org acme)"';
  expect(commandWith("1", "2")[0]).toBe(first);
});
