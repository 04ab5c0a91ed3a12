import type { Finding } from "./finding.js";

const LEAST = { major: 20, minor: 19 };

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isEnough = major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor);
  return isEnough
    ? { check: "node", verdict: "ok", message: `version ${version}` }
    : {
        check: "node",
        verdict: "problem",
        message: `version ${version} is too old: install ${LEAST.major}.${LEAST.minor} or later`,
      };
}
