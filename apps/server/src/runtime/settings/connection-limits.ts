import type { Config } from "./config.js";

const MAIN_THREAD = 12;
const GATEWAY_ALONE = 6;
const PIPELINE_THREAD = 8;
const PIPELINE_SHARE = 0.4;

/** The sizes of the connection pools of a process: one for its main thread, and one for its pipeline thread if it has one. */
export function connectionLimits(
  { roles, databaseConnections }: Pick<Config, "roles" | "databaseConnections">,
  hasPipelineThread: boolean,
): { main: number; pipeline: number } {
  if (databaseConnections === undefined) {
    return { main: roles.every((role) => role === "gateway") ? GATEWAY_ALONE : MAIN_THREAD, pipeline: PIPELINE_THREAD };
  }
  const pipeline = hasPipelineThread ? Math.max(2, Math.round(databaseConnections * PIPELINE_SHARE)) : 0;
  return { main: databaseConnections - pipeline, pipeline };
}
