import type { OpenAPIV3_1 } from "openapi-types";
import type { Access } from "../auth/caller.js";
import { Html, html, inline, prose } from "./html.js";
import { listRefusals } from "./refusal-meanings.js";
import { schemaRows, typeText } from "./schema-rows.js";
import { STYLE } from "./style.js";

type Document = OpenAPIV3_1.Document;

interface Operation extends OpenAPIV3_1.OperationObject {
  method: string;
  path: string;
  anchor: string;
  access: Access;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

const ACCESS_WORDS: Record<Access, string> = {
  open: "Open: no credentials are looked at.",
  anyone: "Anyone; credentials say who is calling.",
  subject: "Users and accounts with a token, connectors, the operator.",
  connector: "Admin: connectors with their secret, and the operator.",
  operator: "The operator of the server, with the admin token.",
};

/** The API reference as one page that needs no script and no other file. */
export function renderReference(document: Document): string {
  const groups = groupByTag(listOperations(document));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} API reference</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<nav aria-label="Contents">
<a href="#top">${document.info.title} ${document.info.version}</a>
<h2>About</h2>
<ul><li><a href="#authentication">Authentication</a></li><li><a href="#errors">Errors</a></li></ul>
${groups.map(renderContents)}
</nav>
<main id="top">
<h1>${document.info.title} API</h1>
${prose(document.info.description ?? "")}
<p>Version ${document.info.version}. The same as <a href="/api/v1/openapi.json">OpenAPI 3.1</a>.</p>
${renderAuthentication(document)}
${groups.map((group) => renderGroup(document, group))}
${renderErrors()}
</main>
</body>
</html>
`;
  return page.text;
}

interface Group {
  tag: string;
  operations: Operation[];
}

function listOperations(document: Document): Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method] as (OpenAPIV3_1.OperationObject & { "x-access"?: Access }) | undefined;
      if (!operation) return [];
      const anchor = `${method}-${path}`
        .replace("*", "any")
        .replace(/[^a-zA-Z0-9]+/g, "-")
        .replace(/-$/, "");
      return [{ ...operation, method: method.toUpperCase(), path, anchor, access: operation["x-access"] ?? "open" }];
    }),
  );
}

function groupByTag(operations: Operation[]): Group[] {
  const tags = [...new Set(operations.map(tagOf))].sort();
  return tags.map((tag) => ({ tag, operations: operations.filter((operation) => tagOf(operation) === tag) }));
}

function tagOf(operation: Operation): string {
  return operation.tags?.[0] ?? "other";
}

function renderContents({ tag, operations }: Group): Html {
  const lines = operations.map(
    ({ anchor, method, path }) => html`<li><a href="#${anchor}">${method} ${path.replace(/^\/api\/v1/, "")}</a></li>\n`,
  );
  return html`<h2>${tag}</h2>\n<ul>${lines}</ul>\n`;
}

function renderAuthentication(document: Document): Html {
  const schemes = Object.entries(document.components?.securitySchemes ?? {}).map(([name, scheme]) => {
    if ("$ref" in scheme) return html``;
    const where = scheme.type === "apiKey" ? scheme.name : "Authorization: Bearer …";
    return html`<tr><td>${name}</td><td><code>${where}</code></td><td>${inline(scheme.description ?? "")}</td></tr>\n`;
  });
  return html`<h2 id="authentication">Authentication</h2>
<table><thead><tr><th>Name</th><th>Header</th><th>Meaning</th></tr></thead><tbody>${schemes}</tbody></table>
`;
}

function renderGroup(document: Document, { tag, operations }: Group): Html {
  return html`<section><h2>${tag}</h2>${operations.map((operation) => renderOperation(document, operation))}</section>\n`;
}

function renderOperation(document: Document, operation: Operation): Html {
  const { anchor, method, path, summary = "", description } = operation;
  return html`<article id="${anchor}">
<h3><span class="method">${method}</span> <code>${path}</code></h3>
<p>${inline(summary)}</p>
${description === undefined ? undefined : prose(description)}
<p class="access">${ACCESS_WORDS[operation.access]}</p>
${renderParameters(document, operation)}
${renderBody(document, operation)}
${renderAnswers(document, operation)}
</article>
`;
}

function renderParameters(document: Document, { parameters = [] }: Operation): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map((parameter) => {
    if ("$ref" in parameter) return html``;
    const schema = (parameter.schema ?? {}) as OpenAPIV3_1.SchemaObject;
    const fallback = schema.default === undefined ? "" : `Default ${JSON.stringify(schema.default)}.`;
    return html`<tr><td><code>${parameter.name}</code></td><td>${parameter.in}</td><td>${typeText(document, schema)}</td>
<td>${parameter.required ? "required" : "optional"}</td><td>${inline(parameter.description ?? "")} ${fallback}</td></tr>\n`;
  });
  return html`<h4>Parameters</h4>
<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th></th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function renderBody(document: Document, { requestBody }: Operation): Html {
  if (!requestBody || "$ref" in requestBody) return html``;
  const bodies = Object.entries(requestBody.content).map(
    ([type, { schema }]) => html`<h4>Body (<code>${type}</code>)</h4>${schema && renderSchema(document, schema)}`,
  );
  return html`${bodies}`;
}

function renderSchema(document: Document, schema: OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject): Html {
  const rows = schemaRows(document, schema);
  if (rows.length === 0) return html`<p>${typeText(document, schema)}</p>`;
  const lines = rows.map(
    ({ path, type, required, description }) => html`<tr><td><code>${path}</code></td><td>${type}</td>
<td>${required ? "required" : "optional"}</td><td>${inline(description)}</td></tr>\n`,
  );
  return html`<table><thead><tr><th>Field</th><th>Type</th><th></th><th>Meaning</th></tr></thead><tbody>${lines}</tbody></table>`;
}

function renderAnswers(document: Document, { responses = {} }: Operation): Html {
  const answers = Object.entries(responses);
  const refusals = answers.filter(([, answer]) => "$ref" in answer).map(([status]) => status);
  const successes = answers.map(([status, answer]) => {
    if ("$ref" in answer) return html``;
    const schema = answer.content?.["application/json"]?.schema;
    return html`<h4>Answer ${status} ${answer.description ?? ""}</h4>${schema && renderSchema(document, schema)}`;
  });
  const links = refusals.map((status) => html` <a href="#error-${status}">${status}</a>`);
  return html`${successes}<h4>Errors</h4><p>${links}</p>`;
}

function renderErrors(): Html {
  const refusals = listRefusals();
  const rows = refusals.map(({ code, status, meaning }, index) => {
    const isFirst = refusals[index - 1]?.status !== status;
    const anchor = isFirst ? html` id="error-${status}"` : html``;
    return html`<tr${anchor}><td>${status}</td><td><code>${code}</code></td><td>${inline(meaning)}</td></tr>\n`;
  });
  return html`<h2 id="errors">Errors</h2>
<p>Every refusal has the body <code>{"error": {"code", "message", "details": [{"path", "message"}]}, "message", "status"}</code>.
This is the whole list of codes.</p>
<table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${rows}</tbody></table>
`;
}
