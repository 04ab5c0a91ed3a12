/** When which action runs, and where its fields get their values. The name in the package is "subscription". */
export interface Mapping {
  id: string;
  name: string;
  /** The key of the action. */
  action: string;
  enabled: boolean;
  /** In the query language of the package, such as `type = "track" and event = "Signed up"`. */
  trigger: string;
  /** Each field with a value or a directive of the package, such as `{"@path": "$.traits.email"}`. */
  fields: Record<string, unknown>;
}
