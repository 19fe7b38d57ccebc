import { expect } from 'chai';
import { WatchReader } from '../../../../plugins/store-kubernetes/watch/watchReader.ts';
import { objectNamed } from '../kubeStub.ts';

const line = (type: string, object: object): Buffer => Buffer.from(`${JSON.stringify({ type, object })}\n`);

describe('store-kubernetes: the stream of a watch', () => {
  it('is read whatever its pieces: split characters, several events at once, 3 MB in a line', () => {
    const names: string[] = [];
    const reader = new WatchReader(({ type, object }) => names.push(`${type} ${object.metadata.name}`));
    for (const byte of line('ADDED', objectNamed('größe-🙂', '1'))) reader.push(Buffer.from([byte]));
    reader.push(
      Buffer.concat([line('MODIFIED', objectNamed('b', '2')), line('DELETED', objectNamed('b', '3'))]),
    );
    const long = line('ADDED', { ...objectNamed('long', '4'), spec: 'x'.repeat(3_000_000) });
    for (let at = 0; at < long.length; at += 65_536) reader.push(long.subarray(at, at + 65_536));
    reader.push(line('LATER', {}));
    expect(names).to.deep.equal(['ADDED größe-🙂', 'MODIFIED b', 'DELETED b', 'ADDED long']);
  });

  it('ends with an error for anything but events', () => {
    const read = (bytes: Buffer): void => new WatchReader(() => undefined).push(bytes);
    expect(() => read(Buffer.from('<html>\n'))).to.throw('a line that is not an event');
    expect(() => read(Buffer.from('{"type":"ADDED"}\n'))).to.throw('a line that is not an event');
    expect(() => read(line('ADDED', { metadata: { name: 'a' } }))).to.throw('without resourceVersion');
    expect(() => read(line('ADDED', { metadata: { resourceVersion: '1' } }))).to.throw('without name');
    expect(() => read(Buffer.alloc(5_000_000, 'x'))).to.throw('a line of more than');
    expect(() => read(line('ERROR', { kind: 'Status', code: 410, message: 'too old' }))).to.throw('too old');
  });
});
