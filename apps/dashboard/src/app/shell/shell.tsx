import { Burger, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import { useOrganization } from "../../api/session/use-organization.js";
import { HelpHost } from "../help/help-host.js";
import { PaletteHost } from "../palette/palette-host.js";
import { NewOrganization } from "./new-organization.js";
import { OfflineBanner } from "./offline-banner.js";
import { Rail } from "./rail.js";
import classes from "./shell.module.css";
import { UnknownOrganization } from "./unknown-organization.js";
import { useListKeys } from "./use-list-keys.js";

/** The frame around every screen of an organization: the rail on the left, on a phone a bar at the top. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const organization = useOrganization();
  const address = useRouterState({ select: ({ location }) => location.pathname });
  // On a phone, the rail covers the screen: it closes when a screen was chosen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what the effect waits for
  useEffect(close, [address, close]);
  useListKeys();
  const { id: org } = organization;
  const client = useQueryClient();
  // What was on its way while the organization changed may have been answered for the next one.
  useEffect(() => () => client.removeQueries({ queryKey: [org] }), [client, org]);
  if (!organization.isKnown) return <UnknownOrganization />;
  return (
    // Another organization begins anew: nothing that was shown or typed for the one before stays.
    <div key={org} className={classes.shell}>
      <header className={classes.bar}>
        <Burger size="sm" opened={isOpen} onClick={toggle} aria-label={isOpen ? "Close the menu" : "Open the menu"} />
        <Text fw={600}>{organization.name}</Text>
      </header>
      <aside className={classes.rail} data-open={isOpen || undefined} aria-label="Menu">
        <Rail />
      </aside>
      <main className={classes.main}>
        <OfflineBanner />
        <Outlet />
      </main>
      <PaletteHost />
      <HelpHost />
      <NewOrganization />
    </div>
  );
}
