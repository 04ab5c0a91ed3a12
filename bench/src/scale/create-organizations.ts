import { ADMIN_TOKEN } from "../chaos/operator.js";

/** An organization, and a connector that sends records to it. */
export interface SendingOrganization {
  namespace: string;
  connectorId: string;
  secret: string;
}

export async function createOrganizations(apiUrl: string, count: number): Promise<SendingOrganization[]> {
  const created: SendingOrganization[] = [];
  for (let index = 0; index < count; index++) {
    const namespace = `org-${index}`;
    await post(`${apiUrl}/api/v1/organizations`, { namespace });
    const { id, secret } = await post<{ id: string; secret: string }>(
      `${apiUrl}/api/v1/connectors`,
      { name: "Sender" },
      { "svc-organization": namespace },
    );
    created.push({ namespace, connectorId: id, secret });
  }
  return created;
}

async function post<Answer>(url: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}
