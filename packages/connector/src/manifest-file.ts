import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject } from "@muster/protocol";
import type { Manifest } from "@muster/protocol/manifest";

/** A manifest and the folder that its paths are relative to. */
export interface ManifestFile {
  manifest: Manifest;
  directory: string;
}

/** Reads the manifest: the one given, or the file at the path given. Default `manifest.json` in the current folder. */
export function openManifest(given: Manifest | string = "manifest.json", directory?: string): ManifestFile {
  if (typeof given !== "string") return { manifest: given, directory: resolve(directory ?? ".") };
  const file = resolve(directory ?? ".", given);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`The manifest ${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (!isObject(value) || typeof value.name !== "string") throw new Error(`The manifest ${file} has no \`name\`.`);
  // Only the name is checked here. Muster checks the whole manifest when the connector is installed.
  return { manifest: value as Manifest, directory: resolve(directory ?? dirname(file)) };
}

/** The name of a connector in logs and metrics. */
export function connectorNameOf({ name }: Manifest): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
