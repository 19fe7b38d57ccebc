// A process that runs the plugin with one server that starts a child and refuses to end: something to kill.
// SIGUSR2 lets it say that it has gone on.
import { writeFileSync } from 'node:fs';
import { Rig, hostile } from './support.ts';

const [, , file = ''] = process.argv;
const rig = new Rig();
await rig.configure();
await rig.define({ s: hostile('family', {}, file) });
process.on('SIGUSR2', () => writeFileSync(`${file}.on`, ''));
