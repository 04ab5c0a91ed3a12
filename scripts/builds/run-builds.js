import { fingerprintOf, isFresh, noteBuilt } from "./freshness.js";

/** @typedef {import("./freshness.js").Build} Build */

/**
 * Those that must run, because a source is not what it was or because they have never ended.
 *
 * @param {readonly Build[]} builds
 */
export function staleOf(builds) {
  return builds.filter((build) => !isFresh(build, fingerprintOf(build.sources())));
}

/**
 * Runs a build. A failure is told, and fails this process at its end.
 *
 * @param {Build} build
 */
export async function runBuild(build) {
  try {
    const sources = fingerprintOf(build.sources());
    await build.run();
    noteBuilt(build, sources);
  } catch (error) {
    process.exitCode = 1;
    console.error(`Could not build ${build.title}. ${error instanceof Error ? error.message : error}`);
  }
}
