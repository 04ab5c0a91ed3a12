import { setTimeout as sleep } from "node:timers/promises";
import type { History } from "../chaos/history.js";
import type { Random } from "../chaos/random.js";
import type { Sender } from "../chaos/sender.js";
import type { Cluster } from "./cluster.js";

export interface KillRoundsOptions {
  cluster: Cluster;
  sender: Sender;
  history: History;
  random: Random;
}

/** Something that can be killed and started again. */
interface Victim {
  name: string;
  kill(): Promise<void>;
  start(): Promise<unknown>;
}

const LOAD_MS = 2_000;
const LONGEST_ABSENCE_MS = 2_000;
const LOST_AFTER_MS = 180_000;

/** In each round, one random process of each kind and one NATS server are killed at the same time, and started again. */
export async function runKillRounds(rounds: number, options: KillRoundsOptions): Promise<void> {
  const { sender, history, random } = options;
  for (let round = 1; round <= rounds; round++) {
    // Not a wait for something: the moment of the kill is the input of a round.
    await sleep(random.between(0.3, 1) * LOAD_MS);
    const victims = chooseVictims(options);
    const killedAt = Date.now();
    await Promise.all(victims.map((victim) => victim.kill()));
    const starts = victims.map(async ({ start }) => {
      await sleep(random.next() * LONGEST_ABSENCE_MS);
      await start();
    });
    const names = victims.map(({ name }) => name).join(", ");
    history.note(`round ${round}: kill -9 of ${names}`);
    await untilAcknowledged(sender, killedAt);
    history.recovered("kill -9 of one process of each kind", (Date.now() - killedAt) / 1_000, "");
    await Promise.all(starts);
    history.note(`  all run again after ${((Date.now() - killedAt) / 1_000).toFixed(1)} s`);
  }
}

function chooseVictims({ cluster, random }: KillRoundsOptions): Victim[] {
  const kinds = [...new Set(cluster.processes.map(({ plan }) => plan.kind))];
  const victims: Victim[] = kinds.map((kind) => {
    const chosen = random.pick(cluster.ofKind(kind));
    return { name: chosen.name, kill: () => chosen.kill(), start: () => chosen.start() };
  });
  const { nats } = cluster;
  if (nats) {
    const node = random.pick(nats.names);
    victims.push({ name: `NATS ${node}`, kill: () => nats.kill(node), start: () => nats.restart(node) });
  }
  return victims;
}

/** Waits for a request that began after the kill and was acknowledged. */
async function untilAcknowledged(sender: Sender, killedAt: number): Promise<void> {
  for (; sender.acknowledgedFrom <= killedAt; await sleep(20)) {
    if (Date.now() - killedAt > LOST_AFTER_MS) throw new Error("Nothing is acknowledged any more.");
  }
}
