import { operateVerb } from './operateVerb.ts';

export const stop = operateVerb('stop', 'stop a server until it is started again; its tools disappear');
