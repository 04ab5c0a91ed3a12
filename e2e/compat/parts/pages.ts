import { expect, test } from "vitest";
import type { Installed } from "../support/hull-server.js";
import type { PublishedPlatform } from "../support/published-platform.js";

/** The pages of a connector, and the files that the library serves. */
export function testPages(platform: () => PublishedPlatform): void {
  /** The addresses of the pages, as the dashboard opens them. */
  async function pages({ id, namespace }: Installed): Promise<{ kind: string; title: string; url: string }[]> {
    return (await platform().server.operator(namespace, "GET", `/${id}/pages`)).body;
  }

  test("a tab has the credentials in its address, and the library finds the connector by them", async () => {
    const installed = await platform().install("tabs");
    const [tab] = await pages(installed);
    expect(tab).toMatchObject({ kind: "tab", title: "Overview" });
    const answer = await fetch(tab!.url);
    const shown = (await answer.json()) as { token: string };
    const { id, organization } = installed;
    expect(shown).toMatchObject({ id, organization, ship: "Published library" });
    // The pages of a connector go on with a token of the library instead of the credentials.
    const again = await platform().smart.get({ hullToken: shown.token }, "/admin");
    expect(await again.json()).toMatchObject({ id, ship: "Published library" });
  });

  test("oAuthHandler: somebody signs in, and the token is in the settings", async () => {
    const { smart } = platform();
    const installed = await platform().install("oauth");
    const admin = (await pages(installed)).find(({ kind }) => kind === "admin");
    const login = await (await fetch(admin!.url)).text();
    expect(login).toContain("login Third party");
    const link = /href="([^"]+)"/.exec(login)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(link.startsWith(`${smart.url}/auth/login?token=`)).toBe(true);
    const away = await fetch(link, { redirect: "manual" });
    const thirdParty = new URL(away.headers.get("location") ?? "");
    const callback = new URL(thirdParty.searchParams.get("redirect_uri") ?? "");
    callback.searchParams.set("code", "c0de");
    const back = await fetch(callback);
    expect([back.url.startsWith(`${smart.url}/auth/success`), await back.text()]).toEqual([
      true,
      expect.stringContaining("success Third party"),
    ]);
    expect(await smart.run(installed, ["ship"])).toMatchObject({ private_settings: { token: "token for c0de" } });
    expect(await (await fetch(admin!.url)).text()).toContain("home Third party");
  });

  test("the options of a setting are loaded from an endpoint that the connector serves to GET", async () => {
    const { id } = await platform().install("options");
    const answer = await platform().server.operator("options", "POST", `/${id}/call`, { path: "/schema/user_fields" });
    expect([answer.status, answer.body]).toEqual([
      200,
      { options: [{ value: "first_name", label: "First name for Published library" }] },
    ]);
  });

  test("the library serves the manifest, and sends the reader of the readme to the old dashboard", async () => {
    const { smart } = platform();
    const manifest = await (await smart.get({}, "/manifest.json")).json();
    expect(manifest).toMatchObject({ name: "Published library", version: "0.1.0" });
    // This address is written in the library. Muster shows the readme that the manifest names instead.
    expect((await smart.get({}, "/readme")).headers.get("location")).toContain("dashboard.hullapp.io/readme");
  });
}
