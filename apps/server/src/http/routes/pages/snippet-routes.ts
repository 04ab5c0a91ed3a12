import type { Brand } from "@muster/protocol";
import { PLATFORMS_API } from "@muster/protocol/api/platforms";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { Platforms } from "../../../platforms/platforms.js";
import type { App } from "../../app-type.js";
import { requirePlatform } from "../platforms/require-platform.js";
import type { BrowserScript } from "./browser-script.js";

export interface SnippetRoutesOptions {
  brand: Brand;
  addresses: Addresses;
  platforms: Platforms;
  script: BrowserScript;
}

export function snippetRoutes(app: App, { brand, addresses, platforms, script }: SnippetRoutesOptions): void {
  app.get(
    "/:id/snippet",
    {
      config: { access: "connector" },
      schema: {
        tags: ["platforms"],
        summary: "What a website pastes into its pages",
        ...PLATFORMS_API["GET /api/v1/{id}/snippet"],
      },
    },
    async ({ caller, params }) => {
      const platform = await requirePlatform(platforms, params.id, caller);
      const url = addresses.organizationUrl(caller.organization.namespace);
      const [src, latest] = [script.version, "latest"].map((version) => `${url}/js/${version}/muster.js`) as [
        string,
        string,
      ];
      const { integrity, isFixed } = await script.current();
      const tag = (address: string, more = "") =>
        `<script async id="${brand.word.toLowerCase()}-js-sdk" data-platform-id="${platform.id}" data-org-url="${url}" src="${address}"${more}></script>`;
      return {
        // The script of a version that is not released yet may change, and a page with its hash would stop recording.
        html: tag(src, isFixed ? ` integrity="${integrity}" crossorigin="anonymous"` : ""),
        latest_html: tag(latest),
        version: script.version,
        src,
        integrity,
      };
    },
  );
}
