import { Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { CheckIcon, ChevronDownIcon, MoonIcon, PlusIcon, SunIcon } from "@primer/octicons-react";
import { useNavigate } from "@tanstack/react-router";
import { useOrganization } from "../../api/session/use-organization.js";
import { useSession } from "../../api/session/use-session.js";
import { useSignOut } from "../../api/session/use-sign-in.js";
import { notifyFailed } from "../../ui/notes/notify-done.js";
import { newOrganizationRequest } from "../requests.js";
import classes from "./organization-menu.module.css";

/** Chooses the organization and the colour scheme, and signs out. */
export function OrganizationMenu() {
  const { data: session } = useSession();
  const organization = useOrganization();
  const navigate = useNavigate();
  const signOut = useSignOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-start" width={240} transitionProps={{ duration: 0 }}>
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={`Organization ${organization.name}`}>
          <Text fw={600} truncate>
            {organization.name}
          </Text>
          <ChevronDownIcon size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Organization</Menu.Label>
        {session?.organizations.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => void navigate({ to: "/o/$org", params: { org: id } })}
            rightSection={id === organization.id ? <CheckIcon size={14} /> : null}
          >
            {name}
          </Menu.Item>
        ))}
        {session?.is_operator ? (
          <Menu.Item leftSection={<PlusIcon size={14} />} onClick={newOrganizationRequest.send}>
            New organization…
          </Menu.Item>
        ) : null}
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {(["light", "dark", "auto"] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            leftSection={scheme === "dark" ? <MoonIcon size={14} /> : scheme === "light" ? <SunIcon size={14} /> : null}
            rightSection={scheme === colorScheme ? <CheckIcon size={14} /> : null}
          >
            {scheme === "auto" ? "As the system" : scheme === "dark" ? "Dark" : "Light"}
          </Menu.Item>
        ))}
        {session?.member ? (
          <>
            <Menu.Divider />
            <Menu.Label>{session.member.email}</Menu.Label>
            <Menu.Item
              onClick={() =>
                void navigate({
                  to: "/o/$org/settings",
                  params: { org: organization.id },
                  search: { tab: "account" },
                })
              }
            >
              Your account
            </Menu.Item>
            <Menu.Item
              onClick={() =>
                signOut.mutate(undefined, {
                  onSuccess: () => void navigate({ to: "/sign-in" }),
                  onError: notifyFailed,
                })
              }
            >
              Sign out
            </Menu.Item>
          </>
        ) : null}
      </Menu.Dropdown>
    </Menu>
  );
}
