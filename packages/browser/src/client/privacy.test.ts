import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.js";
import { Privacy } from "./privacy.js";

const open = (navigator: object = {}, storage = new MemoryStorage()) => ({
  storage,
  privacy: new Privacy("consent", storage, navigator as Navigator),
});
const [ASKS, FOLLOWS] = [{ settings: { consent: "required" as const } }, { settings: { respect_dnt: true } }];

describe("the permission to record a visitor", () => {
  test.each([
    ["no settings", { settings: {} }, {}, "granted"],
    ["consent required", ASKS, {}, "unknown"],
    ["a wish not to be tracked that is not followed", { settings: {} }, { globalPrivacyControl: true }, "granted"],
    ["Global Privacy Control", FOLLOWS, { globalPrivacyControl: true }, "denied"],
    ["Do Not Track", FOLLOWS, { doNotTrack: "1" }, "denied"],
    ["no wish", FOLLOWS, { doNotTrack: "unspecified" }, "granted"],
  ])("with %s", (_name, app, navigator, expected) => {
    expect(open(navigator).privacy.permission(app)).toBe(expected);
  });

  test("is what the visitor has said", () => {
    const { privacy } = open();
    privacy.remember("granted");
    expect(privacy.permission(ASKS)).toBe("granted");
    privacy.remember("denied");
    expect(privacy.permission({ settings: {} })).toBe("denied");
  });

  test("is not given for a visitor who agreed but whose browser says otherwise", () => {
    const { privacy } = open({ doNotTrack: "1" });
    privacy.remember("granted");
    expect(privacy.permission(FOLLOWS)).toBe("denied");
  });

  test("is what the visitor has said last, in any tab", () => {
    const { privacy, storage } = open();
    privacy.remember("granted");
    open({}, storage).privacy.remember("denied");
    expect(privacy.permission(ASKS)).toBe("denied");
  });

  test("is remembered on the page when the storage is full", () => {
    const { privacy, storage } = open();
    privacy.remember("granted");
    storage.isFull = true;
    privacy.remember("denied");
    expect(privacy.permission({ settings: {} })).toBe("denied");
  });
});
