// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type FakePlatform, startFakePlatform, userMessage } from "@muster/connector/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

// The built program, because only a process of its own shows whether it ends.
const PROGRAM = fileURLToPath(new URL("../../dist/connector-child/program.js", import.meta.url));
const FIRST = { id: "0198c2a4f1d010a1b2c3d4e5", email: "first@example.com" };
const OTHERS = Array.from({ length: 30 }, (_, index) => ({
  id: `0198c2a4f1d010a1b2c3d4${index + 10}`,
  email: "b@c.de",
}));
const HOSTILE = `if (user.email === "first@example.com") traits({ started: true });
  else [].includes.call({ length: 2 ** 53 - 1 }, 1);`;

let hostile: FakePlatform;
let good: FakePlatform;
let connector: ChildProcess;
let url: string;

beforeAll(async () => {
  hostile = await startFakePlatform();
  good = await startFakePlatform();
  connector = spawn(process.execPath, [PROGRAM, "processor"], {
    env: { PORT: "0", HOST_SECRET: "the host secret of the test", ORGANIZATIONS: `${hostile.url},${good.url}` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  url = await new Promise((resolve) => {
    connector.stdout?.on("data", (text: Buffer) => resolve(String(text).replace("Listening on ", "").trim()));
  });
  for (const platform of [hostile, good]) await platform.install(url);
  hostile.connector.private_settings.user_code = HOSTILE;
  good.connector.private_settings.user_code = "traits({ done: true })";
});

afterAll(async () => {
  connector?.kill("SIGKILL");
  await Promise.all([hostile?.close(), good?.close()]);
});

function notify(platform: FakePlatform, ...users: { id: string; email: string }[]) {
  const messages = users.map((user) => userMessage({ user }));
  return platform.notify(`${url}/smart-notifier`, { channel: "user:update", messages });
}

test("an organization whose scripts never end stops neither another one nor the end of the process", async () => {
  // The answer may get lost when the process ends.
  const unanswered = notify(hostile, FIRST, ...OTHERS).catch(String);
  await vi.waitFor(() => expect(hostile.entries).toHaveLength(1), { timeout: 60_000 });

  for (const user of OTHERS.slice(0, 5)) expect((await notify(good, user)).status).toBe(200);
  expect(good.entries).toHaveLength(5);
  // Each of the 30 scripts takes a second, so the organization has not finished.
  expect(hostile.logs.length).toBeLessThan(OTHERS.length);

  const startedAt = performance.now();
  connector.kill("SIGTERM");
  const [code] = await once(connector, "exit");
  expect(code).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await unanswered;
});
