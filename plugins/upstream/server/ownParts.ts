import type { ConversationParts } from '../conversation/conversation.ts';
import type { AnnouncerParts } from './announcer.ts';
import type { LinkParts } from './link.ts';

/** The parts of a connection that belong to its process. */
export type OwnParts = Pick<ConversationParts, 'config' | 'ticker' | 'logs' | 'lastEra' | 'output' | 'log'> &
  Pick<LinkParts, 'dial'> &
  Pick<AnnouncerParts, 'toolReport'>;
