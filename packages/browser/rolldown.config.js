import { defineConfig } from "rolldown";

export default defineConfig({
  input: "src/script.ts",
  platform: "browser",
  transform: { target: "es2022" },
  output: { file: "dist/muster.js", format: "iife", minify: true, comments: false, sourcemap: false },
});
