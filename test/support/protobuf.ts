type Field = number | Buffer;

/** Fields by number: varints as numbers; strings, messages, packed lists and fixed numbers as bytes. */
export type Message = ReadonlyMap<number, readonly Field[]>;

/** Source: https://protobuf.dev/programming-guides/encoding/ */
export function fieldsOf(bytes: Buffer): Message {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(value);
    }
  };
  const slice = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const tag = varint();
    const type = tag & 7;
    const value = type === 0 ? varint() : slice(type === 2 ? varint() : type === 1 ? 8 : 4);
    const number = tag >>> 3;
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

/** Empty if the message has no such field. */
export function bytesIn(message: Message, number: number): Buffer {
  const [value] = message.get(number) ?? [];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

export function messagesIn(message: Message, number: number): Message[] {
  return (message.get(number) ?? []).filter((value) => Buffer.isBuffer(value)).map(fieldsOf);
}
