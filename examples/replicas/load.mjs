// Twenty sessions that call a tool without pause; prints what became of the calls.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { fetch, performance } = globalThis;
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://localhost:8090/mcp' },
    sessions: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
  },
});
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const end = performance.now() + Number(values.seconds) * 1_000;
const tally = { calls: 0, lostCalls: 0, sessions: 0, lostSessions: 0 };

async function post(method, params, headers) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(values.url, { method: 'POST', headers: { ...HEADERS, ...headers }, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function keepCalling() {
  const clientInfo = { name: 'load', version: '1' };
  const first = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const session = (await post('initialize', first, {})).headers.get('mcp-session-id');
  tally.sessions += 1;
  while (performance.now() < end) {
    tally.calls += 1;
    const args = { name: 'x_everything_echo', arguments: { message: 'hello' } };
    const call = post('tools/call', { name: 'call_tool', arguments: args }, { 'mcp-session-id': session });
    // The session continues: only the call that was inside a killed gateway is lost.
    const { status, text } = await call.catch((error) => ({ text: String(error.cause ?? error) }));
    if (status === 404) {
      tally.lostSessions += 1;
      return;
    }
    if (text.includes('Echo: hello')) continue;
    tally.lostCalls += 1;
    console.log(`lost: ${text}`);
    await setTimeout(50);
  }
}

const all = Promise.all(Array.from({ length: Number(values.sessions) }, keepCalling));
while (performance.now() < end) {
  console.log(JSON.stringify(tally));
  await setTimeout(1_000);
}
await all;
console.log(JSON.stringify(tally));
