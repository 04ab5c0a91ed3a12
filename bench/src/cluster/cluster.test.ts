import { closeSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { canTest } from "../../../testing/can-test.js";
import type {} from "../../../testing/choose-seed.js";
import { checkPromises } from "../chaos/check.js";
import { createSegment } from "../chaos/create-segment.js";
import { drain } from "../chaos/drain.js";
import { History } from "../chaos/history.js";
import { Load } from "../chaos/load.js";
import { Model } from "../chaos/model.js";
import { Operator } from "../chaos/operator.js";
import { Random } from "../chaos/random.js";
import { reportVerdicts } from "../chaos/report-verdicts.js";
import { Sender } from "../chaos/sender.js";
import { Sink } from "../chaos/sink.js";
import { hasProgram } from "../lib/has-program.js";
import type { ProcessPlan } from "../lib/muster-process.js";
import { Cluster } from "./cluster.js";
import { runKillRounds } from "./kill-rounds.js";
import { clickHouseProblem } from "./open-clickhouse.js";
import { readServerAbilities, type ServerAbilities } from "./server-abilities.js";

const ROUNDS = Number(process.env.CLUSTER_ROUNDS ?? 20);
const ENTRIES_PER_SECOND = 300;
const CALLERS = 2;
const USERS = 400;
const SEGMENT_USERS = 20;
// Many processes share a machine, which may have two cores.
const DRAIN_LIMIT_MS = 600_000;
const TIME_LIMIT_MS = 3_600_000;

const problem = clickHouseProblem();

/** Two of each kind, so that one is left of each when one is killed. Roles that the server does not have yet are those of a worker. */
function planOf({ roles }: ServerAbilities): ProcessPlan[] {
  const known = (role: string, instead: string[]) => (roles.includes(role) ? [role] : instead);
  const gateway = { kind: "gateway", roles: ["gateway"] };
  const worker = { kind: "worker", roles: ["worker", ...known("jobs", [])] };
  const deliver = { kind: "deliver", roles: known("deliver", ["worker"]) };
  const api = { kind: "api", roles: ["api", ...known("dashboard", [])] };
  return [api, api, gateway, gateway, worker, worker, deliver, deliver];
}

test.runIf(canTest(problem === undefined, `The cluster is not tested: ${problem}.`))(
  "processes that are killed again and again lose nothing, double nothing, and tell connectors all changes once",
  async () => {
    const abilities = await readServerAbilities();
    const hasSetting = abilities.settings.includes("NATS_URL");
    const hasNats =
      canTest(hasSetting, "The ingestion log is in PostgreSQL: the server has no setting NATS_URL.") &&
      canTest(hasProgram("nats-server"), "The ingestion log is in PostgreSQL: nats-server is not installed.");
    const seed = inject("seed");
    const logPath = join(tmpdir(), `muster-cluster-${process.pid}.log`);
    const logFile = openSync(logPath, "a");
    console.log(`What the processes log is in ${logPath}, which is kept when the test fails.`);
    const history = new History();
    const cluster = await Cluster.open({ processes: planOf(abilities), hasNats, logFile });
    const sink = new Sink();
    const sender = new Sender(cluster, history);
    const operator = new Operator(cluster);
    const model = new Model({ users: USERS, segmentUsers: SEGMENT_USERS });
    const clock = { during: () => ({ least: 0, most: 0 }) };
    const load = new Load({ model, sender, clock, random: new Random(seed + 1), callers: CALLERS });
    load.pace = ENTRIES_PER_SECOND;
    try {
      const connectorId = await operator.install(await sink.start());
      const segmentId = await createSegment(operator);
      load.start();
      await runKillRounds(ROUNDS, { cluster, sender, history, random: new Random(seed) });
      const waiting = await drain({ load, sender, operator, connectorId, history, limitMs: DRAIN_LIMIT_MS });
      const verdicts = await checkPromises({ model, sink, operator, segmentId });
      history.print();
      const isGood = reportVerdicts([
        ...verdicts,
        { promise: "messages that are not delivered at the end", checked: sink.messages, broken: waiting },
        { promise: "requests refused for good", checked: load.acknowledged, broken: sender.refused },
      ]);
      const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
      console.log(
        `${load.acknowledged} entries were acknowledged and ${load.crossings} crossings evaluated; the connector got ${sink.messages} messages, ${sink.repeated} of them again. The longest time without an acknowledged batch was ${seconds(sender.batches.longestMs)}, and the longest time until a write was searchable ${seconds(sender.longestWaitMs)}.`,
      );
      expect(load.acknowledged).toBeGreaterThan(0);
      expect(load.crossings).toBeGreaterThan(0);
      expect(isGood).toBe(true);
      rmSync(logPath);
    } finally {
      sender.giveUp();
      await load.stop();
      sink.close();
      sender.close();
      await cluster.close();
      closeSync(logFile);
    }
  },
  TIME_LIMIT_MS,
);
