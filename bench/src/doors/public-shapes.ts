import { type Call, MB, type Shape } from "./shape.js";

/** Requests of somebody without credentials. */
function nobody(name: string, ...paths: string[]): Shape {
  const calls: Call[] = paths.map((path) => ({ method: "GET", path, as: "nobody" }));
  return { door: "public", name, calls: () => calls };
}

const first = (name: string, path: string): Shape => ({ ...nobody(`the first ${name}`, path), isFirst: true });
const together = (name: string, count: number, path: string): Shape => ({
  ...nobody(`${count} times ${name} at the same time`, ...Array<string>(count).fill(path)),
  together: true,
});

/** Posted by somebody without credentials. */
function posted(name: string, path: string, body: () => string): Shape {
  return { door: "public", name, calls: () => [{ method: "POST", path, as: "nobody", body: body() }] };
}

const LETTERS = Array.from({ length: 40 }, (_, index) => "abcdefghijklmnopqrstuvwxyz"[index % 26]).join("+");
const BEGINNINGS = "con+pro+the+and+use+ser+rec+seg";
const MISTAKES =
  "connexion+authentikation+organizatoin+attribuutes+notificationz+configuratoin+identificatoin+segmentatoin";

/** The pages that anybody may read. Each is first read when the server has just started. */
export const PUBLIC_SHAPES: Shape[] = [
  { ...nobody("the health of the process", "/healthz"), isBaseline: true },
  first("OpenAPI document", "/api/v1/openapi.json"),
  first("OpenAPI document as YAML", "/docs/yaml"),
  first("list of guides", "/guide"),
  first("long guide", "/guide/query-language"),
  first("guide of commands", "/guide/cli"),
  first("search of the guides", `/guide/search?q=${BEGINNINGS}`),
  nobody("every page", "/", "/sign-in", "/o/default", "/status", "/readyz", "/icon.svg", "/metrics", "/docs", "/guide"),
  nobody(
    "files of the reference",
    "/docs/json",
    "/docs/yaml",
    "/docs/static/swagger-ui-bundle.js",
    "/docs/static/none",
  ),
  nobody("the script of the browser library", "/js/latest/muster.js", "/js/0/muster.js", "/assets/none.js"),
  nobody("what is signed or sealed", "/keys/none", "/api/v1/frames/none", "/api/v1/downloads/a/b/c?signature=d"),
  nobody("a search of forty words of one letter", `/guide/search?q=${LETTERS}`),
  nobody("a search of eight beginnings of words", `/guide/search?q=${BEGINNINGS}`),
  nobody("a search of eight words with typing errors", `/guide/search?q=${MISTAKES}`),
  nobody("a search of one word of 200 letters", `/guide/search?q=${"connector".repeat(22)}`),
  nobody("a missing guide of forty letters", `/guide/${LETTERS.replaceAll("+", "/")}`),
  nobody("a missing guide of 15 KB", `/guide/${"a".repeat(15_000)}`),
  nobody("a missing guide of 7,000 folders", `/guide/${"a/".repeat(7_000)}a`),
  nobody("a missing page of 15 KB", `/${"a".repeat(15_000)}`),
  together("a search of eight beginnings", 50, `/guide/search?q=${BEGINNINGS}`),
  together("a missing guide", 50, `/guide/${LETTERS.replaceAll("+", "-")}`),
  together("the OpenAPI document", 50, "/api/v1/openapi.json"),
  together("whether the server is ready", 50, "/readyz"),
  together("the status page", 50, "/status"),
  together("the dashboard", 50, "/"),
  posted("a sign-in with a long password", "/api/v1/session", () =>
    JSON.stringify({ email: "a@b.example", password: "é".repeat(0.4 * MB) }),
  ),
  {
    door: "public",
    name: "50 sign-ins at the same time",
    together: true,
    calls: () =>
      Array.from({ length: 50 }, (_, index) => ({
        method: "POST",
        path: "/api/v1/session",
        as: "nobody",
        body: `{"email":"a${index}@b.example","password":"a long password"}`,
      })),
  },
  posted("a link of 900 KB", "/api/v1/session/link/preview", () => JSON.stringify({ token: "x".repeat(0.9 * MB) })),
  posted("an invitation of 900 KB", "/api/v1/invitations/preview", () =>
    JSON.stringify({ token: "x".repeat(0.9 * MB) }),
  ),
  posted("a signature of 900 KB for a public key", "/keys/none", () => JSON.stringify("x".repeat(0.9 * MB))),
];

function sockets(name: string, bytes: string, count = 2_000): Shape {
  return {
    door: "sockets",
    name: `${count} clients that never close: ${name}`,
    calls: () => [],
    sockets: { count, bytes },
  };
}

const HEAD = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";

/** Connections that hold a descriptor of the server for as long as it lets them. */
export const SOCKET_SHAPES: Shape[] = [
  { ...nobody("the health of the process", "/healthz"), door: "sockets", isBaseline: true },
  sockets("garbage", "\u0001\u0002\u0003\r\n\r\n"),
  sockets("a TLS greeting", "\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\r\n\r\n"),
  sockets("headers of 40 KB", `${HEAD}A: ${"x".repeat(40_000)}\r\n\r\n`, 500),
  sockets("CONNECT", "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n"),
  sockets("a good request, and then nothing", `${HEAD}Connection: close\r\n\r\n`),
];
