import { operate } from './operate.ts';

export const restart = operate('restart', 'stop a server and start it again');
