const NEWLINE = 0x0a;

/** Attributes that reports must not show, of users or accounts themselves and of the accounts in users' reports. */
export interface HiddenAttributes {
  own: readonly string[];
  account: readonly string[];
}

/**
 * Takes hidden attributes out of reports, one a line. The stored documents may still hold them; organizations that hide
 * any are few, so their extracts are the ones that pay for parsing every line.
 */
export async function* hideAttributes(
  chunks: AsyncIterable<Uint8Array>,
  hidden: HiddenAttributes,
): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(end);
    if (end === 0) continue;
    const lines = bytes.toString("utf8", 0, end - 1).split("\n");
    yield Buffer.from(`${lines.map((line) => withoutHidden(line, hidden)).join("\n")}\n`);
  }
}

function withoutHidden(line: string, { own, account }: HiddenAttributes): string {
  // Documents are reports that we printed ourselves.
  const report = JSON.parse(line) as Record<string, unknown> & { account?: Record<string, unknown> | null };
  for (const key of own) delete report[key];
  if (report.account) for (const key of account) delete report.account[key];
  return JSON.stringify(report);
}
