import type { Brand } from "@muster/protocol";
import type { Logger } from "pino";
import { BUNDLED_NAMES, type BundledName } from "../domain/connectors/bundled-address.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import { BundledConnectors } from "../outbound/bundled/bundled-connectors.js";
import { createKeyedHash } from "../runtime/secrets/keyed-hash.js";
import type { Config } from "../runtime/settings/config.js";

export interface OpenBundledConnectorsOptions {
  engines: { secretKey: string };
  brand: Brand;
  addresses: Addresses;
  logger: Logger;
  /** Where the connectors call this server. Known when it listens. */
  callbackUrl(): string;
}

/** The connectors that come with Muster. Their process starts with the first call to one of them. */
export function openBundledConnectors(
  { dataDir, allowPrivateNetwork }: Config,
  { engines, brand, addresses, logger, callbackUrl }: OpenBundledConnectorsOptions,
): BundledConnectors {
  // The same in every process and after every start: the addresses of webhooks are stored at other companies.
  const secretOf = createKeyedHash(engines.secretKey, "bundled connectors");
  // `fromEntries` forgets that the names are all of them.
  const hostSecrets = Object.fromEntries(BUNDLED_NAMES.map((name) => [name, secretOf(name)])) as Record<
    BundledName,
    string
  >;
  return new BundledConnectors({
    dataDir,
    logger,
    settings: () => ({
      platformUrl: callbackUrl(),
      publicUrl: addresses.publicUrl,
      brand: brand.word,
      allowPrivateNetwork,
      hostSecrets,
    }),
  });
}
