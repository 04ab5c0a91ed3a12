/** Groups of the gallery, each with the names of destinations, or beginnings of names that end with a star. */
const MEMBERS: Readonly<Record<string, string>> = {
  CRM: "hubspot salesforce pipedrive close attio apolloio actions-pardot outfunnel blackbaud-raisers-edge-nxt saleswings clay qualified chartmogul collab-travel-crm hyperengage canvas inleads-ai usermotion voiceops",
  Advertising:
    "facebook-* google-enhanced-conversions google-campaign-manager-360 google-data-manager first-party-dv360 display-video-360 tiktok-* linkedin-* snap-* pinterest-* reddit-* ms-bing-* amazon-* criteo-* the-trade-desk-crm taboola-* stackadapt* nextdoor-capi rokt-* yahoo-audiences liveramp-audiences podscribe magellan-ai iqm revx moloco-rmp topsort youappi-audiences vibe-audience adobe-target epsilon delivrai-activate spiffy adjust kevel* 1plusx*",
  Messaging:
    "braze* customerio klaviyo iterable* salesforce-marketing-cloud sendgrid* twilio* engage-messaging-* loops moengage clevertap emarsys cordial listrak acoustic* responsys marketo-static-lists airship pushwoosh attentive postscript drip dotdigital* ortto* encharge insider* courier batch xtremepush voyage taguchi yonoma movable-ink gleap intercom antavo gameball eagleeye-audiences talon-one voucherify yotpo friendbuy livelike-cloud gwen surveysparrow qualtrics survicate sprig nudge aampe hilo lark memora* slack",
  Analytics:
    "amplitude* mixpanel google-analytics-4 heap fullstory posthog june userpilot pendo-audiences appcues gainsight-px-cloud-action usermaven toplyne koala metronome m3ter aggregations-io accoil-analytics avo* attribution klime altertable singlestore equals playerzero-cloud prodeology trackey schematic mantle dub calliper launchpad ambee app-fit trubrics roadwayai angler-ai blend-ai dawn",
  Experiments:
    "launchdarkly* optimizely-* vwo absmartly kameleoon dynamic-yield-audiences algolia-insights recombee contentstack jimo-cloud",
  "Files and streams": "s3 aws-s3 aws-kinesis amazon-eventbridge kafka sftp google-sheets* singlestore",
  "Anything with an address": "webhook* zapier noop segment segment-profiles",
  Support: "intercom canny-functions devrev ironclad gleap",
};
const AUDIENCES = "Audiences";
const OTHERS = "Others";

/** The groups of the gallery that show a destination. The package has none. */
export function categoriesOf(name: string, hasAudience: boolean): string[] {
  const found = Object.entries(MEMBERS).flatMap(([category, members]) =>
    members.split(" ").some((member) => isMember(name, member)) ? [category] : [],
  );
  const isAudience = hasAudience || /audience|cohort|list/.test(name);
  const all = isAudience ? [AUDIENCES, ...found] : found;
  return all.length > 0 ? all : [OTHERS];
}

function isMember(name: string, member: string): boolean {
  return member.endsWith("*") ? name.startsWith(member.slice(0, -1)) : name === member;
}
