import { type ObjectType, typeOfId } from "@muster/protocol";
import type { OwnConnector } from "@muster/protocol/api/connectors";
import { type Api, RefusedRequest } from "../api.js";
import { Failure, usageFailure } from "../failure.js";
import { readList } from "../read-list.js";

/** The connector with this id, or the only one with this name. */
export async function findConnector(api: Api, given: string): Promise<OwnConnector> {
  if (typeOfId(given) === "connector") {
    const found = await findById<OwnConnector>(api, given, "connector");
    if (found) return found;
  }
  const all = await readList<OwnConnector>(api, "/connectors");
  return onlyOneNamed(all, given, "connector", "`muster connector list` shows all.");
}

/** The object with this id; undefined when there is none, or when it is of another type. */
export async function findById<Found>(api: Api, id: string, ...types: ObjectType[]): Promise<Found | undefined> {
  const type = typeOfId(id);
  if (type === undefined || !types.includes(type)) return undefined;
  try {
    return await api.get<Found>(`/${id}`);
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 404) return undefined;
    throw error;
  }
}

/** The only item with this name. Upper and lower case may differ when that leaves one. */
export function onlyOneNamed<Item extends { id: string; name: string }>(
  all: Item[],
  given: string,
  what: string,
  hint: string,
): Item {
  const exact = all.filter(({ name }) => name === given);
  const found = exact.length > 0 ? exact : all.filter(({ name }) => name.toLowerCase() === given.toLowerCase());
  const [first, ...others] = found;
  if (first === undefined) throw new Failure("refused", `There is no ${what} "${given}". ${hint}`);
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => id).join(", ");
  throw usageFailure(`${found.length} ${what}s are named "${given}". Give the id of one of them: ${ids}.`);
}
