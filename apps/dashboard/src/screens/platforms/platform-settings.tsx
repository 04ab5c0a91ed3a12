import { Stack, Switch, TextInput, Title } from "@mantine/core";
import type { ListedPlatform, PlatformChange } from "@muster/protocol/api/platforms";
import { useState } from "react";
import { sentenceOf } from "../../api/api-error.js";
import { usePlatformChanges } from "../../api/organization/use-platforms.js";
import { DomainsField } from "../../ui/form/domains-field.js";
import { notifyDone, notifyFailed } from "../../ui/notes/notify-done.js";

/** Who may use the platform, and how visitors are recorded. Each change is made at once and can be undone. */
export function PlatformSettings({ platform, mayChange }: { platform: ListedPlatform; mayChange: boolean }) {
  const { id, name, domains, settings } = platform;
  const { update } = usePlatformChanges();
  const [typedName, setTypedName] = useState<string>();
  const [domainError, setDomainError] = useState<string>();
  const change = async (message: string, changes: PlatformChange, before: PlatformChange) => {
    await update(id, changes);
    notifyDone(message, () => update(id, before));
  };
  const changeDomains = async (given: string[]) => {
    setDomainError(undefined);
    try {
      await change("Allowed domains changed", { domains: given }, { domains });
    } catch (error) {
      setDomainError(sentenceOf(error));
    }
  };
  const changeSetting = (message: string, key: string, value: string | boolean, before: string | boolean) =>
    void change(message, { settings: { [key]: value } }, { settings: { [key]: before } }).catch(notifyFailed);
  const rename = () => {
    const given = typedName?.trim();
    setTypedName(undefined);
    if (!given || given === name) return;
    void change("Platform renamed", { name: given }, { name }).catch(notifyFailed);
  };
  const needsConsent = settings.consent === "required";
  const respectsDnt = settings.respect_dnt === true;
  const tracksPages = settings.track_page_inits === true;
  return (
    <Stack component="section" gap="sm" aria-label="Settings" maw={560}>
      <Title order={2}>Settings</Title>
      <DomainsField
        value={domains}
        onChange={(given) => void changeDomains(given)}
        error={domainError}
        disabled={!mayChange}
      />
      <TextInput
        label="Name"
        value={typedName ?? name}
        onChange={({ currentTarget }) => setTypedName(currentTarget.value)}
        onBlur={rename}
        onKeyDown={({ key }) => {
          if (key === "Enter") rename();
        }}
        maxLength={200}
        disabled={!mayChange}
      />
      <Switch
        label="Wait for consent"
        description="Nothing is stored or sent about a visitor before the page says that the visitor agrees."
        checked={needsConsent}
        onChange={({ currentTarget: { checked } }) =>
          changeSetting(
            checked ? "Visitors are recorded after they agree" : "Visitors are recorded without asking",
            "consent",
            checked ? "required" : "not_required",
            needsConsent ? "required" : "not_required",
          )
        }
        disabled={!mayChange}
      />
      <Switch
        label="Respect Do Not Track"
        description="A visitor whose browser asks not to be tracked is not recorded."
        checked={respectsDnt}
        onChange={({ currentTarget: { checked } }) =>
          changeSetting(
            checked ? "Do Not Track is respected" : "Do Not Track is not looked at",
            "respect_dnt",
            checked,
            respectsDnt,
          )
        }
        disabled={!mayChange}
      />
      <Switch
        label="Record the opening of pages"
        description="For pages with the older library, which records an event whenever a page is opened."
        checked={tracksPages}
        onChange={({ currentTarget: { checked } }) =>
          changeSetting(
            checked ? "The opening of pages is recorded" : "The opening of pages is not recorded",
            "track_page_inits",
            checked,
            tracksPages,
          )
        }
        disabled={!mayChange}
      />
    </Stack>
  );
}
