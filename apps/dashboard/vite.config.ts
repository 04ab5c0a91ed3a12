import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev -w apps/dashboard` serves the sources and passes calls of the API to a server that runs already.
const server = process.env.MUSTER_URL ?? "http://127.0.0.1:8080";

// Every screen needs these. In one file they are smaller than in many, and stay in the browser when only screens change.
const BASE =
  /node_modules\/(react|react-dom|scheduler|clsx|openapi-fetch|@tanstack\/(react-router|router-core|history|react-query|query-core|store|react-store)|@mantine\/core\/esm\/core)\//;

export default defineConfig({
  plugins: [react()],
  build: {
    target: "es2022",
    outDir: process.env.DASHBOARD_OUT_DIR ?? "dist",
    emptyOutDir: true,
    // The largest part, CodeMirror, is loaded with the screens that edit code.
    chunkSizeWarningLimit: 700,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", test: BASE }] } } },
  },
  server: { port: 5173, proxy: { "/api": server, "/docs": server, "/js": server } },
});
