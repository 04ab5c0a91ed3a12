#!/usr/bin/env node
// Not part of the build, so that npm can link it before anything is built.
import "./require-node.js";

import("../bundle/main.js").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND" || !/bundle.main\.js' imported/.test(error.message)) throw error;
  console.error("Muster is not built yet: run `npm run build` in its folder first. `npm start` builds it too.");
  process.exitCode = 1;
});
