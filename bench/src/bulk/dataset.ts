import { once } from "node:events";
import { createWriteStream } from "node:fs";

/** The attributes of every user, in the order of the columns. */
export const ATTRIBUTES = [
  "first_name",
  "last_name",
  "company",
  "plan",
  "country",
  "city",
  "language",
  "source",
  "owner",
  "stage",
  "mrr",
  "seats",
  "logins",
  "score",
  "invoices",
  "trial",
  "newsletter",
  "signed_up_at",
  "renewed_at",
  "birth_date",
] as const;

const PLANS = ["free", "basic", "pro", "enterprise"];
const COUNTRIES = ["FR", "DE", "US", "GB", "ES", "IT", "NL", "BR"];
const LANGUAGES = ["fr", "en", "de", "es"];

/** The values of one user, in the order of the attributes. The same index has the same values. */
export function userValues(index: number): (string | number | boolean)[] {
  const pick = (values: readonly string[], by: number) => values[(index * by) % values.length] ?? "";
  const day = (salt: number) => new Date(1_500_000_000_000 + ((index * 7_919 + salt) % 250_000_000) * 1_000);
  return [
    `First${index % 5_003}`,
    `Last${index % 7_001}`,
    `Company ${index % 20_011}`,
    pick(PLANS, 7),
    pick(COUNTRIES, 13),
    `City ${index % 997}`,
    pick(LANGUAGES, 3),
    `campaign-${index % 211}`,
    `owner-${index % 53}@example.com`,
    `stage ${index % 9}`,
    (index * 37) % 1_000,
    index % 250,
    (index * 11) % 10_000,
    ((index * 17) % 1_000) / 10,
    index % 40,
    index % 3 === 0,
    index % 2 === 0,
    day(1).toISOString(),
    day(2).toISOString(),
    day(3).toISOString().slice(0, 10),
  ];
}

export function userLine(index: number): string {
  const values = userValues(index);
  const fields = ATTRIBUTES.map((name, column) => `"${name}":${JSON.stringify(values[column])}`);
  return `{"userId":"user-${index}","email":"user-${index}@example.com",${fields.join(",")}}\n`;
}

/** The same user as a row of PostgreSQL's text format. */
export function copyLine(index: number): string {
  return `user-${index}\tuser-${index}@example.com\t${userValues(index).join("\t")}\n`;
}

const LINES_PER_WRITE = 2_000;

/** Writes one line per user to a file. */
export async function writeLines(path: string, users: number, lineOf: (index: number) => string): Promise<void> {
  const file = createWriteStream(path);
  for (let start = 0; start < users; start += LINES_PER_WRITE) {
    let text = "";
    for (let index = start; index < Math.min(users, start + LINES_PER_WRITE); index++) text += lineOf(index);
    if (!file.write(text)) await once(file, "drain");
  }
  file.end();
  await once(file, "finish");
}
