import { operate } from './operate.ts';

export const start = operate('start', 'start a server; one that was stopped stays started');
