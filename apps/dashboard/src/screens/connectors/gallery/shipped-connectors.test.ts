import { expect, test } from "vitest";
import { SHIPPED_CONNECTORS } from "./shipped-connectors.js";

const MANIFESTS = import.meta.glob<{ default: { name: string; description: string } }>(
  "../../../../../../connector-apps/*/manifest.json",
  { eager: true },
);
const READMES = import.meta.glob<string>("../../../../../../connector-apps/*/README.md", {
  eager: true,
  query: "?raw",
  import: "default",
});

test("the gallery has every connector that comes with Muster, with its name, description and port", () => {
  const folderOf = (path: string) => path.split("/").at(-2);
  const shipped = Object.entries(MANIFESTS).map(([path, { default: manifest }]) => ({
    folder: folderOf(path),
    name: manifest.name,
    description: manifest.description,
  }));
  expect(SHIPPED_CONNECTORS.map(({ url: _url, ...connector }) => connector)).toEqual(shipped);
  for (const { folder, url } of SHIPPED_CONNECTORS) {
    const [, readme] = Object.entries(READMES).find(([path]) => folderOf(path) === folder) ?? [];
    expect(readme).toContain(`default ${new URL(url).port}`);
  }
});
