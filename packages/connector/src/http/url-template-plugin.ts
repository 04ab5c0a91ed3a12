import type { Plugin, SuperAgentRequest } from "superagent";

export type TemplateVariables = Readonly<Record<string, string | number>>;

/** A request whose address may hold variables such as `{{listId}}`. */
export interface TemplatedRequest extends SuperAgentRequest {
  /** Sets values for variables in the address. */
  tmplVar(variables: TemplateVariables): this;
  /** The values given so far, without the defaults. */
  readonly urlTemplateVariables: TemplateVariables;
  /** The address with its variables. */
  readonly urlTemplate: string;
}

/**
 * Fills in the `{{variables}}` of addresses, so that logs and metrics can hold the address without its values.
 *
 * @example
 * await superagent.get("https://api.example.com/{{list}}").use(urlTemplatePlugin({ list: "1" })).tmplVar({ list: "2" });
 */
export function urlTemplatePlugin(defaults: TemplateVariables = {}): Plugin {
  return (request) => {
    const outgoing = request as SuperAgentRequest;
    const urlTemplate = outgoing.url;
    const urlTemplateVariables: Record<string, string | number> = {};
    Object.assign(outgoing, {
      urlTemplate,
      urlTemplateVariables,
      tmplVar(variables: TemplateVariables) {
        Object.assign(urlTemplateVariables, variables);
        return outgoing;
      },
    });
    const end = outgoing.end.bind(outgoing);
    outgoing.end = (callback) => {
      outgoing.url = fill(urlTemplate, { ...defaults, ...urlTemplateVariables });
      return end(callback);
    };
  };
}

function fill(template: string, variables: TemplateVariables): string {
  return template.replace(/{{\s*([\w.-]+)\s*}}/g, (_match, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`The address ${template} has no value for "${name}".`);
    return encodeURIComponent(value);
  });
}
