const ROUNDS = 20;
const WARM_UP = 3;
// PostgreSQL takes a second for some questions. It need not be asked twenty times to know that.
const LEAST_ROUNDS = 3;
const LIMIT_MS = 3_000;
// A question that takes this long is asked once before it counts and once more. Others beside it take seconds to minutes.
const SLOW_MS = 5_000;

export const MOST_ROUNDS = ROUNDS;

/** The answer to a question, and how long each round took. */
export interface TimedAnswer {
  total: number;
  ms: number[];
}

/** Asks the same question several times, after a few rounds that do not count. */
export async function timeRounds(ask: () => Promise<number>): Promise<TimedAnswer> {
  const ms: number[] = [];
  let total = 0;
  const deadline = performance.now() + LIMIT_MS;
  let isSlow = false;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (ms.length >= (isSlow ? 1 : LEAST_ROUNDS) && performance.now() > deadline) break;
    const startedAt = performance.now();
    total = await ask();
    const took = performance.now() - startedAt;
    if (round >= (isSlow ? 1 : WARM_UP)) ms.push(took);
    isSlow = took > SLOW_MS;
  }
  return { total, ms };
}
