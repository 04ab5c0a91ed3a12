/** Why the package could not be installed, in a sentence for the operator. */
export class InstallationProblem extends Error {
  override readonly name = "InstallationProblem";
}

const MAX_SHOWN = 600;

/** What npm and the system write when something is missing, and what it means. The first that fits counts. */
const MEANINGS: readonly { pattern: RegExp; sentence(folder: string): string }[] = [
  {
    pattern: /\bspawn npm ENOENT\b|npm: (?:command )?not found/,
    sentence: () => "There is no npm on this machine, which installs the package. It comes with Node.js.",
  },
  {
    pattern: /\bENOSPC\b|no space left on device/i,
    sentence: (folder) =>
      `The disk of ${folder} is full. The package needs 110 MB, and as much again while it is installed.`,
  },
  {
    pattern: /\b(?:EACCES|EROFS|EPERM)\b/,
    sentence: (folder) => `${folder} cannot be written: the folder, or the whole disk, is read-only for this user.`,
  },
  {
    pattern:
      /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|FETCH_ERROR)\b/,
    sentence: () =>
      "npm's registry cannot be reached from this machine. It needs the internet, or a registry of yours in npm's configuration.",
  },
  {
    pattern: /\bE(?:401|403|404)\b/,
    sentence: () => "npm's registry does not give out a part of the package.",
  },
];

/** The problem of a program that failed, from what it has written. */
export function installationProblem(output: string, folder: string): InstallationProblem {
  const found = MEANINGS.find(({ pattern }) => pattern.test(output));
  const end = output.trim().slice(-MAX_SHOWN);
  return new InstallationProblem(
    found ? `${found.sentence(folder)} (${firstError(output)})` : `The installation failed: ${end}`,
  );
}

/** The line with the code, without npm's prefix. */
function firstError(output: string): string {
  const lines = output.split("\n").map((line) => line.replace(/^npm (?:error|ERR!)\s*/, "").trim());
  const line = lines.find((each) => /\bE[A-Z0-9_]{3,}\b|not found|no space/i.test(each)) ?? lines[0] ?? "";
  return line.slice(0, MAX_SHOWN);
}
