import { gzipSync } from "node:zlib";
import { fill, MB, type Shape } from "./shape.js";

function file(name: string, content: () => string | Buffer, imports: "users" | "events" = "users"): Shape {
  return {
    door: "import files",
    name,
    imports,
    calls: () => [{ method: "PUT", path: "/api/v1/uploads", as: "connector", body: content() }],
  };
}

const user = (index: number) => `{"external_id":"import-${index}","plan":"pro","about":"${"x".repeat(300)}"}`;

export const IMPORT_SHAPES: Shape[] = [
  {
    ...file("10,000 users", () => Array.from({ length: 10_000 }, (_, index) => user(index)).join("\n")),
    isBaseline: true,
  },
  file("gzip of 64 MB of white space, then a record", () => gzipSync(`${" ".repeat(64 * MB)}${user(1)}`)),
  file("gzip of 64 MB of line ends", () => gzipSync("\n".repeat(64 * MB))),
  file("gzip of a line of 64 MB", () => gzipSync(`${user(1)}\n"${"x".repeat(64 * MB)}"\n${user(2)}`)),
  file("gzip of a list with 16 MB of commas", () => gzipSync(`[${",".repeat(16 * MB)}]`)),
  file("gzip of a list with 100,000 ones", () => gzipSync(`[${"1,".repeat(100_000)}1]`)),
  file("gzip of a list nested 16 million levels deep", () => gzipSync(`[${"[".repeat(16 * MB)}`)),
  file("200 KB of lines that are no JSON", () => fill(0.2 * MB, () => "x", "\n")),
  file("records of 900 KB", () =>
    fill(8 * MB, (index) => `{"external_id":"wide-${index}",${fill(0.9 * MB, (at) => `"w${at}":1`)}}`, "\n"),
  ),
  file("records with 40,000 values", () =>
    fill(4 * MB, (index) => `{"external_id":"list-${index}","few":[${Array(40_000).fill("1")}]}`, "\n"),
  ),
  file("records with 900 KB of text", () =>
    fill(8 * MB, (index) => `{"external_id":"long-${index}","about":"${"x".repeat(0.9 * MB)}"}`, "\n"),
  ),
  file(
    "events with 40,000 properties",
    () =>
      fill(
        4 * MB,
        (index) =>
          `{"external_id":"list-${index}","event":"Door","created_at":"2024-01-01","properties":{${Array.from({ length: 40_000 }, (_, at) => `"p${at}":1`)}}}`,
        "\n",
      ),
    "events",
  ),
];
