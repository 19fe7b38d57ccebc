export { hiddenSpec } from './shared/hiddenSpec.ts';
export { stateInWords } from './shared/words.ts';
import type { NoDetails } from 'pegboard';
import type { ServerNotice } from '../upstream/contract.ts';

declare module 'pegboard' {
  interface EventMap {
    'server.created': ServerNotice;
    'server.updated': ServerNotice;
    'server.deleted': ServerNotice;
  }
  interface ErrorCodes {
    /** the service must be stopped first */
    SERVICE_RUNNING: NoDetails;
  }
}
