// Serves this website with the tag of one of your platforms:
//
//   npx muster platform create "Tea shop" --domain localhost
//   node examples/website/serve.js "Tea shop"
//
// Then open http://localhost:8081. A second argument gives another port.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [platformId, port = "8081"] = process.argv.slice(2);
if (platformId === undefined) {
  console.error("Usage: node examples/website/serve.js PLATFORM [PORT]");
  process.exit(2);
}

const { status, stdout: printed } = spawnSync("npx", ["muster", "platform", "snippet", platformId, "--json"], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
});
// The command has said why it failed.
if (status !== 0) process.exit(status ?? 1);
/** @type {{ latest_html: string }} */
const snippet = JSON.parse(printed);

/** @param {string} name */
const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const files = new Map([
  ["/", { type: "text/html", text: read("index.html").replace("<!-- SNIPPET -->", snippet.latest_html) }],
  ["/shop.js", { type: "text/javascript", text: read("shop.js") }],
]);

createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const file = files.get(pathname);
  response.writeHead(file ? 200 : 404, { "content-type": `${file?.type ?? "text/plain"}; charset=utf-8` });
  response.end(file?.text ?? "There is nothing here.");
}).listen(Number(port), "localhost", () => console.log(`Open http://localhost:${port}`));
