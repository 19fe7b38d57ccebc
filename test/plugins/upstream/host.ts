// A process that runs the plugin with one server that starts a child and refuses to end: something to kill.
import { Rig, hostile } from './support.ts';

const [, , file = ''] = process.argv;
const rig = new Rig();
await rig.configure();
await rig.define({ s: hostile('family', {}, file) });
