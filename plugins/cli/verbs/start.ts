import { operateVerb } from './operateVerb.ts';

export const start = operateVerb('start', 'start a server; one that was stopped stays started');
