// `npm start`, up to the server itself. Says first whether Node is too old: the other files are imported after that.

await import(new URL("../packages/cli/bin/require-node.js", import.meta.url).href);
await import("./start-builds.js");
