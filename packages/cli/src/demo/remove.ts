import type { SearchAnswer } from "@muster/protocol/api/search";
import { type Api, RefusedRequest } from "../api.js";
import { counted } from "../output/counted.js";
import type { Output } from "../output/output.js";
import type { DemoOrganization } from "./demo-organization.js";

const PAGE = 1_000;
/** All identifiers of the demo begin so. */
const PREFIX = "demo-";

/** Removes the demo: the organization when it is the demo's own, or else what the demo has put there. */
export async function removeDemo(demo: DemoOrganization, output: Output): Promise<void> {
  const { api, id, namespace, notes, connectorId } = demo;
  if (notes.owns_organization) {
    await api.delete(`/${id}?confirm=${encodeURIComponent(namespace)}`);
    return;
  }
  for (const made of notes.made.split(" ").filter(Boolean)) await removeObject(api, made);
  await eraseSubjects(demo, "user", output);
  await eraseSubjects(demo, "account", output);
  await api.delete(`/${connectorId}`);
}

/** An object that is already gone is no error. */
async function removeObject(api: Api, id: string): Promise<void> {
  try {
    await api.delete(`/${id}`);
  } catch (error) {
    if (!(error instanceof RefusedRequest && error.status === 404)) throw error;
  }
}

/** Erases all users or accounts whose identifiers the demo has made. */
async function eraseSubjects(
  { api, gateway }: DemoOrganization,
  type: "user" | "account",
  output: Output,
): Promise<void> {
  const query = {
    bool: { should: ["external_id.raw", "anonymous_ids"].map((field) => ({ prefix: { [field]: PREFIX } })) },
  };
  const search = { query, sort: { created_at: "asc" }, include: ["id"], page: 1, per_page: PAGE };
  for (let erased = 0; ; ) {
    const { data } = await api.post<SearchAnswer>(`/search/${type}_reports`, search);
    if (data.length === 0) return;
    const sayings = data.map(({ id }) => ({ type: "incinerate" as const, at: Date.now(), [type]: { id }, body: {} }));
    const position = await gateway.send(sayings);
    if (position !== undefined) await gateway.waitFor(position);
    erased += data.length;
    output.progress(`erased ${counted(erased, `${type}s`)}`);
  }
}
