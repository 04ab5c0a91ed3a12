/**
 * The ids and other values that the examples of the API reference use. They are the same in every document; the test of
 * the examples replaces them with those of its own organization. An id has the type of its object in it.
 */
export const EXAMPLE = {
  organization: "018f6d2b4c0001a1b2000001",
  connector: "018f6d2b4c0002a1b2000001",
  /** A connector without a manifest, whose secret may be replaced. */
  otherConnector: "018f6d2b4c0002a1b2000002",
  user: "018f6d2b4c0010a1b2000001",
  erasedUser: "018f6d2b4c0010a1b2000002",
  /** A user of whom one is a part that was merged into it. */
  mergedUser: "018f6d2b4c0010a1b2000005",
  mergedInto: "018f6d2b4c0010a1b2000006",
  /** An account that was merged into another one. */
  mergedAccount: "018f6d2b4c0011a1b2000002",
  /** A decision that two must not be merged. It may be removed. */
  decision: "018f6d2b4c0010a1b2000007-018f6d2b4c0010a1b2000008",
  keptUser: "018f6d2b4c0010a1b2000007",
  /** A user who may be erased. */
  leavingUser: "018f6d2b4c0010a1b2000003",
  account: "018f6d2b4c0011a1b2000001",
  event: "018f6d2b4c0012a1b2000001",
  usersSegment: "018f6d2b4c0020a1b2000001",
  otherSegment: "018f6d2b4c0020a1b2000002",
  accountsSegment: "018f6d2b4c0021a1b2000001",
  entity: "018f6d2b4c0030a1b2000001",
  comment: "018f6d2b4c0031a1b2000001",
  /** A comment that may be removed. */
  oldComment: "018f6d2b4c0031a1b2000002",
  job: "018f6d2b4c0040a1b2000001",
  /** A job that waits for its time, and may be canceled. */
  scheduledJob: "018f6d2b4c0040a1b2000002",
  /** An import that has ended. */
  importJob: "018f6d2b4c0040a1b2000003",
  platform: "018f6d2b4c0050a1b2000001",
  deployment: "018f6d2b4c0051a1b2000001",
  /** An upload that holds a small CSV file. */
  csvUpload: "1b2c3d4e884c7d659a2feaa0c55ad015",
  upload: "9f86d081884c7d659a2feaa0c55ad015",
  key: "60303ae22b998861bce3b28f33eec1be",
  deadLetter: 170_001,
  rejectedEntry: 170_002,
  /** The message of the dead letter, and the user that it is about. */
  deadMessage: "7042-018f6d2b4c0010a1b2000004",
  refusedUser: "018f6d2b4c0010a1b2000004",
  /** A message about the user of the examples that was kept as it was sent, and its call. */
  message: "7041-018f6d2b4c0010a1b2000001",
  notification: "5d0c1f5e-2a5b-4c3e-8f00-2f0d7b1c9a01",
  view: 170_003,
  /** A view that may be removed. */
  oldView: 170_004,
  insight: 170_005,
  /** An insight that may be removed. */
  oldInsight: 170_006,
  computedAttribute: "018f6d2b4c0060a1b2000001",
  /** A computed attribute that may be removed. */
  oldComputedAttribute: "018f6d2b4c0060a1b2000002",
  writeKey: "170007",
  /** The texts of write keys of the connector. */
  serverKey: "wks_4Yq0nB7dTz1sXe9KcUa2LmRp6VhJgWf3",
  pageKey: "wkp_8Zt3kR1mNc5vQy7HbLw4DsXj2GfPe9Ua",
  /** A write key that may be removed. */
  oldWriteKey: "170008",
  /** When the signed address of a file ends, in Unix seconds. */
  expires: 1_715_000_001,
  signature: "c2lnbmF0dXJlLW9mLXRoZS1hZGRyZXNz",
  file: "extract-of-the-example.json",
  member: "5f0c3a0e-6b3e-4a57-9d2c-0f5a1c2b3d4e",
  /** A member who may be removed. */
  otherMember: "5f0c3a0e-6b3e-4a57-9d2c-0f5a1c2b3d4f",
  session: "0d9b2c1a-7e44-4f0b-8a55-6c1d2e3f4a5b",
  invitation: "b7e1d2c3-1f2a-4b3c-9d4e-5f6a7b8c9d0e",
  signInToken: "c2lnbi1pbi10b2tlbi1vZi10aGUtZXhhbXBsZQ",
  invitationToken: "aW52aXRhdGlvbi10b2tlbi1vZi10aGUtZXhhbXBsZQ",
  /** The sealed name of a page that may be shown in a frame. */
  ticket: "dGlja2V0LW9mLXRoZS1mcmFtZQ",
  token: "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiIwMThmNmQyYjRjMDAwMmExYjIwMDAwMDEifQ.signature",
  /** The id of a visitor that a link carries from one domain of the platform to another. */
  carried: "aWQtb2YtYS12aXNpdG9yLWZvci1hLWxpbmstdG8tdGhlLWJsb2c",
  position: "l42",
  /** Where the connector of the examples runs. */
  connectorUrl: "https://connector.example.com",
  otherManifestUrl: "https://connector.example.com/other/manifest.json",
} as const;
