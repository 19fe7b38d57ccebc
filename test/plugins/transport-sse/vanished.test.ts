import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { InboundRequest, Scope } from '../../../kernel/index.ts';
import type { HttpExchange, Route } from '../../../plugins/contracts/http.ts';
import type { StreamConfig } from '../../../plugins/transport-sse/config.ts';
import { SseConnections } from '../../../plugins/transport-sse/sseConnections.ts';

describe('transport-sse: a client that disconnects before its stream opens', () => {
  it('leaves no stream behind', () => {
    const alone = { each: () => undefined, find: () => undefined };
    const config = { keepAliveMs: 1_000, maxBufferedBytes: 1_000 };
    const scope = { ...alone, config } as unknown as Scope<StreamConfig>;
    const [get] = new SseConnections(scope).routes() as [Route];
    let isKept = false;
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    const exchange = { res, standing: () => void (isKept = true) } as HttpExchange;
    res.destroy();
    void get.handle(exchange, {} as InboundRequest);
    expect(isKept).equal(false);
    expect(res.listenerCount('close')).equal(0);
  });
});
