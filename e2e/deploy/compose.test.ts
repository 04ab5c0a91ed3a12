import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { REPOSITORY } from "../support/muster-process.js";

interface Service {
  build?: string;
  image?: string;
  ports?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
}

const read = (name: string) => readFile(join(REPOSITORY, name), "utf8");
// The files are ours, so they have this shape, or a test below fails.
const alone = parse(await read("compose.yaml")) as Compose;
const engines = parse(await read("compose.engines.yaml")) as Compose;

test("compose.yaml runs one container with its data in a volume, reachable from this machine alone", () => {
  expect(Object.keys(alone.services)).toEqual(["muster"]);
  expect(alone.services.muster).toMatchObject({ build: ".", ports: ["127.0.0.1:8080:8080"], volumes: ["data:/data"] });
});

test("the connectors that come with Muster run with the server: nothing switches them off", () => {
  const environments = [alone, engines].map(({ services }) => services.muster?.environment ?? {});
  expect(environments.flatMap(Object.keys)).not.toContain("BUNDLED_CONNECTORS");
});

test("with compose.engines.yaml the server waits until both engines are healthy", () => {
  const { muster, ...others } = engines.services;
  expect(muster?.depends_on).toEqual({
    postgres: { condition: "service_healthy" },
    clickhouse: { condition: "service_healthy" },
  });
  for (const [name, service] of Object.entries(others)) {
    expect(service.healthcheck?.test[0], name).toBe("CMD");
    expect(Object.keys(muster?.depends_on ?? {})).toContain(name);
  }
});

test.each([
  ["compose.yaml", alone],
  ["compose.engines.yaml", engines],
])("every volume that a service of %s uses is declared", (_, { services, volumes }) => {
  const used = Object.values(services).flatMap((service) => service.volumes?.map((each) => each.split(":")[0]) ?? []);
  expect(used.sort()).toEqual(Object.keys(volumes).sort());
});

test("the image installs packages from manifests alone, and copies guides after everything that is built", async () => {
  const stages = (await read("Dockerfile")).split(/^FROM /m).slice(1);
  const installing = stages.filter((stage) => stage.includes("npm ci"));
  expect(installing).toHaveLength(2);
  for (const stage of installing) {
    const [before = ""] = stage.split(/^RUN .*npm ci/m);
    expect(before.match(/^COPY .*$/gm)).toEqual(["COPY --from=manifests /app/manifests ./"]);
  }
  expect(stages.findIndex((stage) => /^COPY docs/m.test(stage))).toBe(stages.length - 1);
});

test("every setting of the server that is named for containers and systemd exists", async () => {
  const settings = new Set([...(await read("docs/settings.md")).matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name));
  const ofNode = ["NODE_ENV", "PATH", "UV_THREADPOOL_SIZE"];
  const named = [
    ...Object.keys(alone.services.muster?.environment ?? {}),
    ...Object.keys(engines.services.muster?.environment ?? {}),
    ...[...(await read("Dockerfile")).matchAll(/^ENV (\w+)=/gm)].map(([, name]) => name ?? ""),
    ...[...(await read("ops/systemd/muster.service")).matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name ?? ""),
  ];
  expect(named).toContain("DATABASE_URL");
  expect(named.filter((name) => !settings.has(name) && !ofNode.includes(name))).toEqual([]);
});
