import { expect, test } from "vitest";
import { ownPages, readPageMessage } from "./own-pages.js";

test("tabs, pages with a title or a purpose, and the admin page are shown, each once", () => {
  const manifest = {
    admin: "/admin",
    tabs: [{ url: "/admin", title: "Rings", size: "small", editable: true }, "no tab", { title: "no address" }],
    html: [
      { url: "/sync" },
      { url: "/report", title: "Report", size: "borderless", workspace: true },
      { url: "/key", setup: true },
    ],
  };
  expect(ownPages(manifest)).toEqual([
    { url: "/admin", title: "Rings", size: "small", isEditable: true, purpose: undefined },
    { url: "/report", title: "Report", size: "borderless", isEditable: false, purpose: "workspace" },
    { url: "/key", title: "Set up", size: "large", isEditable: false, purpose: "setup" },
  ]);
  // Published manifests with tabs have this flag too.
  expect(ownPages({ ...manifest, ui: false })).toEqual(ownPages(manifest));
  expect(ownPages({ admin: "/admin", ui: false })).toEqual([]);
  expect(ownPages({ admin: "/admin" })).toMatchObject([{ url: "/admin", title: "Admin", size: "large" }]);
});

const update = { from: "embedded-ship", action: "update", ship: { private_settings: { code: "x" }, id: "other" } };

test("a message of a page may be JSON or an object, and gives settings alone", () => {
  expect(readPageMessage(JSON.stringify(update))).toEqual({ private_settings: { code: "x" } });
  expect(readPageMessage(update)).toEqual({ private_settings: { code: "x" } });
});

test.each([
  ["text"],
  [null],
  [{ ...update, from: "other" }],
  [{ ...update, action: "resize" }],
  [{ ...update, ship: [] }],
])("%j is no change", (message) => {
  expect(readPageMessage(message)).toBeUndefined();
});
