import { vi } from "vitest";
import { Stages } from "../pipeline/stages.js";
import { openTestServer, type TestServer } from "./test-server.js";

/** Opens a server whose stages do not run: what it accepts stays in the log until the test applies it. */
export async function openIdleServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const starting = vi.spyOn(Stages.prototype, "start").mockResolvedValue();
  try {
    return await openTestServer(environment);
  } finally {
    starting.mockRestore();
  }
}
