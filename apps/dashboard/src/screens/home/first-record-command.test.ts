import { expect, test } from "vitest";
import { firstRecordCommand } from "./first-record-command.js";

const place = { url: "http://127.0.0.1:8080", namespace: "acme", brand: "Svc" };
const commandWith = (...connectorIds: string[]) => firstRecordCommand({ ...place, connectorIds });

test("an organization without connectors gets one first", () => {
  expect(commandWith().split("\n")[0]).toBe(
    "npx muster connector create Terminal --url http://127.0.0.1:8080 --org acme",
  );
});

test("the connector is named only when there are several", () => {
  expect(commandWith("1")).not.toContain("connector");
  expect(commandWith("1", "2")).toContain("--org acme --connector 1 --email ada@example.com");
});
