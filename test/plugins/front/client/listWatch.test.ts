import { expect } from 'chai';
import { ANYONE } from '../../../../kernel/index.ts';
import type { InboundRequest, Scope } from '../../../../kernel/index.ts';
import { ListWatch } from '../../../../plugins/front/client/listWatch.ts';
import type { FrontConfig } from '../../../../plugins/front/config.ts';
import { heldTimers } from '../../../support/heldTimers.ts';

const CALLERS = 50;
const SERVERS = ['a', 'b'];

const requestOf = (subject: string): InboundRequest => ({ ...ANYONE, caller: { subject } });

function watchOf(): ListWatch {
  const scope = { config: { listChangedMs: 10 }, get: () => ({ metaTools: () => [] }), all: () => [] };
  return new ListWatch(scope as unknown as Scope<FrontConfig>);
}

describe('front: who learns that lists have changed', () => {
  it('is each caller whose own resources and prompts have, once', () => {
    const timers = heldTimers();
    const watch = watchOf();
    const told: string[] = [];
    for (const subject of ['ann', 'bob', 'cyd'])
      watch.follow(requestOf(subject), (list) => told.push(`${subject} ${list}`));
    const ownerOf = ({ caller }: InboundRequest): string | undefined =>
      caller?.subject === 'cyd' ? undefined : `owner of ${caller?.subject ?? ''}`;
    for (const server of SERVERS) watch.noticeChange({ server, owner: 'owner of bob', ownerOf });
    timers.pass(10);
    expect(told).to.deep.equal(['bob resources', 'bob prompts']);
    watch.noticeChange();
    timers.pass(10);
    expect(told).to.have.length(2);
  });

  it('is found by one question per caller and server, however many callers have other lists', () => {
    const timers = heldTimers();
    const watch = watchOf();
    const subjects = Array.from({ length: CALLERS }, (_, at) => `caller-${at}`);
    let [told, questions] = [0, 0];
    for (const subject of subjects) watch.follow(requestOf(subject), () => (told += 1));
    for (const server of SERVERS)
      for (const owner of subjects) {
        const ownerOf = ({ caller }: InboundRequest): string | undefined => {
          questions += 1;
          return server === 'b' ? caller?.subject : undefined;
        };
        watch.noticeChange({ server, owner, ownerOf });
      }
    timers.pass(10);
    expect(told).to.equal(2 * CALLERS);
    expect(questions).to.equal(SERVERS.length * CALLERS);
  });
});
