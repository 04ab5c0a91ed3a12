import { defineConfig } from "rolldown";

/**
 * The CommonJS build: one file beside what `tsc` makes, with the wire contract folded in. Its types are those of the
 * module build, which TypeScript lets a CommonJS file import since Node does.
 */
export default defineConfig({
  input: "dist/index.js",
  platform: "node",
  output: { file: "dist/cjs/index.cjs", format: "cjs", sourcemap: true },
  plugins: [
    {
      name: "commonjs-types",
      generateBundle() {
        this.emitFile({ type: "asset", fileName: "index.d.cts", source: 'export * from "../index.js";\n' });
      },
    },
  ],
});
