interface Row {
  library: string;
  calls: string;
  arrived: string;
}

/** The table that the test prints at its end: each library with its version, what it sent, and what arrived. */
export class Report {
  readonly #rows: Row[] = [];

  /** Only a library that has run has a version. */
  add(library: { name: string; version?: string }, calls: readonly string[], arrived: string): void {
    const { name, version } = library;
    this.#rows.push({ library: version ? `${name} ${version}` : name, calls: summary(calls), arrived });
  }

  print(): void {
    const rows = [{ library: "library", calls: "calls sent", arrived: "what arrived" }, ...this.#rows];
    const widths = (["library", "calls"] as const).map((key) => Math.max(...rows.map((row) => row[key].length)));
    const lines = rows.map(({ library, calls, arrived }) =>
      [library.padEnd(widths[0]!), calls.padEnd(widths[1]!), arrived].join("  "),
    );
    process.stdout.write(`\n${lines.join("\n")}\n\n`);
  }
}

/** `2 track, page` for track, page, track. */
function summary(calls: readonly string[]): string {
  return [...new Set(calls)]
    .map((call) => [calls.filter((other) => other === call).length, call] as const)
    .map(([count, call]) => (count === 1 ? call : `${count} ${call}`))
    .join(", ");
}
