import { listRefusals } from "../http/reference/refusal-meanings.js";
import { describeConfig, readConfig } from "../runtime/settings/config.js";
import { markdownTable } from "./markdown-table.js";

/** docs/settings.md, from the table of settings. */
export function settingsPage(): string {
  const rows = describeConfig(readConfig({})).map(({ env, default: fallback, description }) => [
    `\`${env}\``,
    fallback === undefined ? "" : `\`${fallback}\``,
    description,
  ]);
  return `# Settings

Every setting is an environment variable, or a line of a \`.env\` file in the folder the server is started from; the
environment wins. A setting that cannot be used stops the start, and all such settings are named at once.
\`npx muster config\` prints the values in effect, secrets masked.

${markdownTable(["Setting", "Default", "Meaning"], rows)}
Beside these, a variable \`DESTINATIONS_ENV_NAME\` becomes \`NAME\` in the process of the
[destinations](connectors/destinations.md#for-operators) and nowhere else.

This page is generated from the server's table of settings: \`npm run generate\`.
`;
}

/** docs/errors.md, from the closed list of refusals. */
export function errorsPage(): string {
  const rows = listRefusals().map(({ status, code, meaning }) => [String(status), `\`${code}\``, meaning]);
  return `# Errors

Every refusal has the same body, and one of these codes. The message is for people and may change; the code does not.

\`\`\`sh
eval "$(npx muster connector credentials API --env)"
curl -s "$MUSTER_URL/api/v1/users_segments" -H "Svc-App-Id: $MUSTER_ID" -H "Svc-Access-Token: $MUSTER_SECRET" \\
  -H "Content-Type: application/json" -d '{ "query": {}, "predicate": {} }'
\`\`\`

\`\`\`json
{
  "error": {
    "code": "missing_parameters",
    "message": "Required parameters are missing: name.",
    "details": [{ "path": "body.name", "message": "is required" }]
  },
  "message": "Required parameters are missing: name.",
  "status": 400
}
\`\`\`

${markdownTable(["Status", "Code", "Meaning"], rows)}
This page is generated from the server's list of refusals: \`npm run generate\`.
`;
}
