import { operateVerb } from './operateVerb.ts';

export const restart = operateVerb('restart', 'stop a server and start it again');
