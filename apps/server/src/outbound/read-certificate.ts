import { connect } from "node:tls";

export interface ServedCertificate {
  validUntil: Date;
  /** Why this machine does not trust it; undefined when it does. */
  problem: string | undefined;
}

const TIMEOUT_MS = 5_000;

/** The certificate of the server at an https address. No request is sent. */
export function readCertificate(address: string, timeoutMs = TIMEOUT_MS): Promise<ServedCertificate> {
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      // An IP address must not be given as a server name.
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      // An untrusted certificate must be readable too, because this function reports why it is untrusted.
      rejectUnauthorized: false,
    });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No answer within ${timeoutMs / 1_000} seconds.`)));
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      const { valid_to } = socket.getPeerCertificate();
      const problem = socket.authorized ? undefined : String(socket.authorizationError);
      socket.destroy();
      resolve({ validUntil: new Date(valid_to), problem });
    });
  });
}
