import { afterAll, beforeAll, beforeEach } from "vitest";
import { type ConnectorUnderTest, setUpConnector } from "../../../testing/set-up-connector.js";
import { readRecord } from "../catalogue.js";
import { createDestination } from "../connector/create-destination.js";
import type { Mapping } from "../mapping/mapping.js";
import { defaultsOf } from "../mapping/starting-mappings.js";
import { DestinationThreads, type DestinationThreadsOptions } from "../thread/destination-threads.js";
import { installation } from "./installation.js";
import { Recorder } from "./recorder.js";
import { OTHER_SEGMENT, SEGMENT } from "./sample-events.js";
import { startRecordedThread } from "./start-recorded-thread.js";

export interface DestinationUnderTest extends ConnectorUnderTest {
  readonly recorder: Recorder;
  readonly threads: DestinationThreads;
}

/**
 * The connector of a destination with a recorder in place of its service, in a fake Muster. `settings` are those that a person
 * has given; the segments of the sample are chosen.
 */
export function setUpDestination(
  name: string,
  settings: Record<string, unknown>,
  options: Partial<Pick<DestinationThreadsOptions, "callMs" | "idleMs" | "memoryMb">> & { folder?: string } = {},
): DestinationUnderTest {
  const recorder = new Recorder();
  let threads: DestinationThreads;
  const { folder = installation(), ...limits } = options;
  beforeAll(async () => {
    await recorder.open();
    threads = new DestinationThreads({ folder, start: startRecordedThread(recorder.port), ...limits });
  });
  afterAll(async () => {
    await threads.close();
    recorder.close();
  });
  beforeEach(() => recorder.clear());
  const connector = setUpConnector(
    (given) => createDestination({ folder, threads }, name, given),
    () => ({
      connector: { private_settings: { segments: [SEGMENT.id], account_segments: ["ALL"], ...settings } },
      segments: [SEGMENT, OTHER_SEGMENT],
    }),
  );
  return Object.defineProperties(connector as DestinationUnderTest, {
    recorder: { value: recorder },
    threads: { get: () => threads },
  });
}

/** A mapping of an action with its defaults, and what a person would fill in. */
export function mappingFor(
  name: string,
  action: string,
  trigger: string,
  fields: Record<string, unknown> = {},
  folder = installation(),
): Mapping {
  const found = readRecord(folder, name)?.actions.find(({ key }) => key === action);
  if (!found) throw new Error(`${name} has no action ${action}.`);
  return {
    id: action,
    name: found.title,
    action,
    enabled: true,
    trigger,
    fields: { ...defaultsOf(found), ...fields },
  };
}
