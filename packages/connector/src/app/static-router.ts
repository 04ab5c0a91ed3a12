import { join } from "node:path";
import express, { Router } from "express";
import type { ManifestFile } from "../manifest-file.js";

/** Serves what can be read without credentials: the manifest, the readme, and the files in `dist` and `assets`. */
export function staticRouter({ manifest, directory }: ManifestFile): Router {
  const router = Router();
  const readme = typeof manifest.readme === "string" ? manifest.readme.replace(/^\/+/, "") : "README.md";
  const sendReadme: express.RequestHandler = (_request, response) => {
    response.type("text/markdown");
    response.sendFile(readme, { root: directory });
  };
  router.get("/manifest.json", (_request, response) => void response.json(manifest));
  router.get("/", (_request, response) => response.redirect("readme"));
  router.get(["/readme", `/${readme}`], sendReadme);
  for (const name of ["dist", "assets"]) {
    const files = express.static(join(directory, name), { index: false });
    router.use(`/${name}`, files);
    // Manifests give the path of their picture and script without the folder.
    router.use(files);
  }
  return router;
}
