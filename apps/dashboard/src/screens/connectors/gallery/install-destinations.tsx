import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import type { DestinationInstallation } from "@muster/protocol/api/catalogue";
import { useDestinationInstallation, useInstallDestinations } from "../../../api/connectors/use-catalogue.js";
import { useSession } from "../../../api/session/use-session.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

/** The package of destinations, which the operator of the server installs once for all organizations. */
export function InstallDestinations({ hasDestinations }: { hasDestinations: boolean }) {
  const { data: session } = useSession();
  const isOperator = session?.is_operator === true;
  const { data: installation, error, refetch } = useDestinationInstallation({ enabled: isOperator });
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (hasDestinations) return isOperator && installation ? <Update installation={installation} /> : null;
  return (
    <Stack gap="xs" mt="xs" align="flex-start">
      <Text c="dimmed">Two hundred services, such as HubSpot, Slack and Facebook.</Text>
      {isOperator ? null : (
        <Text c="dimmed">
          They are not installed on this server. Its operator installs them here, once for everybody.
        </Text>
      )}
      {installation ? <Installation installation={installation} /> : null}
    </Stack>
  );
}

function Installation({ installation }: { installation: DestinationInstallation }) {
  if (installation.state === "installed") {
    return (
      <Text c="dimmed">
        {installation.destinations} are installed on this server. Its setting <code>DESTINATIONS</code> allows none of
        them.
      </Text>
    );
  }
  return (
    <>
      {installation.state === "none" && installation.refusal === null ? (
        <Text c="dimmed">
          They are a public package of 107 MB, which npm installs from its registry into the data directory of this
          server.
        </Text>
      ) : null}
      <Start installation={installation} label="Install destinations" />
    </>
  );
}

/** A new version of the server brings a new version of the package. */
function Update({ installation }: { installation: DestinationInstallation }) {
  if (installation.is_current && installation.state === "installed") return null;
  return (
    <Stack gap="xs" mt="xs" align="flex-start">
      <Text c="dimmed">
        This server comes with another version of the destinations than {installation.version ?? "that"}.
      </Text>
      <Start installation={installation} label="Update destinations" />
    </Stack>
  );
}

function Start({ installation, label }: { installation: DestinationInstallation; label: string }) {
  const { state, step, problem, refusal, command } = installation;
  const install = useInstallDestinations();
  if (state === "installing") {
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" />
        <Text>{step}</Text>
      </Group>
    );
  }
  const isFailed = problem !== null;
  return (
    <>
      {isFailed ? (
        <Text c="var(--bad)" role="alert">
          {problem}
        </Text>
      ) : null}
      {refusal === null ? null : <Text>{refusal}</Text>}
      {refusal === null && !isFailed ? null : (
        <Text c="dimmed">
          On a machine of the server, <code>{command}</code> installs them too.
        </Text>
      )}
      {refusal === null ? (
        <Button loading={install.isPending} onClick={() => install.mutate()}>
          {isFailed ? "Try again" : label}
        </Button>
      ) : null}
      {install.error ? <ErrorNote error={install.error} /> : null}
    </>
  );
}
