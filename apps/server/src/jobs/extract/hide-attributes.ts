const NEWLINE = 0x0a;

/**
 * Attributes that reports must not show: `own` of the users or accounts themselves, `account` of the accounts inside
 * reports of users.
 */
export interface HiddenAttributes {
  own: readonly string[];
  account: readonly string[];
}

/**
 * Removes hidden attributes from reports, one report a line. Stored documents may still hold such attributes. Every
 * line is parsed, but only for organizations that hide an attribute, which are few.
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
  // The question engine serialised the line from a report that the server wrote.
  const report = JSON.parse(line) as Record<string, unknown> & { account?: Record<string, unknown> | null };
  for (const key of own) delete report[key];
  if (report.account) for (const key of account) delete report.account[key];
  return JSON.stringify(report);
}
