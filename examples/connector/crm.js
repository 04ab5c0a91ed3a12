/** A small CRM to try the connector with: `node crm.js` listens on PORT, default 8083, and wants the key `key-1`. */
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/**
 * | call | what it does |
 * |---|---|
 * | `POST /contacts` | creates a contact, or changes the one with this email |
 * | `GET /contacts` | lists them |
 * | `PATCH /contacts/:id` | changes a contact, as a person would, and calls the webhook |
 * | `PUT /webhook` | `{"url"}`: the address to call |
 */
export async function startCrm(port, key) {
  const contacts = new Map();
  let webhookUrl;

  const answers = {
    "GET /contacts": () => [200, [...contacts.values()]],
    "POST /contacts": (contact) => {
      if (!contact.email?.includes("@")) return [422, { error: "That is no email." }];
      const known = [...contacts.values()].find(({ email }) => email === contact.email);
      const saved = { ...known, id: known?.id ?? `c${contacts.size + 1}`, ...contact };
      contacts.set(saved.id, saved);
      return [known ? 200 : 201, saved];
    },
    "PUT /webhook": ({ url }) => {
      webhookUrl = url;
      return [200, {}];
    },
    "PATCH /contacts": async (change, id) => {
      if (!contacts.has(id)) return [404, { error: "There is no such contact." }];
      const contact = { ...contacts.get(id), ...change };
      contacts.set(id, contact);
      const headers = { "content-type": "application/json" };
      const called = await fetch(webhookUrl, { method: "POST", headers, body: JSON.stringify({ contact }) });
      return [200, { contact, webhook: await called.json() }];
    },
  };

  const server = createServer(async (request, response) => {
    const [, path, id] = request.url.split("/");
    const answer = answers[`${request.method} /${path}`] ?? (() => [404, { error: "There is no such page." }]);
    const isAllowed = request.headers.authorization === `Bearer ${key}`;
    const given = request.method === "GET" ? {} : await json(request);
    const [status, body] = isAllowed ? await answer(given, id) : [401, { error: "That is not the key." }];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    contacts,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const isProgram = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) await startCrm(process.env.PORT ?? 8083, "key-1");
