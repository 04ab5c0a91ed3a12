import { renderTable } from "../lib/render-table.js";

interface Happening {
  at: number;
  what: string;
}

/** What happened in a run, and when. */
export class History {
  readonly #startedAt = Date.now();
  readonly #happenings: Happening[] = [];
  readonly #recoveries: { fault: string; seconds: number; how: string }[] = [];
  readonly #outcomes = new Map<string, number>();

  /** Notes what happens, and prints it. */
  note(what: string): void {
    const happening = { at: Date.now(), what };
    this.#happenings.push(happening);
    console.log(this.#line(happening));
  }

  /** Counts a request by how it ended. */
  count(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** Notes how long after a fault a request was acknowledged again. */
  recovered(fault: string, seconds: number, how: string): void {
    this.#recoveries.push({ fault, seconds, how });
    this.note(`  acknowledges again ${seconds.toFixed(1)} s after: ${fault}${how === "" ? "" : ` (${how})`}`);
  }

  print(): void {
    const outcomes = [...this.#outcomes].sort((one, other) => other[1] - one[1]);
    console.log(`\n${renderTable(["request ended with", "count"], outcomes)}\n`);
    const faults = [...new Set(this.#recoveries.map(({ fault }) => fault))];
    const rows = faults.map((fault) => {
      const own = this.#recoveries.filter((recovery) => recovery.fault === fault);
      const helped = own.filter(({ how }) => how !== "").length;
      return [fault, own.length, Math.max(...own.map(({ seconds }) => seconds)), helped];
    });
    console.log(`${renderTable(["fault", "times", "longest recovery s", "restarted by the benchmark"], rows)}\n`);
  }

  #line({ at, what }: Happening): string {
    return `${((at - this.#startedAt) / 1_000).toFixed(1).padStart(7)} s  ${what}`;
  }
}
