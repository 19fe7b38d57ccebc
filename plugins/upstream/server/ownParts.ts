import type { ConversationParts } from '../conversation/conversation.ts';
import type { AnnouncerParts } from './announcer.ts';
import type { StandardError } from '../wire/standardError.ts';
import type { LinkParts } from './link.ts';
import type { TracingParts } from './callServer.ts';

/** The parts of a connection that belong to its process. */
export type OwnParts = Pick<
  ConversationParts,
  'config' | 'ticker' | 'logs' | 'lastEra' | 'log' | 'received'
> &
  Pick<LinkParts, 'dial'> & {
    readonly output: ConversationParts['output'] & Pick<StandardError, 'read'>;
  } & Pick<AnnouncerParts, 'toolReport'> &
  Pick<TracingParts, 'tracer'>;
