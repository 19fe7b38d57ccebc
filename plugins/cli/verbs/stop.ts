import { operate } from './operate.ts';

export const stop = operate('stop', 'stop a server until it is started again; its tools disappear');
