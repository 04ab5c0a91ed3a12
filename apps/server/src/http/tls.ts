import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Config } from "../runtime/settings/config.js";

export interface TlsFiles {
  cert: Buffer;
  key: Buffer;
}

/** Reads the certificate and the private key for HTTPS; undefined when the settings name none. */
export async function readTls({ tlsCertFile, tlsKeyFile }: Config): Promise<TlsFiles | undefined> {
  if (!tlsCertFile || !tlsKeyFile) return undefined;
  const files = { cert: await read("TLS_CERT_FILE", tlsCertFile), key: await read("TLS_KEY_FILE", tlsKeyFile) };
  try {
    createSecureContext(files);
  } catch (cause) {
    throw new Error(
      `TLS_CERT_FILE and TLS_KEY_FILE cannot be used together: ${(cause as Error).message}. Give a certificate chain and its private key, both PEM.`,
      { cause },
    );
  }
  return files;
}

async function read(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`${setting} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
