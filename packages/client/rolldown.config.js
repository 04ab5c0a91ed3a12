import { defineConfig } from "rolldown";

/**
 * The CommonJS build: one file beside the output of `tsc`, with `@muster/protocol` bundled. It uses the types of the ES
 * module build, which TypeScript lets a CommonJS file import because Node can load it.
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
