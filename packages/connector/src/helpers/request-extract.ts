import type { Client } from "@muster/client";

export interface RequestExtractOptions {
  /** The segment to extract. Default: all users. */
  segment?: { id: string; type?: string; query?: Record<string, unknown> };
  /** The path of this connector to which Muster sends the address of the file. Default `/batch`. */
  path?: string;
  /** The attributes wanted in a CSV file. Default: all. */
  fields?: readonly string[];
  /** Added to the query string of that call. */
  additionalQuery?: Readonly<Record<string, string>>;
  /** Default `json`. */
  format?: "json" | "csv";
}

export async function requestExtract(
  client: Client,
  baseUrl: string,
  { segment, path = "/batch", fields = [], additionalQuery = {}, format = "json" }: RequestExtractOptions = {},
): Promise<unknown> {
  const { id, secret, organization } = client.configuration();
  const url = new URL(`${baseUrl}/${path.replace(/^\/+/, "")}`);
  const query = { organization, id, ship: id, secret, source: "connector", ...additionalQuery };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  if (segment) url.searchParams.set("segment_id", segment.id);
  const kind = segment?.type === "accounts_segment" ? "accounts" : "users";
  // A quote in front of formulas is for spreadsheets; this file is read by a program.
  const csv = format === "csv" ? { csv_formulas: true } : {};
  const params = { url: url.href, format, query: await queryOf(client, segment), ...csv };
  return client.post(`/extract/${kind}`, fields.length > 0 ? { ...params, fields } : params);
}

async function queryOf(client: Client, segment: RequestExtractOptions["segment"]): Promise<Record<string, unknown>> {
  if (!segment) return { match_all: {} };
  if (segment.query) return segment.query;
  const { query } = await client.get<{ query: Record<string, unknown> }>(`/${segment.id}`);
  return query;
}
