// Which end-to-end tests a change can break. They start built programs, so no import leads from the changed file to them.

/** Tests of how Muster is packed, installed and deployed. */
const PACKAGING = ["e2e/deploy/", "e2e/new-user.test.ts", "e2e/packages.test.ts"];

/**
 * A change of a file under one of `paths` can break the tests under `tests`. The first rule that fits counts.
 * @type {readonly { paths: readonly string[], tests: readonly string[], except?: readonly string[] }[]}
 */
export const RULES = [
  {
    paths: [
      "package.json",
      "package-lock.json",
      "tsconfig",
      "Dockerfile",
      "compose",
      ".dockerignore",
      "ops/",
      "scripts/",
    ],
    tests: PACKAGING,
  },
  // Manifests and documents inside a workspace.
  { paths: ["*/package.json"], tests: PACKAGING },
  { paths: ["*/README.md"], tests: ["e2e/packages.test.ts"] },
  {
    paths: ["docs/", "README.md"],
    tests: ["e2e/doors/", "e2e/guides/", "e2e/dashboard/guide.test.ts", "e2e/browser/guide.test.ts"],
  },
  { paths: ["examples/"], tests: ["e2e/examples.test.ts", "e2e/guides/"] },
  // Everything starts the server, and nearly everything uses the wire contract.
  { paths: ["apps/server/", "packages/protocol/", "packages/query/", "testing/"], tests: ["e2e/"], except: PACKAGING },
  { paths: ["apps/dashboard/"], tests: ["e2e/dashboard/"] },
  {
    paths: ["packages/browser/"],
    tests: ["e2e/browser/", "e2e/compat/", "e2e/guides/", "e2e/dashboard/platforms.test.ts"],
  },
  { paths: ["packages/cli/"], tests: ["e2e/"], except: [...PACKAGING, "e2e/browser/", "e2e/dashboard/"] },
  { paths: ["packages/client/"], tests: ["e2e/examples.test.ts", "e2e/guides/", "e2e/compat/"] },
  {
    paths: ["packages/connector/", "packages/sandbox/", "connector-apps/"],
    tests: [
      "e2e/connectors.test.ts",
      "e2e/examples.test.ts",
      "e2e/guides/",
      "e2e/compat/",
      "e2e/dashboard/connectors.test.ts",
      "e2e/dashboard/processor.test.ts",
    ],
  },
];

/**
 * The end-to-end tests that changes of these files can break.
 * @param {readonly string[]} changed paths from the root of the repository
 * @param {readonly string[]} all the paths of all end-to-end tests
 * @returns {string[]}
 */
export function endToEndTestsOf(changed, all) {
  const found = new Set();
  for (const file of changed) {
    const rule = RULES.find(({ paths }) => paths.some((path) => isUnder(file, path)));
    if (!rule || isUnitTest(file)) continue;
    const { tests, except = [] } = rule;
    for (const test of all) {
      if (tests.some((path) => test.startsWith(path)) && !except.some((path) => test.startsWith(path))) found.add(test);
    }
  }
  return [...found].sort();
}

/**
 * A path with a star in front is a file of that name in any folder, everything else the beginning of a path.
 * @param {string} file
 * @param {string} path
 */
function isUnder(file, path) {
  return path.startsWith("*/") ? file.endsWith(path.slice(1)) : file.startsWith(path);
}

/** @param {string} file */
function isUnitTest(file) {
  return file.endsWith(".test.ts");
}
