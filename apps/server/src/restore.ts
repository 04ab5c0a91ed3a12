import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { readConfig } from "./runtime/settings/config.js";
import { readEnvironment } from "./runtime/settings/environment.js";
import { type RestoreReport, restoreBackup } from "./server/restore-backup.js";

// The program behind `muster restore`. The passphrase comes in the environment, because every user of the machine can
// read the arguments of a process.
const { values: flags } = parseArgs({
  options: {
    file: { type: "string" },
    "data-dir": { type: "string" },
    "call-connectors": { type: "boolean" },
    json: { type: "boolean" },
  },
});

async function main(): Promise<void> {
  const environment = readEnvironment();
  const config = readConfig({
    ...environment,
    ...(flags["data-dir"] === undefined ? {} : { DATA_DIR: flags["data-dir"] }),
  });
  const { file = "-" } = flags;
  const report = await restoreBackup(config, {
    source: file === "-" ? process.stdin : createReadStream(file),
    passphrase: environment.MUSTER_BACKUP_PASSPHRASE,
    callsConnectors: flags["call-connectors"] ?? false,
    onProgress: showProgress,
  });
  clearProgress();
  console.log(flags.json ? JSON.stringify(report) : describe(report));
}

let shown = -1;

function showProgress(done: number, estimated: number): void {
  const percent = Math.min(99, Math.floor((100 * done) / Math.max(1, estimated)));
  if (!process.stderr.isTTY || percent === shown) return;
  shown = percent;
  process.stderr.write(`\r\u001b[2Krestoring ${percent} %`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[2K");
}

function describe(report: RestoreReport): string {
  const lines = [
    `Restored the backup of ${report.created_at}: ${report.rows.toLocaleString("en")} rows, ${report.files} files.`,
    ...report.organizations.map(({ namespace, position }) => `  ${namespace}  ${position || "no records"}`),
    "Start the server now. It fills the question engine first.",
  ];
  if (report.holds_deliveries) {
    lines.push(
      "No connector is called until you run: muster restore --resume-deliveries",
      "Do that when the server of the backup is stopped for good. Otherwise connectors get messages twice.",
    );
  }
  const different = Object.entries(report.different_settings);
  if (different.length > 0) {
    lines.push("The server of the backup had other settings. To keep them, set:");
    lines.push(...different.map(([name, value]) => `  ${name}=${value}`));
  }
  return lines.join("\n");
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    clearProgress();
    console.error(`Nothing was restored: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
