import { many } from '../capabilities.ts';

/** Where clients connect; provided by transports, for the ready line. */
export interface Endpoint {
  /** `http://host:port/mcp`, or `stdio`; undefined before it can be reached. */
  url(): string | undefined;
}
export const Endpoint = many<Endpoint>('endpoint');
