/** Where clients reach a server, or several that work together, and how they identify themselves. */
export interface ServerAddress {
  /** Where batches are sent. It may be another one for each request. */
  readonly gatewayUrl: string;
  /** Where the API is called. */
  readonly apiUrl: string;
  readonly connectorId: string;
  readonly secret: string;
}
