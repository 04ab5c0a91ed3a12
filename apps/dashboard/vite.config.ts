import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

// `npm run dev -w apps/dashboard` serves the sources and passes calls of the API to a server that runs already.
const server = process.env.MUSTER_URL ?? "http://127.0.0.1:8080";

// Every screen needs these. In one file they are smaller than in many, and stay in the browser when only screens change.
const BASE =
  /node_modules\/(react|react-dom|scheduler|clsx|openapi-fetch|@tanstack\/(react-router|router-core|history|react-query|query-core|store|react-store)|@mantine\/core\/esm\/core)\//;
// What at least this many files use is in one file: of a small piece, asking for it costs more than loading it in vain. With a
// lower number the heaviest screens exceed the 250 kB that a first load may have.
const SHARED_BY = 16;

/** The files that every screen needs, beside the start. */
const FIRST = ["base", "frame", "shared", "rolldown-runtime"];

/** Lets the page ask for the files of every screen together with the start. */
function preloadFirst(): Plugin {
  return {
    name: "preload-first",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const first = chunks.filter(({ name }) => FIRST.includes(name));
        const link = (rel: string, file: string): HtmlTagDescriptor => {
          return { tag: "link", attrs: { rel, crossorigin: true, href: `/${file}` }, injectTo: "head" };
        };
        return first.flatMap(({ fileName, viteMetadata }) => [
          link("modulepreload", fileName),
          ...[...(viteMetadata?.importedCss ?? [])].map((style) => link("stylesheet", style)),
        ]);
      },
    },
  };
}

const isMain = (module: string) => module.endsWith("/src/app/main.tsx");

export default defineConfig({
  plugins: [react(), preloadFirst()],
  // The sources of our own packages, so that they need not be compiled before.
  resolve: { conditions: ["@muster/source", ...defaultClientConditions] },
  build: {
    target: "es2022",
    emptyOutDir: true,
    // Browsers that do not know these links load the files a moment later.
    modulePreload: { polyfill: false },
    // The largest part, CodeMirror, is loaded with the screens that edit code.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The start must wait for nothing.
            { name: "start", tags: ["$initial"], priority: 3 },
            { name: "base", test: BASE, priority: 2 },
            { name: "frame", test: isMain, priority: 1 },
            { name: "shared", minShareCount: SHARED_BY },
          ],
        },
      },
    },
  },
  server: { port: 5173, proxy: { "/api": server, "/docs": server, "/js": server } },
});
