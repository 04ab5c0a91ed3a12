/** The names of the settings that every destination has, beside those of its own authentication. */
export const SETTING = {
  segments: "segments",
  accountSegments: "account_segments",
  mappings: "mappings",
  audienceIds: "audience_ids",
  oauth: "oauth",
  oauthTokens: "oauth_tokens",
  clientId: "oauth_client_id",
  clientSecret: "oauth_client_secret",
  authorizationUrl: "oauth_authorization_url",
  tokenUrl: "oauth_token_url",
  scope: "oauth_scope",
} as const;

/** The settings of audiences begin with this word, so that they cannot meet those of the authentication. */
export const AUDIENCE_PREFIX = "audience_";
