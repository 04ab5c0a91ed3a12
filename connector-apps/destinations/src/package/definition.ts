/**
 * What this app uses of the package of destinations. The package is installed apart from the repository, so its own types are
 * not there when this code is compiled.
 */

/** A field of a mapping, of the authentication or of an audience, as a definition declares it. */
export interface Field {
  label?: string;
  description?: string;
  type: string;
  multiple?: boolean;
  required?: unknown;
  default?: unknown;
  choices?: readonly unknown[];
  format?: string;
  properties?: Readonly<Record<string, Field>>;
  dynamic?: unknown;
  defaultObjectUI?: string;
  depends_on?: unknown;
  unsafe_hidden?: boolean;
  minimum?: number;
  maximum?: number;
}

export interface SyncMode {
  default: string;
  label: string;
  description: string;
  choices: readonly { label: string; value: string }[];
}

export interface ActionDefinition {
  title: string;
  description?: string;
  defaultSubscription?: string;
  hidden?: boolean;
  fields?: Readonly<Record<string, Field>>;
  syncMode?: SyncMode;
  performBatch?: unknown;
  /** Steps that run elsewhere when somebody saves a mapping, such as making a list at the service. */
  hooks?: Readonly<Record<string, { label?: string }>>;
}

export interface Preset {
  name?: string;
  partnerAction: string;
  type?: string;
  subscribe?: string;
  eventSlug?: string;
  mapping?: Readonly<Record<string, unknown>>;
}

/** A destination: data about it, and the functions that call its service. */
export interface Definition {
  name: string;
  slug?: string;
  description?: string;
  authentication?: {
    scheme: string;
    fields?: Readonly<Record<string, Field>>;
    testAuthentication?: unknown;
    refreshAccessToken?: unknown;
  };
  actions: Readonly<Record<string, ActionDefinition>>;
  presets?: readonly Preset[];
  audienceConfig?: { mode?: { type?: string }; createAudience?: unknown; getAudience?: unknown };
  audienceFields?: Readonly<Record<string, Field>>;
}

/** The tokens of an authorization, under the names that the package reads. */
export interface OAuthTokens {
  access_token?: string;
  refresh_token?: string;
  clientId?: string;
  clientSecret?: string;
  refresh_token_url?: string;
}

export interface RefreshedTokens {
  accessToken: string;
  refreshToken?: string;
}

/** What became of one event of a batch. */
export interface BatchItem {
  status?: number;
  errortype?: string;
  errormessage?: string;
  sent?: unknown;
  body?: unknown;
}

export interface EventOptions {
  onTokenRefresh?(tokens: RefreshedTokens): Promise<void>;
}

interface ServiceResponse {
  status?: number;
  url?: string;
  content?: string;
  data?: unknown;
  headers?: { get(name: string): string | null };
  request?: { method?: string; url?: string };
  options?: { body?: unknown };
}

/** The answer of a service, with the request that it answers. */
export type { ServiceResponse };

/** A destination that can be run. */
export interface RunnableDestination {
  actions: Readonly<
    Record<string, { schema?: object; on(name: "response", listener: (response?: ServiceResponse) => void): unknown }>
  >;
  /** All answers since the start. The package never empties it. */
  responses: unknown[];
  onEvent(event: object, settings: object, options?: EventOptions): Promise<readonly { output?: unknown }[]>;
  onBatch(
    events: readonly object[],
    settings: object,
    options?: EventOptions,
  ): Promise<readonly { multistatus?: readonly (BatchItem | undefined)[] }[]>;
  testAuthentication(settings: object): Promise<void>;
  createAudience(input: object): Promise<{ externalId: string }>;
  getAudience(input: object): Promise<{ externalId: string }>;
  executeDynamicField(action: string, field: string, data: object): Promise<DynamicChoices | readonly never[]>;
  refreshAccessToken(
    settings: object,
    tokens: { accessToken?: string },
    synchronize?: () => Promise<void>,
  ): Promise<RefreshedTokens | undefined>;
}

export interface DynamicChoices {
  choices?: readonly { value: string | number; label?: string }[];
  error?: { message?: string };
}

/** The parts of the package's core that this app calls. */
export interface Core {
  Destination: new (definition: Definition) => RunnableDestination;
  transform(mapping: object, event: object): Record<string, unknown>;
  validateSchema(payload: object, schema: object, options: { schemaKey?: string; exempt?: string[] }): boolean;
  defaultValues(fields: object): Record<string, unknown>;
}

/** The query language of triggers. */
export interface Triggers {
  parseFql(text: string): { error?: { message: string } };
  validate(parsed: object, event: object): boolean;
}
