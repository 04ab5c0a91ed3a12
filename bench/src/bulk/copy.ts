import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { secondsSince } from "../lib/seconds-since.js";
import { ATTRIBUTES } from "./dataset.js";

export interface CopySeconds {
  in: number;
  outText: number;
  outJson: number;
}

/** The upper limit: PostgreSQL's own `COPY` of the same rows, from a file to a plain table and back. */
export async function copyInAndOut(databaseUrl: string, source: string, target: string): Promise<CopySeconds> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const columns = ["user_id", "email", ...ATTRIBUTES];
    await client.query("drop table if exists bench_copy");
    await client.query(`create table bench_copy (${columns.map((name) => `${name} text`).join(", ")})`);
    const seconds = async (work: Promise<void>): Promise<number> => {
      const startedAt = performance.now();
      await work;
      return secondsSince(startedAt);
    };
    return {
      in: await seconds(pipeline(createReadStream(source), client.query(copyFrom("copy bench_copy from stdin")))),
      outText: await seconds(
        pipeline(client.query(copyTo("copy bench_copy to stdout with (format csv)")), createWriteStream(target)),
      ),
      outJson: await seconds(
        pipeline(
          client.query(copyTo("copy (select row_to_json(b) from bench_copy b) to stdout")),
          createWriteStream(target),
        ),
      ),
    };
  } finally {
    await client.query("drop table if exists bench_copy");
    await client.end();
  }
}
