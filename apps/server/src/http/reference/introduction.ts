import type { Brand } from "@muster/protocol";

/** The text at the beginning of the API reference, in Markdown: what the API is, and with what callers prove who they are. */
export function introductionOf({ headers }: Brand): string {
  return `Users, accounts, events, segments and connectors of an organization.

## Authentication

| who calls | what to send | where it is from |
|---|---|---|
| your server, or a connector | \`${headers.appId}: ID\` and \`${headers.accessToken}: SECRET\` | \`muster connector credentials NAME\`, or the page of the connector in the dashboard |
| a public analytics library, or curl, that only writes (\`/v1/…\`) | basic authentication with the write key as the user name (\`curl -u WRITE_KEY:\`), or \`writeKey\` in the body | \`muster write-key create CONNECTOR NAME\` |
| a user or an account, from a web page or an app | \`${headers.accessToken}: TOKEN\` | your server makes the token with the secret of its connector: [tokens](/guide/tokens) |
| the operator of the server | \`Authorization: Bearer TOKEN\` | the file \`admin.token\` in the data directory |
| a member in the dashboard | the cookie of the session; \`X-CSRF-Token\` too, unless the request is a GET | \`POST /api/v1/session\` |

A first request, with the credentials of the connector that every new server has ([how to get the command](/guide/install#the-command-on-another-machine);
in a clone it is \`npx muster\`):

\`\`\`sh
eval "$(muster connector credentials API --env)"
curl -sS "$MUSTER_URL/api/v1/app" -H "${headers.appId}: $MUSTER_ID" -H "${headers.accessToken}: $MUSTER_SECRET"
\`\`\`

**Authorize** on this page keeps credentials for the requests that you try here. Never put a secret into a web page: it opens
everything in its organization.

- Each operation says who may use it: its access. Missing or wrong credentials are answered with 401, and an access that is not
  enough with 403: [errors](/guide/errors).
- Credentials of a connector belong to one organization. The operator names it in \`${headers.organization}\`, or calls its host.
- What each credential opens: [security model](/guide/security).

Each operation has an \`operationId\` that stays, for generated clients. The same description for machines is at
[/api/v1/openapi.json](/api/v1/openapi.json).`;
}
