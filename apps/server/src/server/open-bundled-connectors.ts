import { isInstalled } from "@muster/destinations/catalogue";
import type { Brand } from "@muster/protocol";
import type { Logger } from "pino";
import { BUNDLED_NAMES, type BundledName } from "../domain/connectors/bundled-address.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import { BundledConnectors } from "../outbound/bundled/bundled-connectors.js";
import { createKeyedHash } from "../runtime/secrets/keyed-hash.js";
import type { Config } from "../runtime/settings/config.js";
import { destinationsFolder } from "../runtime/settings/destinations-folder.js";
import { type Environment, readEnvironment } from "../runtime/settings/environment.js";

export interface OpenBundledConnectorsOptions {
  engines: { secretKey: string };
  brand: Brand;
  addresses: Addresses;
  logger: Logger;
  /** Where the connectors call this server. Known when it listens. */
  callbackUrl(): string;
}

export interface OwnConnectors {
  /** Those that come with Muster. */
  bundled: BundledConnectors;
  /** The destinations of the package that is installed apart. */
  destinations: BundledConnectors;
  isInstalled(destination: string): boolean;
}

/** The connectors that this server runs, in two processes. Each starts with the first call to one of its connectors. */
export function openBundledConnectors(
  { dataDir, destinationsDir, allowPrivateNetwork }: Config,
  { engines, brand, addresses, logger, callbackUrl }: OpenBundledConnectorsOptions,
): OwnConnectors {
  // The same in every process and after every start: the addresses of webhooks are stored at other companies.
  const secretOf = createKeyedHash(engines.secretKey, "bundled connectors");
  // `fromEntries` forgets that the names are all of them.
  const hostSecrets = Object.fromEntries(BUNDLED_NAMES.map((name) => [name, secretOf(name)])) as Record<
    BundledName,
    string
  >;
  const destinations = {
    folder: destinationsFolder({ dataDir, destinationsDir }),
    hostSecret: secretOf("destinations"),
  };
  const settings = () => ({
    platformUrl: callbackUrl(),
    publicUrl: addresses.publicUrl,
    brand: brand.word,
    allowPrivateNetwork,
    hostSecrets,
    destinations,
  });
  return {
    bundled: new BundledConnectors({ dataDir, logger, settings }),
    destinations: new BundledConnectors({
      dataDir,
      logger,
      settings,
      program: "destinations-child",
      environment: destinationVariables(readEnvironment()),
    }),
    isInstalled: (name) => isInstalled(destinations.folder, name),
  };
}

const PREFIX = "DESTINATIONS_ENV_";

/**
 * Some destinations read credentials of the operator from variables, such as a developer token of Google Ads or a role of AWS.
 * Their process gets the ones that are meant for it, and no other: the code is that of others.
 */
function destinationVariables(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith(PREFIX) && value !== undefined ? [[name.slice(PREFIX.length), value]] : [],
    ),
  );
}
