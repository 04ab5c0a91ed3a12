export interface OAuthEndpoints {
  authorizationUrl?: string;
  tokenUrl?: string;
  scope?: string;
}

const GOOGLE = {
  // Without these two parameters Google gives no refresh token.
  authorizationUrl: "https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&prompt=consent",
  tokenUrl: "https://oauth2.googleapis.com/token",
};
const LINKEDIN = {
  authorizationUrl: "https://www.linkedin.com/oauth/v2/authorization",
  tokenUrl: "https://www.linkedin.com/oauth/v2/accessToken",
};
const SALESFORCE = {
  authorizationUrl: "https://login.salesforce.com/services/oauth2/authorize",
  tokenUrl: "https://login.salesforce.com/services/oauth2/token",
};
const SNAP = {
  authorizationUrl: "https://accounts.snapchat.com/login/oauth2/authorize",
  tokenUrl: "https://accounts.snapchat.com/login/oauth2/access_token",
  scope: "snapchat-marketing-api",
};
const AMAZON = {
  authorizationUrl: "https://www.amazon.com/ap/oa",
  tokenUrl: "https://api.amazon.com/auth/o2/token",
  scope: "advertising::audiences advertising::campaign_management",
};
const SHEETS = { ...GOOGLE, scope: "https://www.googleapis.com/auth/spreadsheets" };

/** Where people agree and where tokens are given, as the services document it. The package does not say. */
const ENDPOINTS: Readonly<Record<string, OAuthEndpoints>> = {
  "actions-pardot": { ...SALESFORCE, scope: "pardot_api refresh_token" },
  "amazon-amc": AMAZON,
  "amazon-conversions-api": AMAZON,
  attio: {
    authorizationUrl: "https://app.attio.com/authorize",
    tokenUrl: "https://app.attio.com/oauth/token",
  },
  "blackbaud-raisers-edge-nxt": {
    authorizationUrl: "https://app.blackbaud.com/oauth/authorize",
    tokenUrl: "https://oauth2.sky.blackbaud.com/token",
  },
  "facebook-custom-audiences": {
    authorizationUrl: "https://www.facebook.com/v21.0/dialog/oauth",
    tokenUrl: "https://graph.facebook.com/v21.0/oauth/access_token",
    scope: "ads_management",
  },
  "first-party-dv360": { ...GOOGLE, scope: "https://www.googleapis.com/auth/display-video" },
  "google-campaign-manager-360": { ...GOOGLE, scope: "https://www.googleapis.com/auth/ddmconversions" },
  "google-data-manager": { ...GOOGLE, scope: "https://www.googleapis.com/auth/datamanager" },
  "google-enhanced-conversions": { ...GOOGLE, scope: "https://www.googleapis.com/auth/adwords" },
  "google-sheets": SHEETS,
  "google-sheets-dev": SHEETS,
  hubspot: {
    authorizationUrl: "https://app.hubspot.com/oauth/authorize",
    tokenUrl: "https://api.hubapi.com/oauth/v1/token",
    scope:
      "oauth crm.objects.contacts.read crm.objects.contacts.write crm.objects.companies.read crm.objects.companies.write",
  },
  intercom: {
    authorizationUrl: "https://app.intercom.com/oauth",
    tokenUrl: "https://api.intercom.io/auth/eagle/token",
  },
  "linkedin-audiences": { ...LINKEDIN, scope: "rw_dmp_segments rw_ads" },
  "linkedin-conversions": { ...LINKEDIN, scope: "rw_conversions r_ads rw_ads" },
  "ms-bing-ads-audiences": {
    authorizationUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    scope: "https://ads.microsoft.com/msads.manage offline_access",
  },
  "reddit-audiences": {
    authorizationUrl: "https://www.reddit.com/api/v1/authorize?duration=permanent",
    tokenUrl: "https://www.reddit.com/api/v1/access_token",
    scope: "adsread adsedit",
  },
  salesforce: { ...SALESFORCE, scope: "api refresh_token" },
  "snap-audiences": SNAP,
  "snap-conversions-api": SNAP,
  "tiktok-audiences": {
    authorizationUrl: "https://business-api.tiktok.com/portal/auth",
    tokenUrl: "https://business-api.tiktok.com/open_api/v1.3/oauth2/access_token/",
  },
};

export function oauthEndpoints(name: string): OAuthEndpoints {
  return ENDPOINTS[name] ?? {};
}
