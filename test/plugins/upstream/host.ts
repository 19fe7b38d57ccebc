// A process to be killed: it runs the plugin with one server that starts a child and ignores SIGTERM.
// It reports on SIGUSR2 that it still runs.
import { writeFileSync } from 'node:fs';
import { Rig, hostile } from './support.ts';

const [, , file = ''] = process.argv;
const rig = new Rig();
await rig.configure();
await rig.define({ s: hostile('family', {}, file) });
process.on('SIGUSR2', () => writeFileSync(`${file}.on`, ''));
